import Numerics

/// Power of one frequency in a block of samples, without a whole transform (Goertzel 1958).
public struct Goertzel: Sendable {
    private let coefficient: Double

    /// A detector of `frequencyHz` at a sample rate.
    public init(frequencyHz: Double, sampleRateHz: Int) {
        coefficient = 2 * Elementary.cos(2 * .pi * frequencyHz / Double(max(1, sampleRateHz)))
    }

    /// Squared amplitude of the frequency: 1 for a sine of amplitude 1 that fits the block a whole number of times.
    public func power(_ samples: [Float]) -> Double {
        guard !samples.isEmpty else { return 0 }
        var s1 = 0.0
        var s2 = 0.0
        for x in samples {
            let s0 = Double(x) + coefficient * s1 - s2
            s2 = s1
            s1 = s0
        }
        let scale = 2 / Double(samples.count)
        return max(0, s1 * s1 + s2 * s2 - coefficient * s1 * s2) * scale * scale
    }
}
