/// A rhythm of pulses and pauses on a grid of equal units, and the test whether a channel shows it.
struct PulseTemplate: Sendable {
    /// Part of a unit in which a pulse must sound; its edges may be blurred.
    var pulsePart: ClosedRange<Double>
    /// Part of a unit in which a pause must be quiet; reverberation may fill its beginning.
    var pausePart: ClosedRange<Double>
    /// Length of a unit in seconds.
    var unitSeconds: Double
    /// Units at which pulses start.
    var pulses: [Double]
    /// Units of silence between the pulses of a group.
    var pauses: [Double]
    /// Short pauses that reverberation may half fill: they need only dip by 3 dB below the pulses.
    var dips: [Double] = []
    /// Units of silence between groups: no exception is made for these.
    var gaps: [Double]
    /// Silence before the first pulse; judged only where the stream is old enough.
    var leads: [Double]
    /// Units from the start of the first pulse to the instant of judgement.
    var end: Double
    /// Pulses, pauses or uneven pulses that may be wrong in all.
    var allowedFaults: Int
    /// Least step from pauses to pulses, dB.
    var minContrast: Float
    /// Least mean prominence of the pulses over their surroundings, dB.
    var minProminence: Float
    /// Most that the level may vary within the pulses (mean standard deviation), dB: sounders hold their tone.
    var maxUnsteadiness: Float = 2.5

    /// A rhythm that was found.
    struct Match: Sendable {
        var startFrame: Int
        var unitFrames: Double
        var levelDBFS: Float
        var contrast: Float
        var faults: Int
    }

    /// Tests whether the rhythm, with units of `scale` times their length, ends at the frame `now`.
    func match(_ history: TonalHistory, channel: Int, now: Int, scale: Double) -> Match? {
        let unit = unitSeconds * scale * TonalHistory.framesPerSecond
        let start = Double(now) - end * unit
        func frames(_ position: Double, _ part: ClosedRange<Double>) -> (Int, Int) {
            let from = Int((start + (position + part.lowerBound) * unit).rounded())
            return (from, max(from + 1, Int((start + (position + part.upperBound) * unit).rounded())))
        }
        guard start >= 0 else { return nil }
        var faults = 0
        var heard: [(level: Float, from: Int, to: Int)] = []
        for position in pulses {
            let (from, to) = frames(position, pulsePart)
            if let level = history.level(channel, from, to) {
                heard.append((level, from, to))
            } else {
                faults += 1
            }
        }
        guard faults <= allowedFaults else { return nil }
        let pulseLevel = heard.map(\.level).sorted()[heard.count / 2]
        let floor = pulseLevel - 20
        var quiet: [Float] = []
        var strict: [Bool] = []
        for (positions, isGap) in [(gaps, true), (pauses, false)] {
            for position in positions {
                let (from, to) = frames(position, pausePart)
                guard let level = history.level(channel, from, min(to, now), floor: floor) else {
                    if isGap { return nil }
                    faults += 1
                    continue
                }
                quiet.append(level)
                strict.append(isGap)
            }
        }
        for position in leads {
            let (from, to) = frames(position, pausePart)
            guard from >= 0, let level = history.level(channel, from, to, floor: floor) else { continue }
            quiet.append(level)
            strict.append(true)
        }
        for position in dips {
            let (from, to) = frames(position, pausePart)
            guard let level = history.level(channel, from, to), level <= pulseLevel - 3 else {
                faults += 1
                continue
            }
        }
        guard faults <= allowedFaults, !quiet.isEmpty else { return nil }
        let contrast = pulseLevel - quiet.sorted()[quiet.count / 2]
        guard contrast >= minContrast else { return nil }
        let quietBelow = pulseLevel - max(4, 0.5 * contrast)
        for (level, isStrict) in zip(quiet, strict) where level > quietBelow {
            if isStrict { return nil }
            faults += 1
        }
        let spread = max(2.5, 0.2 * contrast)
        var prominence: Float = 0
        var unsteadiness: Float = 0
        for pulse in heard {
            if abs(pulse.level - pulseLevel) > spread
                || isUneven(history, channel, pulse.from, pulse.to, spread)
            {
                faults += 1
            }
            prominence += history.prominence(channel, pulse.from, pulse.to)
            unsteadiness += history.unsteadiness(channel, pulse.from, pulse.to)
        }
        guard faults <= allowedFaults, prominence >= minProminence * Float(heard.count),
            unsteadiness <= maxUnsteadiness * Float(heard.count)
        else { return nil }
        return Match(
            startFrame: Int(start.rounded()), unitFrames: unit, levelDBFS: pulseLevel, contrast: contrast,
            faults: faults)
    }

    /// Whether one half of a pulse is louder than the other: a note that decays, not a sounder.
    private func isUneven(
        _ history: TonalHistory, _ channel: Int, _ from: Int, _ to: Int, _ limit: Float
    ) -> Bool {
        let middle = (from + to) / 2
        guard to - from >= 16, let first = history.level(channel, from, middle),
            let second = history.level(channel, middle, to)
        else { return false }
        return abs(first - second) > limit
    }
}

extension PulseTemplate {
    private static func three(
        pulses: [Double], pauses: [Double], gaps: [Double], leads: [Double], end: Double, faults: Int,
        contrast: Float, prominence: Float
    ) -> PulseTemplate {
        PulseTemplate(
            pulsePart: 0.15...0.9, pausePart: 0.35...0.95, unitSeconds: 0.5, pulses: pulses, pauses: pauses,
            gaps: gaps, leads: leads, end: end, allowedFaults: faults, minContrast: contrast,
            minProminence: prominence)
    }

    /// The first two pulses of T3 after silence.
    static let threeBegins = three(
        pulses: [0, 2], pauses: [1, 2.45], gaps: [], leads: [-1, -2], end: 3.45, faults: 0, contrast: 9,
        prominence: 11)
    /// Three pulses, the long pause, two pulses.
    static let threeRepeats = three(
        pulses: [0, 2, 4, 8, 10], pauses: [1, 3, 9], gaps: [5, 6, 7], leads: [-1, -2], end: 11.45, faults: 1,
        contrast: 8, prominence: 10)
    /// Heard from the second pulse on: two, the long pause, three, and the next pause long enough to be one.
    static let threeFromSecond = three(
        pulses: [0, 2, 6, 8, 10], pauses: [1, 7, 9], gaps: [3, 4, 5, 11, 11.65], leads: [], end: 12.65,
        faults: 1, contrast: 8, prominence: 10)
    /// Heard from the third pulse on: one, the long pause, three, the long pause.
    static let threeFromThird = three(
        pulses: [0, 4, 6, 8], pauses: [5, 7], gaps: [1, 2, 3, 9, 10, 10.65], leads: [], end: 11.65, faults: 0,
        contrast: 8, prominence: 10)

    /// One group of T4 between silences.
    static let fourGroup = PulseTemplate(
        pulsePart: 0.2...0.85, pausePart: 0.35...0.95, unitSeconds: 0.1, pulses: [0, 2, 4, 6], pauses: [],
        dips: [1, 3, 5], gaps: [7.4, 8.1, 9], leads: [-1.2, -2.2], end: 10, allowedFaults: 0, minContrast: 10,
        minProminence: 11)
    /// The same with one pulse or dip missing; needs a whole group beside it.
    static let fourGroupWithFault: PulseTemplate = {
        var template = fourGroup
        template.allowedFaults = 1
        template.minContrast = 12
        return template
    }()
}
