/// A small, fast, reproducible random generator (SplitMix64, Steele, Lea and Flood 2014) for signals and tests.
///
/// Not for secrets.
public struct SeededNoise: RandomNumberGenerator, Sendable {
    private var state: UInt64

    /// Equal seeds give equal sequences on every platform.
    public init(seed: UInt64) { state = seed }

    /// The next 64 random bits.
    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }

    /// Uniform in 0 ..< 1.
    public mutating func uniform() -> Double { Double(next() >> 11) * 0x1p-53 }

    /// Uniform in `range`.
    public mutating func uniform(_ range: ClosedRange<Double>) -> Double {
        range.lowerBound + (range.upperBound - range.lowerBound) * uniform()
    }

    /// Standard normal (sum of twelve uniforms: exact to about three standard deviations).
    public mutating func gaussian() -> Double {
        var sum = -6.0
        for _ in 0..<12 { sum += uniform() }
        return sum
    }
}
