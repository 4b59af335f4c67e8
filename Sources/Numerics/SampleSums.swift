/// What a run of samples comes to.
public struct SampleSums: Equatable, Sendable {
    /// Σ x.
    public var sum = 0.0
    /// Σ x².
    public var squares = 0.0
    /// Largest magnitude.
    public var peak: Float = 0
    /// Samples whose magnitude is at least that of full scale.
    public var clipped = 0

    /// Nothing yet.
    public init() {}

    /// Adds samples whose full scale is `fullScale`, eight at a time; NaN counts as nothing but makes the sums NaN.
    public mutating func add(_ samples: Span<Float>, fullScale: Float) {
        var (sums, squares) = (SIMD8<Double>.zero, SIMD8<Double>.zero)
        var peaks = SIMD8<Float>.zero
        var counts = SIMD8<Int32>.zero
        let full = SIMD8<Float>(repeating: fullScale)
        let whole = samples.count & ~7
        var index = 0
        while index < whole {
            let x = FloatKernels.eight(samples, at: index)
            let wide = SIMD8<Double>(x)
            sums += wide
            squares += wide * wide
            let magnitude = x.replacing(with: -x, where: x .< 0)
            peaks.replace(with: magnitude, where: magnitude .> peaks)
            counts.replace(with: counts &+ 1, where: magnitude .>= full)
            index &+= 8
        }
        sum += sums.sum()
        self.squares += squares.sum()
        peak = max(peak, peaks.max())
        clipped += Int(counts.wrappedSum())
        while index < samples.count {
            add(samples[index], fullScale: fullScale)
            index += 1
        }
    }

    /// Adds one sample.
    public mutating func add(_ x: Float, fullScale: Float) {
        sum += Double(x)
        squares += Double(x) * Double(x)
        peak = max(peak, abs(x))
        if abs(x) >= fullScale { clipped += 1 }
    }
}
