import Numerics

/// Generated alarms, backgrounds and look-alikes at 22,050 Hz. Everything follows from the seed.
enum AlarmSignals {
    static let rateHz = 22_050

    /// A rhythm as (on, off) seconds that repeats.
    struct Rhythm {
        var steps: [(on: Double, off: Double)]

        static func three(unit: Double = 0.5) -> Rhythm {
            Rhythm(steps: [(unit, unit), (unit, unit), (unit, 3 * unit)])
        }

        static func four(pulse: Double = 0.1, pause: Double = 5) -> Rhythm {
            Rhythm(steps: [(pulse, pulse), (pulse, pulse), (pulse, pulse), (pulse, pause)])
        }

        static func periodic(on: Double, off: Double) -> Rhythm { Rhythm(steps: [(on, off)]) }
    }

    /// Shape of the tone of a sounder.
    enum Tone {
        case sine, square, rich
    }

    /// `seconds` of beeps of amplitude 1 that begin at `delay`; `missing` are the numbers of beeps left out.
    static func beeps(
        _ rhythm: Rhythm, frequencyHz: Double, tone: Tone = .sine, seconds: Double, delay: Double = 0,
        missing: Set<Int> = [], driftPerSecond: Double = 0, maxCount: Int = .max
    ) -> [Float] {
        let rate = Double(rateHz)
        var output = [Float](repeating: 0, count: Int(seconds * rate))
        var time = delay
        var number = 0
        var phase = 0.0
        while time < seconds, number < maxCount {
            let step = rhythm.steps[number % rhythm.steps.count]
            if !missing.contains(number) {
                let start = Int(time * rate)
                let length = Int(step.on * rate)
                for i in 0..<length where start + i < output.count {
                    let f = frequencyHz * (1 + driftPerSecond * Double(start + i) / rate)
                    phase += 2 * .pi * f / rate
                    let edge = min(1, Double(min(i, length - i)) / (0.004 * rate))
                    output[start + i] = Float(edge * wave(tone, phase, f))
                }
            }
            time += step.on + step.off
            number += 1
        }
        return output
    }

    private static func wave(_ tone: Tone, _ phase: Double, _ frequencyHz: Double) -> Double {
        switch tone {
        case .sine: return Elementary.sin(phase)
        case .square, .rich:
            var sum = 0.0
            var harmonic = 1.0
            while harmonic * frequencyHz < 10_500 {
                let weight = tone == .square ? 1.27 / harmonic : 0.8 / (harmonic * harmonic.squareRoot())
                sum += weight * Elementary.sin(phase * harmonic)
                harmonic += tone == .square ? 2 : 1
            }
            return sum
        }
    }

    /// Backgrounds to hide alarms in.
    enum Background: CaseIterable {
        case white, pink, speech, music
    }

    /// A background of RMS 1.
    static func background(_ kind: Background, seconds: Double, seed: UInt64) -> [Float] {
        var noise = SeededNoise(seed: seed)
        let count = Int(seconds * Double(rateHz))
        let raw: [Float]
        switch kind {
        case .white: raw = (0..<count).map { _ in Float(noise.gaussian()) }
        case .pink: raw = pink(count, &noise)
        case .speech: raw = speech(count, &noise)
        case .music: raw = music(count, &noise)
        }
        let rms = (raw.reduce(0.0) { $0 + Double($1) * Double($1) } / Double(max(1, count))).squareRoot()
        return raw.map { $0 / Float(max(rms, 1e-9)) }
    }

    private static func pink(_ count: Int, _ noise: inout SeededNoise) -> [Float] {
        // Three first-order low-passes an octave and a half apart add up to about −3 dB per octave.
        var low = (0.0, 0.0, 0.0)
        return (0..<count).map { _ in
            let white = noise.gaussian()
            low.0 += 0.004 * (white - low.0)
            low.1 += 0.04 * (white - low.1)
            low.2 += 0.3 * (white - low.2)
            return Float(4 * low.0 + 1.2 * low.1 + 0.4 * low.2 + 0.1 * white)
        }
    }

    /// Voiced syllables of changing pitch and formants, hisses and pauses.
    private static func speech(_ count: Int, _ noise: inout SeededNoise) -> [Float] {
        let rate = Double(rateHz)
        var output = [Float](repeating: 0, count: count)
        var at = 0
        let base = noise.uniform(95...220)
        while at < count {
            let length = Int(noise.uniform(0.08...0.35) * rate)
            let kind = noise.uniform()
            let loud = noise.uniform(0.3...1)
            if kind < 0.65 {
                var formants = [
                    noise.uniform(300...850), noise.uniform(900...2_300), noise.uniform(2_400...3_300),
                ]
                .map { Resonator(frequencyHz: $0, bandwidthHz: 60 + $0 * 0.05, rateHz: rate) }
                let from = base * noise.uniform(0.85...1.3)
                let to = base * noise.uniform(0.8...1.2)
                var phase = 0.0
                for i in 0..<length where at + i < count {
                    let x = Double(i) / Double(length)
                    phase += (from + (to - from) * x) / rate
                    var pulse = 0.02 * noise.gaussian()
                    if phase >= 1 {
                        phase -= 1
                        pulse += 1
                    }
                    var y = 0.0
                    for f in formants.indices { y += formants[f].step(pulse) / Double(f + 1) }
                    output[at + i] += Float(loud * y * Elementary.sin(.pi * x))
                }
            } else if kind < 0.82 {
                var hiss = Resonator(
                    frequencyHz: noise.uniform(2_500...7_000), bandwidthHz: 2_000, rateHz: rate)
                for i in 0..<length where at + i < count {
                    let x = Double(i) / Double(length)
                    output[at + i] += Float(
                        0.05 * loud * hiss.step(noise.gaussian()) * Elementary.sin(.pi * x))
                }
            }
            at += length
        }
        for i in output.indices { output[i] += Float(0.002 * noise.gaussian()) }
        return output
    }

    /// Notes of a scale with decaying or held harmonics on a beat, with drums.
    private static func music(_ count: Int, _ noise: inout SeededNoise) -> [Float] {
        let rate = Double(rateHz)
        var output = [Float](repeating: 0, count: count)
        let beat = 60 / noise.uniform(70...150)
        let scale = [0, 2, 4, 5, 7, 9, 11, 12, 14, 16, 19, 24]
        let root = noise.uniform(110...220)
        let isHeld = noise.uniform() < 0.4
        var time = 0.0
        while time < Double(count) / rate {
            let voices = 1 + Int(noise.next() % 4)
            for _ in 0..<voices {
                let degree = scale[Int(noise.next() % UInt64(scale.count))]
                let f = root * Elementary.pow(2, Double(degree) / 12) * (noise.uniform() < 0.3 ? 4 : 1)
                let length = beat * [0.5, 1, 1, 2, 4][Int(noise.next() % 5)]
                let loud = noise.uniform(0.2...1)
                let decay = isHeld ? 0.3 : noise.uniform(1.5...6)
                addNote(&output, at: time, seconds: length, frequencyHz: f, loud: loud, decay: decay)
            }
            if noise.uniform() < 0.8 {
                let start = Int(time * rate)
                for i in 0..<Int(0.08 * rate) where start + i < count {
                    output[start + i] += Float(
                        0.5 * noise.gaussian() * Elementary.exp(-Double(i) / (0.02 * rate)))
                }
            }
            time += noise.uniform() < 0.5 ? beat : beat / 2
        }
        return output
    }

    private static func addNote(
        _ output: inout [Float], at time: Double, seconds: Double, frequencyHz: Double, loud: Double,
        decay: Double
    ) {
        let rate = Double(rateHz)
        let start = Int(time * rate)
        let length = Int(seconds * rate)
        var harmonic = 1.0
        while harmonic <= 8, harmonic * frequencyHz < 9_000 {
            let w = 2 * Double.pi * harmonic * frequencyHz / rate
            for i in 0..<length where start + i < output.count {
                let t = Double(i) / rate
                let edge = min(1, Double(min(i, length - i)) / (0.01 * rate))
                let envelope = edge * Elementary.exp(-decay * t * (0.7 + 0.3 * harmonic))
                output[start + i] += Float(loud / harmonic * envelope * Elementary.sin(w * Double(i)))
            }
            harmonic += 1
        }
    }

    /// A room: direct sound and a tail of seeded echoes that decays by 60 dB in `seconds`.
    static func reverberated(_ samples: [Float], seconds: Double, tail: Float, seed: UInt64) -> [Float] {
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
    static func mix(_ signal: [Float], over background: [Float], snrDecibels: Double, level: Float = 0.5)
        -> [Float]
    {
        let gain = Float(Decibels.toAmplitude(snrDecibels) / 0.707)
        let sum = zip(signal, background).map { $0 * gain + $1 }
        let peak = max(1e-9, sum.reduce(0) { max($0, abs($1)) })
        return sum.map { $0 / peak * level }
    }

    private struct Resonator {
        private let a1: Double
        private let a2: Double
        private let gain: Double
        private var y1 = 0.0
        private var y2 = 0.0

        init(frequencyHz: Double, bandwidthHz: Double, rateHz: Double) {
            let r = Elementary.exp(-.pi * bandwidthHz / rateHz)
            a1 = 2 * r * Elementary.cos(2 * .pi * frequencyHz / rateHz)
            a2 = -r * r
            gain = 1 - r
        }

        mutating func step(_ x: Double) -> Double {
            let y = gain * x + a1 * y1 + a2 * y2
            y2 = y1
            y1 = y
            return y
        }
    }
}
