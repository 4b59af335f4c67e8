/// A rhythm of pulses and pauses on a grid of equal units, and the test whether a channel shows it.
///
/// The grid hangs on the beginning of one pulse, so only the length of its unit is searched. Each pulse and each pause
/// is judged by what most of its frames are: a tone of the pulses' level, clearly quieter, or masked (never received,
/// or so noisy that nothing can be said). A sounder holds its frequency and its level; what does not is no match.
struct PulseTemplate: Sendable {
    /// Part of a unit in which a pulse must sound; its edges may be blurred.
    var pulsePart: ClosedRange<Double>
    /// Part of a unit in which a pause must be quiet; reverberation may fill its beginning.
    var pausePart: ClosedRange<Double>
    /// Length of a unit in frames.
    var unitFrames: Double
    /// Lengths of a unit that are tried, as parts of its nominal length.
    var scales: [Double]
    /// Units at which pulses start.
    var pulses: [Double]
    /// Units of silence between the pulses of a group.
    var pauses: [Double] = []
    /// Short pauses that reverberation may half fill: they need only dip by 3 dB below the pulses (6 dB below
    /// 2 kHz).
    var dips: [Double] = []
    /// Units beside the group where another pulse would make it something else.
    var outside: [Double] = []
    /// Silence between groups, in units; no exception is made for these.
    var gaps: [ClosedRange<Double>] = []
    /// Frames of silence at the end, up to the instant of judgement.
    var quietFrames = 0
    /// Silence before the first pulse, in units; judged only where the stream is old enough.
    var lead: ClosedRange<Double>
    /// Whether other sound may fill some of that lead, as long as it is not the tone.
    var mayFollowSound = false
    /// Pulses that may be masked, and pauses that may be besides.
    var maxMasked: Int
    /// Pulses that may be silent: at most one of these.
    var mayMiss: Set<Int> = []
    /// Least step from pauses to pulses, dB.
    var minContrast: Float
    /// Least mean prominence of the pulses over their surroundings, dB.
    var minProminence: Float
    /// Most that the level may vary within the pulses (mean standard deviation), dB.
    var maxUnsteadiness: Float
    /// Most that the frequency may differ from one pulse to the next, and from the lowest to the highest, in bins.
    var maxStep: Float
    var maxRange: Float

    /// No volume gate: rounding to 16 bits makes tones of its own, up to a square wave of half a step, −94.2 dBFS.
    static let leastDBFS: Float = -93

    /// A rhythm that was found.
    struct Match: Sendable {
        /// Frame in which the first pulse began.
        var startFrame: Int
        var unitFrames: Double
        var levelDBFS: Float
        /// Step from pauses to pulses, dB.
        var contrast: Float
        /// Mean distance of the tone from the centre of the channel, bins.
        var place: Float
        /// Masked or missing pulses and pauses.
        var faults: Int
        /// Share of the frames of pulses that hold the tone.
        var fill: Float
    }
}
