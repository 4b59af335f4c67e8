import Numerics

/// Generated beeps at 22,050 Hz, and what a room and a microphone do to them. Everything follows from the seed.
public enum AlarmSignals {
    /// Rate of all samples here.
    public static let rateHz = 22_050

    /// A rhythm as (on, off) seconds that repeats.
    public struct Rhythm: Sendable {
        /// Seconds of sound and of silence after it.
        public var steps: [(on: Double, off: Double)]

        /// The steps, repeated without end.
        public init(steps: [(on: Double, off: Double)]) { self.steps = steps }

        /// T3: three pulses of a unit with pauses of one, then three units of silence.
        public static func three(unit: Double = 0.5) -> Rhythm {
            Rhythm(steps: [(unit, unit), (unit, unit), (unit, 3 * unit)])
        }

        /// T4: four short pulses and a long pause.
        public static func four(pulse: Double = 0.1, pause: Double = 5) -> Rhythm {
            Rhythm(steps: [(pulse, pulse), (pulse, pulse), (pulse, pulse), (pulse, pause)])
        }

        /// Equal beeps.
        public static func periodic(on: Double, off: Double) -> Rhythm { Rhythm(steps: [(on, off)]) }

        /// `count` equal beeps, the last one with `pause` after it.
        public static func group(of count: Int, on: Double, off: Double, pause: Double) -> Rhythm {
            Rhythm(
                steps: [(on: Double, off: Double)](repeating: (on, off), count: max(0, count - 1))
                    + [(on, pause)])
        }

        /// Seconds of one round.
        public var seconds: Double { steps.reduce(0) { $0 + $1.on + $1.off } }
    }

    /// Shape of the tone of a sounder.
    public enum Tone: CaseIterable, Sendable {
        /// A pure tone.
        case sine
        /// Odd harmonics, as the low-frequency sounders have.
        case square
        /// All harmonics, as a small loudspeaker driven hard has.
        case rich
    }

    /// One period of a tone, its harmonics kept below 10.5 kHz.
    private struct Wave {
        private static let size = 1_024
        private var table: [Float]

        init(_ tone: Tone, frequencyHz: Double) {
            table = [Float](repeating: 0, count: Self.size + 1)
            var harmonic = 1
            while harmonic == 1 || (tone != .sine && Double(harmonic) * frequencyHz < 10_500) {
                let order = Double(harmonic)
                let weight =
                    tone == .sine ? 1 : tone == .square ? 1.27 / order : 0.8 / (order * order.squareRoot())
                for i in table.indices {
                    let angle = 2 * Double.pi * Double(harmonic * i % Self.size) / Double(Self.size)
                    table[i] += Float(weight * Elementary.sin(angle))
                }
                harmonic += tone == .square ? 2 : 1
            }
        }

        /// Value at `cycles` ≥ 0.
        func callAsFunction(_ cycles: Double) -> Float {
            let at = (cycles - cycles.rounded(.down)) * Double(Self.size)
            let index = min(Self.size - 1, Int(at))
            return table[index] + (table[index + 1] - table[index]) * Float(at - Double(index))
        }
    }

    /// `seconds` of beeps of amplitude 1 that begin at `delay`; `missing` are the numbers of beeps left out, `decay`
    /// is how fast a beep fades (nepers a second).
    public static func beeps(
        _ rhythm: Rhythm, frequencyHz: Double, tone: Tone = .sine, seconds: Double, delay: Double = 0,
        missing: Set<Int> = [], driftPerSecond: Double = 0, maxCount: Int = .max, decay: Double = 0
    ) -> [Float] {
        let rate = Double(rateHz)
        let wave = Wave(tone, frequencyHz: frequencyHz)
        var output = [Float](repeating: 0, count: Int(seconds * rate))
        var time = delay
        var number = 0
        var cycles = 0.0
        while time < seconds, number < maxCount {
            let step = rhythm.steps[number % rhythm.steps.count]
            if !missing.contains(number) {
                let start = Int(time * rate)
                let length = Int(step.on * rate)
                var level: Float = 1
                let fade = Float(Elementary.exp(-decay / rate))
                for i in 0..<length where start + i < output.count {
                    cycles += frequencyHz * (1 + driftPerSecond * Double(start + i) / rate) / rate
                    let edge = min(1, Float(min(i, length - i)) / (0.004 * Float(rate)))
                    output[start + i] += level * edge * wave(cycles)
                    level *= fade
                }
            }
            time += step.on + step.off
            number += 1
        }
        return output
    }

    /// A room: direct sound and a tail of seeded echoes that decays by 60 dB in `seconds`.
    public static func reverberated(_ samples: [Float], seconds: Double, tail: Float, seed: UInt64) -> [Float]
    {
        var noise = SeededNoise(seed: seed)
        var output = samples
        for _ in 0..<60 {
            let delay = noise.uniform(0.002...seconds)
            let gain = tail * Float(Elementary.pow(10, -3 * delay / seconds) * noise.gaussian()) * 0.35
            let shift = Int(delay * Double(rateHz))
            guard shift < samples.count else { continue }
            for i in shift..<samples.count { output[i] += gain * samples[i - shift] }
        }
        return output
    }

    /// `signal` of RMS 0.707 while it sounds, over a background of RMS 1, `snrDecibels` apart, peaks at `level`.
    public static func mix(
        _ signal: [Float], over background: [Float], snrDecibels: Double, level: Float = 0.5
    ) -> [Float] {
        let gain = Float(Decibels.toAmplitude(snrDecibels) / 0.707)
        return scaled(zip(signal, background).map { $0 * gain + $1 }, toPeak: level)
    }

    /// The samples with their largest magnitude at `level`.
    public static func scaled(_ samples: [Float], toPeak level: Float) -> [Float] {
        let gain = level / max(1e-9, samples.reduce(0) { max($0, abs($1)) })
        return samples.map { $0 * gain }
    }

    /// The samples with an RMS of 1; silence stays silence.
    public static func normalised(_ samples: [Float]) -> [Float] {
        var sum = 0.0
        for x in samples { sum += Double(x) * Double(x) }
        let rms = (sum / Double(max(1, samples.count))).squareRoot()
        return rms < 1e-9 ? samples : samples.map { $0 / Float(rms) }
    }
}
