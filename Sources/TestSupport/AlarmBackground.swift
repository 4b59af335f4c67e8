import Numerics

/// What alarms sound in: noise, speech, music and machines, generated at 22,050 Hz from a seed.
public enum AlarmBackground: String, CaseIterable, Sendable {
    case white, pink, speech, music
    /// Speech over music.
    case television
    /// A motor's hum and the rush of air.
    case vacuum
    /// Hissing water that swells and ebbs.
    case shower

    private static var rateHz: Int { AlarmSignals.rateHz }

    /// `seconds` of it with an RMS of 1.
    public func samples(seconds: Double, seed: UInt64) -> [Float] {
        var noise = SeededNoise(seed: seed)
        let count = Int(seconds * Double(Self.rateHz))
        let raw: [Float]
        switch self {
        case .white: raw = (0..<count).map { _ in Float(noise.gaussian()) }
        case .pink: raw = Self.pink(count, &noise)
        case .speech: raw = Self.speech(count, &noise)
        case .music: raw = Self.music(count, &noise)
        case .television:
            let voice = AlarmSignals.normalised(Self.speech(count, &noise))
            let tune = AlarmSignals.normalised(Self.music(count, &noise))
            let share = Float(noise.uniform(0.2...1))
            raw = zip(voice, tune).map { $0 + share * $1 }
        case .vacuum: raw = Self.vacuum(count, &noise)
        case .shower: raw = Self.shower(count, &noise)
        }
        return AlarmSignals.normalised(raw)
    }

    private static func vacuum(_ count: Int, _ noise: inout SeededNoise) -> [Float] {
        let turns = noise.uniform(180...420)
        let blades = Double(5 + noise.next() % 8)
        let rush = AlarmSignals.normalised(pink(count, &noise))
        var phase = 0.0
        return (0..<count).map { i in
            phase += turns * (1 + 0.01 * Elementary.sin(2.1 * Double(i) / Double(rateHz))) / Double(rateHz)
            let hum = 0.5 * Elementary.sin(2 * .pi * phase) + 0.2 * Elementary.sin(4 * .pi * phase)
            return rush[i]
                + Float(hum + 0.25 * Elementary.sin(2 * .pi * blades * phase) + 0.4 * noise.gaussian())
        }
    }

    private static func shower(_ count: Int, _ noise: inout SeededNoise) -> [Float] {
        var low = 0.0
        let swell = noise.uniform(0.5...3)
        return (0..<count).map { i in
            let white = noise.gaussian()
            low += 0.1 * (white - low)
            let level = 1 + 0.3 * Elementary.sin(swell * Double(i) / Double(rateHz))
            return Float(level * (white - 0.8 * low))
        }
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

    /// A note of up to eight harmonics, the higher ones fading faster.
    static func addNote(
        _ output: inout [Float], at time: Double, seconds: Double, frequencyHz: Double, loud: Double,
        decay: Double
    ) {
        let rate = Double(rateHz)
        let start = Int(time * rate)
        let length = Int(seconds * rate)
        var harmonic = 1.0
        while harmonic <= 8, harmonic * frequencyHz < 9_000 {
            let step = 2 * Double.pi * harmonic * frequencyHz / rate
            // A rotating, shrinking pointer.
            let fade = Elementary.exp(-decay * (0.7 + 0.3 * harmonic) / rate)
            let (turnX, turnY) = (fade * Elementary.cos(step), fade * Elementary.sin(step))
            var (x, y) = (loud / harmonic, 0.0)
            for i in 0..<length where start + i < output.count {
                let edge = min(1, Double(min(i, length - i)) / (0.01 * rate))
                output[start + i] += Float(edge * y)
                (x, y) = (x * turnX - y * turnY, x * turnY + y * turnX)
            }
            harmonic += 1
        }
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
