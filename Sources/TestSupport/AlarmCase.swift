import Numerics

/// One generated alarm, a smoke or a CO alarm with something that makes it hard, drawn from a seed.
///
/// Pulses and pauses lie within ± 10 % of their nominal length, 520 Hz square tones within ± 10 %, other tones at
/// 2.3…4 kHz. The alarm is as loud while it sounds as the background on average (0 dB) unless it is told otherwise.
public struct AlarmCase: Sendable {
    /// What makes it hard.
    public enum Impairment: String, CaseIterable, Sendable {
        case none
        /// The frequency moves by up to 0.2 % a second.
        case drift
        /// A room that rings for 0.3…0.8 s.
        case reverberation
        /// A burst of noise, 6…20 dB louder than the alarm, over some of the first beats: 0.2…0.6 s of T3, 0.1…0.2 s
        /// of T4 (what hides a whole group of four leaves nothing to go by).
        case masking
        /// One of the first beeps is silent: an alarm is certain only when the beats after it have come.
        case missedBeep
        /// A second alarm of the same kind, out of step, at another frequency, up to 6 dB quieter.
        case twoAlarms
        /// Cut off at 30…70 % of the peak.
        case clipping
        /// Peaks at −60…−40 dBFS.
        case faint
    }

    /// Whether it is a smoke alarm (T3) or a CO alarm (T4).
    public let isSmoke: Bool
    /// Fundamental of its tone.
    public let frequencyHz: Double
    /// Its tone.
    public let tone: AlarmSignals.Tone
    /// Length of a pulse and its pause against the nominal one.
    public let scale: Double
    /// What it sounds in.
    public let background: AlarmBackground
    /// What makes it hard.
    public let impairment: Impairment
    /// When it begins.
    public let onsetSeconds: Double
    /// Length of the scene.
    public let seconds: Double
    private let rhythm: AlarmSignals.Rhythm
    private let seed: UInt64

    /// Backgrounds that are drawn.
    public static let backgrounds: [AlarmBackground] = [.speech, .music, .television, .vacuum, .shower]

    /// Case `number` of those that follow from `seed`.
    public init(seed: UInt64, number: Int) {
        var noise = SeededNoise(seed: seed &* 0x9E37_79B9 &+ UInt64(number))
        self.seed = noise.next()
        isSmoke = noise.uniform() < 0.6
        let isLow = noise.uniform() < 0.4
        frequencyHz = isLow ? noise.uniform(468...572) : noise.uniform(2_300...4_000)
        tone = isLow ? .square : noise.uniform() < 0.5 ? .sine : .rich
        scale = noise.uniform(0.9...1.1)
        background = Self.backgrounds[Int(noise.next() % UInt64(Self.backgrounds.count))]
        impairment = Impairment.allCases[Int(noise.next() % UInt64(Impairment.allCases.count))]
        onsetSeconds = noise.uniform(1...2.5)
        rhythm =
            isSmoke
            ? .three(unit: 0.5 * scale) : .four(pulse: 0.1 * scale, pause: noise.uniform(4.5...5.5))
        seconds = onsetSeconds + (isSmoke ? 10 : 14)
    }

    /// Seconds after the onset within which it must be suspected; nil where a silent beep or a burst may hide the
    /// beginning.
    public var suspectedWithin: Double? { impairment == .missedBeep || impairment == .masking ? nil : 2 }

    /// Seconds after the onset within which it must be confirmed: 6 s and 12 s, or two to three groups of T3 where a
    /// beep is silent.
    public var confirmedWithin: Double {
        if !isSmoke { return 12 }
        return impairment == .missedBeep ? 9.5 : 6
    }

    /// Whether an alarm heard at `hz` may be this one: at its frequency or an odd harmonic of it.
    public func mayBe(hz: Double) -> Bool {
        [1, 3, 5, 7].contains { abs(hz / (frequencyHz * $0) - 1) < 0.03 }
    }

    /// The scene over a background of its length and any level; the generated one if none is given.
    public func samples(over given: [Float]? = nil, snrDecibels: Double = 0) -> [Float] {
        var noise = SeededNoise(seed: seed)
        let rate = Double(AlarmSignals.rateHz)
        let missing: Set<Int> = impairment == .missedBeep ? [Int(1 + noise.next() % 4)] : []
        let drift = impairment == .drift ? noise.uniform(-0.002...0.002) : 0
        var signal = AlarmSignals.beeps(
            rhythm, frequencyHz: frequencyHz, tone: tone, seconds: seconds, delay: onsetSeconds,
            missing: missing, driftPerSecond: drift)
        if impairment == .twoAlarms {
            let isHigher = frequencyHz < 3_000 ? noise.uniform() < 0.7 : noise.uniform() < 0.3
            let ratio = noise.uniform(1.04...1.1)
            let second = AlarmSignals.beeps(
                rhythm, frequencyHz: isHigher ? frequencyHz * ratio : frequencyHz / ratio, tone: tone,
                seconds: seconds, delay: onsetSeconds + noise.uniform(0.1...3.9))
            let gain = Float(Decibels.toAmplitude(-noise.uniform(0...6)))
            for i in signal.indices { signal[i] += gain * second[i] }
        }
        if impairment == .reverberation {
            signal = AlarmSignals.reverberated(
                signal, seconds: noise.uniform(0.3...0.8), tail: 0.7, seed: noise.next())
        }
        let ground = AlarmSignals.normalised(
            given ?? background.samples(seconds: seconds, seed: noise.next()))
        let gain = Float(Decibels.toAmplitude(snrDecibels) / 0.707)
        for i in signal.indices { signal[i] = signal[i] * gain + (i < ground.count ? ground[i] : 0) }
        if impairment == .masking {
            let start = Int((onsetSeconds + noise.uniform(0...(isSmoke ? 5.5 : 7))) * rate)
            let level = Float(Decibels.toAmplitude(snrDecibels + noise.uniform(6...20)))
            let length = isSmoke ? noise.uniform(0.2...0.6) : noise.uniform(0.1...0.2)
            for i in start..<(start + Int(length * rate)) where i < signal.count {
                signal[i] += level * Float(noise.gaussian())
            }
        }
        let peak: Double
        switch impairment {
        case .faint: peak = Decibels.toAmplitude(-noise.uniform(40...60))
        case .clipping: peak = 1 / noise.uniform(0.3...0.7)
        default: peak = Decibels.toAmplitude(-noise.uniform(3...30))
        }
        return AlarmSignals.scaled(signal, toPeak: Float(peak)).map { max(-1, min(1, $0)) }
    }
}
