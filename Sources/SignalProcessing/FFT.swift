// Memory kernel (`transform`). Invariant: `size` is fixed at creation, every table and scratch array has the length
// that its property states and never changes it, and every index is below that length for every power of two in range.
import Numerics

/// Fourier transform of a real signal whose length is a power of two, with its tables and scratch memory.
///
/// The even and odd samples form one complex signal of half the length (Press et al., Numerical Recipes, 12.3),
/// transformed by decimation in time: pairs of stages of length 1 and 2 at once, then radix 2, eight butterflies at a
/// time.
public struct FFT: Sendable {
    /// Length of the real signal.
    public let size: Int
    private let half: Int
    /// cos and sin of −2πk / size for k in 0 ..< half.
    private let cosines: [Float]
    private let sines: [Float]
    /// The same for one stage after the other, from blocks of 8 on: `length` values a stage, `half` in all.
    private let stageCosines: [Float]
    private let stageSines: [Float]
    /// Index of bit-reversed order, `half` of them.
    private let reversed: [Int32]
    /// `half` values.
    private var real: [Float]
    private var imaginary: [Float]

    /// Tables for `size` real samples. Traps unless `size` is a power of two, 4…65,536.
    public init(size: Int) {
        precondition(size >= 4 && size <= 65_536 && size & (size - 1) == 0, "not a power of two in 4...65536")
        self.size = size
        half = size / 2
        func table(_ f: (Double) -> Double) -> [Float] {
            (0..<(size / 2)).map { Float(f(-2 * Double.pi * Double($0) / Double(size))) }
        }
        let cosines = table(Elementary.cos)
        let sines = table(Elementary.sin)
        var stageCosines: [Float] = []
        var stageSines: [Float] = []
        var length = 4
        while length < half {
            for i in 0..<length {
                stageCosines.append(cosines[i * (half / length)])
                stageSines.append(sines[i * (half / length)])
            }
            length *= 2
        }
        self.cosines = cosines
        self.sines = sines
        self.stageCosines = stageCosines
        self.stageSines = stageSines
        let bits = half.trailingZeroBitCount
        reversed = (0..<half).map { index in
            var result = 0
            for bit in 0..<bits where index >> bit & 1 == 1 { result |= 1 << (bits - 1 - bit) }
            return Int32(result)
        }
        real = [Float](repeating: 0, count: half)
        imaginary = real
    }

    /// Power |X[k]|² for k in 0…size/2, written over `powers`. `input` holds `size` samples; fewer are padded
    /// with zeros. Bins above `lastBin` are left as they are.
    public mutating func powerSpectrum(
        _ input: [Float], into powers: inout [Float], through lastBin: Int = .max
    ) {
        transform(input)
        if powers.count != half + 1 { powers = [Float](repeating: 0, count: half + 1) }
        powers[0] = (real[0] + imaginary[0]) * (real[0] + imaginary[0])
        powers[half] = (real[0] - imaginary[0]) * (real[0] - imaginary[0])
        // Spans: no check of ownership at every store.
        let (re, im, c, s) = (real.span, imaginary.span, cosines.span, sines.span)
        var output = powers.mutableSpan
        for k in 1..<max(1, min(half - 1, lastBin) + 1) {
            let value = Self.bin(k, half &- k, re, im, c, s)
            output[k] = value.real * value.real + value.imaginary * value.imaginary
        }
    }

    /// Complex spectrum X[k] for k in 0…size/2, as two arrays. `input` as in ``powerSpectrum(_:into:)``.
    public mutating func spectrum(_ input: [Float]) -> (real: [Float], imaginary: [Float]) {
        transform(input)
        var re = [Float](repeating: 0, count: half + 1)
        var im = re
        re[0] = real[0] + imaginary[0]
        re[half] = real[0] - imaginary[0]
        for k in 1..<half {
            let value = Self.bin(k, half - k, real.span, imaginary.span, cosines.span, sines.span)
            re[k] = value.real
            im[k] = value.imaginary
        }
        return (re, im)
    }

    /// Separates bin k of the real signal from the packed transform; m = half − k.
    @inline(__always)
    private static func bin(
        _ k: Int, _ m: Int, _ real: Span<Float>, _ imaginary: Span<Float>, _ cosines: Span<Float>,
        _ sines: Span<Float>
    ) -> (real: Float, imaginary: Float) {
        let evenReal = 0.5 * (real[k] + real[m])
        let evenImaginary = 0.5 * (imaginary[k] - imaginary[m])
        let oddReal = 0.5 * (imaginary[k] + imaginary[m])
        let oddImaginary = -0.5 * (real[k] - real[m])
        let (c, s) = (cosines[k], sines[k])
        return (
            evenReal + c * oddReal - s * oddImaginary, evenImaginary + c * oddImaginary + s * oddReal
        )
    }

    /// Even samples to `real`, odd ones to `imaginary`, in bit-reversed order. Spans: no check of ownership a store.
    private static func load(
        _ input: [Float], _ order: [Int32], _ real: inout [Float], _ imaginary: inout [Float]
    ) {
        let samples = input.span
        var re = real.mutableSpan
        var im = imaginary.mutableSpan
        for i in order.indices {
            let j = 2 &* Int(order[i])
            re[i] = j < samples.count ? samples[j] : 0
            im[i] = j &+ 1 < samples.count ? samples[j &+ 1] : 0
        }
    }

    private mutating func transform(_ input: [Float]) {
        Self.load(input, reversed, &real, &imaginary)
        if half == 2 {
            (real[0], real[1]) = (real[0] + real[1], real[0] - real[1])
            (imaginary[0], imaginary[1]) = (imaginary[0] + imaginary[1], imaginary[0] - imaginary[1])
            return
        }
        let (half, cosines, sines) = (half, stageCosines, stageSines)
        unsafe real.withUnsafeMutableBufferPointer { realBuffer in
            unsafe imaginary.withUnsafeMutableBufferPointer { imaginaryBuffer in
                unsafe cosines.withUnsafeBufferPointer { cosineBuffer in
                    unsafe sines.withUnsafeBufferPointer { sineBuffer in
                        guard let re = realBuffer.baseAddress, let im = imaginaryBuffer.baseAddress else {
                            return
                        }
                        unsafe Self.firstStages(re, im, half)
                        guard let c = cosineBuffer.baseAddress, let s = sineBuffer.baseAddress else { return }
                        unsafe Self.laterStages(re, im, c, s, half)
                    }
                }
            }
        }
    }

    /// Blocks of two and of four: their factors are 1 and −i.
    private static func firstStages(
        _ re: UnsafeMutablePointer<Float>, _ im: UnsafeMutablePointer<Float>, _ half: Int
    ) {
        var i = 0
        while i < half {
            let (r0, r1) = unsafe (re[i] + re[i + 1], re[i] - re[i + 1])
            let (r2, r3) = unsafe (re[i + 2] + re[i + 3], re[i + 2] - re[i + 3])
            let (i0, i1) = unsafe (im[i] + im[i + 1], im[i] - im[i + 1])
            let (i2, i3) = unsafe (im[i + 2] + im[i + 3], im[i + 2] - im[i + 3])
            unsafe (re[i], re[i + 1], re[i + 2], re[i + 3]) = (r0 + r2, r1 + i3, r0 - r2, r1 - i3)
            unsafe (im[i], im[i + 1], im[i + 2], im[i + 3]) = (i0 + i2, i1 - r3, i0 - i2, i1 + r3)
            i &+= 4
        }
    }

    private static func laterStages(
        _ re: UnsafeMutablePointer<Float>, _ im: UnsafeMutablePointer<Float>, _ cosines: UnsafePointer<Float>,
        _ sines: UnsafePointer<Float>, _ half: Int
    ) {
        var length = 4
        var table = 0
        while length < half {
            var start = 0
            while start < half {
                if length == 4 {
                    unsafe butterflies(SIMD4<Float>.self, re + start, im + start, cosines, sines, length)
                } else {
                    unsafe butterflies(
                        SIMD8<Float>.self, re + start, im + start, cosines + table, sines + table, length)
                }
                start &+= 2 &* length
            }
            table &+= length
            length &*= 2
        }
    }

    @inline(__always)
    private static func butterflies<V: SIMD>(
        _: V.Type, _ re: UnsafeMutablePointer<Float>, _ im: UnsafeMutablePointer<Float>,
        _ cosines: UnsafePointer<Float>, _ sines: UnsafePointer<Float>, _ length: Int
    ) where V.Scalar == Float {
        let (upperRe, upperIm) = (UnsafeMutableRawPointer(re), UnsafeMutableRawPointer(im))
        let (lowerRe, lowerIm) = unsafe (upperRe + 4 &* length, upperIm + 4 &* length)
        let (cosine, sine) = unsafe (UnsafeRawPointer(cosines), UnsafeRawPointer(sines))
        var offset = 0
        while offset < 4 &* length {
            let c = unsafe cosine.loadUnaligned(fromByteOffset: offset, as: V.self)
            let s = unsafe sine.loadUnaligned(fromByteOffset: offset, as: V.self)
            let (a, b) = unsafe (
                upperRe.loadUnaligned(fromByteOffset: offset, as: V.self),
                upperIm.loadUnaligned(fromByteOffset: offset, as: V.self)
            )
            let (x, y) = unsafe (
                lowerRe.loadUnaligned(fromByteOffset: offset, as: V.self),
                lowerIm.loadUnaligned(fromByteOffset: offset, as: V.self)
            )
            let (turnedX, turnedY) = (x * c - y * s, x * s + y * c)
            unsafe upperRe.storeBytes(of: a + turnedX, toByteOffset: offset, as: V.self)
            unsafe upperIm.storeBytes(of: b + turnedY, toByteOffset: offset, as: V.self)
            unsafe lowerRe.storeBytes(of: a - turnedX, toByteOffset: offset, as: V.self)
            unsafe lowerIm.storeBytes(of: b - turnedY, toByteOffset: offset, as: V.self)
            offset &+= MemoryLayout<V>.size
        }
    }
}
