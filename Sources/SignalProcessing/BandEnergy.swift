import Numerics

/// Short-time power spectrum of a stream: a Hann window of a power of two, moved by a fixed hop.
///
/// Frame f covers samples f × hop ..< f × hop + size. Powers are scaled so that a sine of amplitude 1 at the centre
/// of a bin reads 1 there. Independent of how the stream is cut into chunks.
public struct ShortTimeSpectrum: Sendable {
    /// Samples of one frame.
    public let size: Int
    /// Samples between two frames.
    public let hopSamples: Int
    /// Frames so far.
    public private(set) var frameCount: UInt64 = 0
    /// Bins that are computed: 0…lastBin.
    public let lastBin: Int
    private let window: [Float]
    private var fft: FFT
    private var pending: [Float] = []
    private var start = 0
    private var windowed: [Float]
    private var powers: [Float] = []

    /// Frames of `size` (a power of two, 4…65,536) every `hopSamples` (1…size), of which bins above `lastBin` are
    /// not wanted.
    public init(size: Int, hopSamples: Int, lastBin: Int = .max) {
        self.size = size
        self.lastBin = max(0, min(size / 2, lastBin))
        self.hopSamples = min(max(1, hopSamples), size)
        fft = FFT(size: size)
        // The amplitude gain of a Hann window is size / 2, and a real sine has half its amplitude at +f: so 4 / size.
        let scale = 4 / Double(size)
        window = (0..<size).map {
            Float(scale * (0.5 - 0.5 * Elementary.cos(2 * .pi * Double($0) / Double(size))))
        }
        windowed = [Float](repeating: 0, count: size)
    }

    /// Adds samples; the frames they complete are then taken with ``next()``.
    public mutating func append(_ samples: [Float]) {
        pending.removeFirst(min(start, pending.count))
        start = 0
        pending.append(contentsOf: samples)
    }

    /// Powers `[size / 2 + 1]` (those above `lastBin` mean nothing) of the next complete frame, or nil if more samples are needed.
    public mutating func next() -> [Float]? {
        guard start + size <= pending.count else { return nil }
        Self.multiply(pending, from: start, window, into: &windowed)
        start += hopSamples
        frameCount += 1
        fft.powerSpectrum(windowed, into: &powers, through: lastBin)
        return powers
    }
}

extension ShortTimeSpectrum {
    private static func multiply(
        _ samples: [Float], from start: Int, _ window: [Float], into product: inout [Float]
    ) {
        let (samples, window) = (samples.span, window.span)
        var output = product.mutableSpan
        for i in 0..<output.count { output[i] = samples[start + i] * window[i] }
    }
}

/// Sums of a power spectrum over bands of frequency.
public struct BandEnergy: Sendable {
    /// First and last bin of each band.
    public let bins: [ClosedRange<Int>]

    /// Bands as frequency ranges in Hz, rounded to the bins whose centre they hold (at least one each).
    public init(bandsHz: [ClosedRange<Double>], size: Int, sampleRateHz: Int) {
        let width = Double(sampleRateHz) / Double(max(1, size))
        bins = bandsHz.map { band in
            let top = size / 2
            let low = min(top, max(0, Int((band.lowerBound / width).rounded(.up))))
            let high = min(top, max(low, Int((band.upperBound / width).rounded(.down))))
            return low...high
        }
    }

    /// Energy of each band; bins beyond the spectrum count nothing.
    public func energies(of powers: [Float]) -> [Float] {
        bins.map { range in
            var sum: Float = 0
            for bin in range where bin < powers.count { sum += powers[bin] }
            return sum
        }
    }
}
