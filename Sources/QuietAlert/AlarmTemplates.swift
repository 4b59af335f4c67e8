/// The rhythms of alarm signals, and when each is looked for.
///
/// T3: three pulses of 0.5 s on a grid of 0.5 s, then three units of silence. T4: four pulses of 0.1 s on a grid of
/// 0.1 s, then 5 s of silence. Units may be 10 % off.
extension PulseTemplate {
    /// Frames after the beginning of the last pulse at which a pattern of three is judged while the pulse sounds
    /// (0.42 s), after the pulse before it (one second more), and after two pulses and silence (0.72 s).
    static let soundingDelay = 21
    static let nextSoundingDelay = 71
    static let twoDelay = 36
    /// The same after the beginning of the first of the two (1.84 s).
    static let twoFromFirstDelay = 92
    /// Frames after the beginning of a short pulse at which a group of four, or a chirp, is judged (1.2 s).
    static let shortDelay = 60
    /// The same for the last pulse of a group that another one came before (0.8 s).
    static let nextFourDelay = 40

    private static func three(
        pulses: [Double], pauses: [Double], gaps: [ClosedRange<Double>] = [], quietFrames: Int = 0,
        lead: ClosedRange<Double> = -2.2 ... -0.12, mayFollowSound: Bool = false, maxMasked: Int,
        mayMiss: Set<Int> = [],
        contrast: Float = 8,
        prominence: Float = 9, maxUnsteadiness: Float = 3, maxStep: Float = 1.2
    ) -> PulseTemplate {
        PulseTemplate(
            pulsePart: 0.1...0.85, pausePart: 0.35...0.92, unitFrames: 25,
            scales: [1, 0.975, 1.025, 0.95, 1.05, 0.925, 1.075, 0.9, 1.1], pulses: pulses, pauses: pauses,
            gaps: gaps, quietFrames: quietFrames, lead: lead, mayFollowSound: mayFollowSound,
            maxMasked: maxMasked, mayMiss: mayMiss,
            minContrast: contrast, minProminence: prominence, maxUnsteadiness: maxUnsteadiness,
            maxStep: maxStep, maxRange: 1.5 * maxStep)
    }

    /// The first two pulses of T3 after silence.
    static let threeBegins = three(
        pulses: [0, 2], pauses: [1], quietFrames: 6, maxMasked: 0, contrast: 9, prominence: 10,
        maxUnsteadiness: 2.5, maxStep: 0.4)
    /// Three pulses, the long pause, two pulses. The second may be silent: no other signal looks like that.
    static let threeRepeats = three(
        pulses: [0, 2, 4, 8, 10], pauses: [1, 3, 9], gaps: [5.3...7.9], mayFollowSound: true, maxMasked: 1,
        mayMiss: [1])
    /// Three pulses, the long pause, three pulses.
    static let threeRepeatsLate = three(
        pulses: [0, 2, 4, 8, 10, 12], pauses: [1, 3, 9, 11], gaps: [5.3...7.9], mayFollowSound: true,
        maxMasked: 1)
    /// Heard from the third pulse on: one, the long pause, three, the long pause, one.
    static let threeFromThird = three(
        pulses: [0, 4, 6, 8, 12], pauses: [5, 7], gaps: [1.3...3.9, 9.3...11.9], lead: -0.6 ... -0.12,
        maxMasked: 1)
    /// Two groups and silence, one of whose pulses may be silent: with less, other rhythms fit as well.
    static let threeTwice = three(
        pulses: [0, 2, 4, 8, 10, 12], pauses: [1, 3, 9, 11], gaps: [5.3...7.9], quietFrames: 38,
        mayFollowSound: true,
        maxMasked: 1,
        mayMiss: [0, 1, 2, 4])
    /// Three groups, of which the second has lost its first pulse: three beeps every 5 s look like that for a while.
    static let threeAcrossSilent = three(
        pulses: [0, 2, 4, 10, 12, 16], pauses: [1, 3, 11], gaps: [5.3...9.9, 13.3...15.9], maxMasked: 0)

    /// One group of T4 between silences of a second, and no beep before or after it.
    static let four = PulseTemplate(
        pulsePart: 0.2...0.85, pausePart: 0.35...0.95, unitFrames: 5,
        scales: [1, 0.95, 1.05, 0.9, 1.1], pulses: [0, 2, 4, 6], dips: [1, 3, 5], outside: [-2, 8],
        quietFrames: shortDelay - 14, lead: -11 ... -0.5, maxMasked: 0, minContrast: 9, minProminence: 9,
        maxUnsteadiness: 3, maxStep: 0.5, maxRange: 0.6)
    /// The same, judged by the beginning of its third pulse.
    static let fourByThird: PulseTemplate = {
        var template = four
        template.quietFrames = shortDelay - 24
        return template
    }()
    /// The same with one pulse or dip masked or missing; needs a whole group beside it.
    static let fourWithFault: PulseTemplate = {
        var template = four
        template.maxMasked = 1
        template.mayMiss = [0, 1, 2, 3]
        template.minContrast = 12
        return template
    }()
    /// A group that follows another one: less silence after it is enough.
    static let fourNext: PulseTemplate = {
        var template = four
        template.quietFrames = nextFourDelay - 14
        return template
    }()
    /// The same with a fault.
    static let fourNextWithFault: PulseTemplate = {
        var template = fourWithFault
        template.quietFrames = nextFourDelay - 14
        return template
    }()
}
