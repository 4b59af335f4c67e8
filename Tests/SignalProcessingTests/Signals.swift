import Numerics

/// Test signals and measurements.
enum Signals {
    static func sine(
        _ frequencyHz: Double, rateHz: Int, count: Int, amplitude: Double = 1, phase: Double = 0
    ) -> [Float] {
        (0..<count).map {
            Float(amplitude * Elementary.sin(2 * .pi * frequencyHz * Double($0) / Double(rateHz) + phase))
        }
    }

    static func noise(count: Int, seed: UInt64, amplitude: Double = 0.1) -> [Float] {
        var generator = SeededNoise(seed: seed)
        return (0..<count).map { _ in Float(amplitude * generator.gaussian()) }
    }

    static func rms(_ samples: some Collection<Float>) -> Double {
        (samples.reduce(0.0) { $0 + Double($1) * Double($1) } / Double(max(1, samples.count))).squareRoot()
    }

    static func decibels(_ ratio: Double) -> Double { 20 * Elementary.log10(ratio) }

    /// Cuts at seeded places, with pieces of 0…`longest` samples.
    static func cut(_ samples: [Float], longest: Int, seed: UInt64, multipleOf unit: Int = 1) -> [[Float]] {
        var generator = SeededNoise(seed: seed)
        var pieces: [[Float]] = []
        var offset = 0
        while offset < samples.count {
            let wanted = Int(generator.next() % UInt64(longest / unit + 1)) * unit
            let n = min(samples.count - offset, wanted)
            pieces.append(Array(samples[offset..<(offset + n)]))
            offset += n
        }
        return pieces
    }
}
