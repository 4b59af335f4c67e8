import Numerics

/// Fourier transform of a real signal whose length is a power of two, with its tables and scratch memory.
///
/// The even and odd samples form one complex signal of half the length (Press et al., Numerical Recipes, 12.3),
/// transformed by radix-2 decimation in time.
public struct FFT: Sendable {
    /// Length of the real signal.
    public let size: Int
    private let half: Int
    private let cosines: [Float]
    private let sines: [Float]
    private let reversed: [Int]
    private var real: [Float]
    private var imaginary: [Float]

    /// Tables for `size` real samples. Traps unless `size` is a power of two, 4…65,536.
    public init(size: Int) {
        precondition(size >= 4 && size <= 65_536 && size & (size - 1) == 0, "not a power of two in 4...65536")
        self.size = size
        half = size / 2
        var cosines = [Float](repeating: 0, count: half)
        var sines = cosines
        for k in 0..<half {
            let angle = -2 * Double.pi * Double(k) / Double(size)
            cosines[k] = Float(Elementary.cos(angle))
            sines[k] = Float(Elementary.sin(angle))
        }
        self.cosines = cosines
        self.sines = sines
        var reversed = [Int](repeating: 0, count: half)
        var j = 0
        for i in 1..<half {
            var bit = half >> 1
            while j & bit != 0 {
                j ^= bit
                bit >>= 1
            }
            j |= bit
            reversed[i] = j
        }
        self.reversed = reversed
        real = [Float](repeating: 0, count: half)
        imaginary = real
    }

    /// Power |X[k]|² for k in 0…size/2, written over `powers`. `input` holds `size` samples; fewer are padded
    /// with zeros.
    public mutating func powerSpectrum(_ input: [Float], into powers: inout [Float]) {
        transform(input)
        if powers.count != half + 1 { powers = [Float](repeating: 0, count: half + 1) }
        powers[0] = (real[0] + imaginary[0]) * (real[0] + imaginary[0])
        powers[half] = (real[0] - imaginary[0]) * (real[0] - imaginary[0])
        for k in 1..<half {
            let value = bin(k)
            powers[k] = value.real * value.real + value.imaginary * value.imaginary
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
            let value = bin(k)
            re[k] = value.real
            im[k] = value.imaginary
        }
        return (re, im)
    }

    /// Separates bin k of the real signal from the packed transform.
    private func bin(_ k: Int) -> (real: Float, imaginary: Float) {
        let m = half - k
        let evenReal = 0.5 * (real[k] + real[m])
        let evenImaginary = 0.5 * (imaginary[k] - imaginary[m])
        let oddReal = 0.5 * (imaginary[k] + imaginary[m])
        let oddImaginary = -0.5 * (real[k] - real[m])
        let c = cosines[k]
        let s = sines[k]
        return (
            evenReal + c * oddReal - s * oddImaginary, evenImaginary + c * oddImaginary + s * oddReal
        )
    }

    private mutating func transform(_ input: [Float]) {
        let count = min(input.count, size)
        for i in 0..<half {
            let j = 2 * reversed[i]
            real[i] = j < count ? input[j] : 0
            imaginary[i] = j + 1 < count ? input[j + 1] : 0
        }
        var length = 1
        var stride = size / 2
        while length < half {
            var start = 0
            while start < half {
                var twiddle = 0
                for i in start..<(start + length) {
                    let c = cosines[twiddle]
                    let s = sines[twiddle]
                    let j = i + length
                    let re = real[j] * c - imaginary[j] * s
                    let im = real[j] * s + imaginary[j] * c
                    real[j] = real[i] - re
                    imaginary[j] = imaginary[i] - im
                    real[i] += re
                    imaginary[i] += im
                    twiddle += stride
                }
                start += 2 * length
            }
            length *= 2
            stride /= 2
        }
    }
}
