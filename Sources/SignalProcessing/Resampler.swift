import Numerics

/// Streaming rate converter over a ``ResamplerDesign``; the result does not depend on how the input is cut.
///
/// Output sample n stands for input instant n × inputRate / outputRate: the filter adds latency
/// (``ResamplerDesign/latencyInputSamples``) but shifts nothing in time. Before its first sample the input counts
/// as zero.
public struct Resampler: Sendable {
    /// Table in use.
    public let design: ResamplerDesign
    /// Input samples pushed so far.
    public private(set) var inputCount: UInt64 = 0
    /// Output samples returned so far.
    public private(set) var outputCount: UInt64 = 0

    /// Input not yet passed by the filter; starts with half a filter of zeros.
    private var pending: [Float]
    /// First tap of the next output in `pending`.
    private var position = 0
    /// Numerator of the next output's fraction of an input sample, 0 ..< design.up.
    private var phase = 0
    private var fadeInRemaining = 0

    /// Samples over which a stream that follows another fades in, and a cut one fades out: 3 ms at 22,050 Hz.
    static let fadeSamples = 64

    /// A converter at the start of a stream. With `fadesIn`, its first 64 output samples rise along a half cosine, so
    /// that a format change in mid-sound makes no click.
    public init(design: ResamplerDesign, fadesIn: Bool = false) {
        self.design = design
        pending = [Float](repeating: 0, count: max(0, design.taps / 2 - 1))
        fadeInRemaining = fadesIn ? Self.fadeSamples : 0
    }

    /// Converts what can be converted now.
    public mutating func process(_ input: [Float]) -> [Float] {
        inputCount += UInt64(input.count)
        if design.up == design.down {
            outputCount += UInt64(input.count)
            return fadedIn(input)
        }
        pending.append(contentsOf: input)
        let produced = drain()
        return fadedIn(produced)
    }

    /// Ends the stream: the output up to the last input instant. Beyond its end the input is continued by odd
    /// reflection about its last sample; with `fadesOut` the rest falls to zero along a half cosine, for a format
    /// change. The converter must not be used afterwards.
    public mutating func finish(fadesOut: Bool = false) -> [Float] {
        guard design.up != design.down else { return [] }
        let total =
            (inputCount * UInt64(design.outputRateHz) + UInt64(design.inputRateHz) - 1)
            / UInt64(design.inputRateHz)
        let last = pending.last ?? 0
        let end = pending.count
        for offset in 1...max(1, design.taps / 2 + 1) {
            let mirrored = end - 1 - offset
            pending.append(2 * last - (mirrored >= 0 ? pending[mirrored] : 0))
        }
        let before = outputCount
        var tail = drain()
        let wanted = Int(total - before)
        if tail.count > wanted {
            tail.removeLast(tail.count - wanted)
            outputCount = total
        }
        tail = fadedIn(tail)
        if fadesOut {
            let length = min(tail.count, Self.fadeSamples)
            for i in 0..<length {
                tail[tail.count - length + i] *= Self.halfCosine(Double(length - i) / Double(length + 1))
            }
        }
        return tail
    }

    private mutating func drain() -> [Float] {
        guard pending.count >= design.taps else { return [] }
        var output: [Float] = []
        output.reserveCapacity((pending.count - position) * design.up / design.down + 2)
        (position, phase) = convert(into: &output)
        let passed = min(position, pending.count)
        pending.removeFirst(passed)
        position -= passed
        outputCount += UInt64(output.count)
        return output
    }

    /// Appends every output whose taps are all there; returns the position and phase after them.
    private func convert(into output: inout [Float]) -> (position: Int, phase: Int) {
        let taps = design.taps
        let table = design.table.span
        let input = pending.span
        let wholeStep = design.down / design.up
        let phaseStep = design.down % design.up
        var position = position
        var phase = phase
        while position <= input.count - taps {
            if design.interpolates {
                let exact = Double(phase) * Double(design.phases) / Double(design.up)
                let row = Int(exact)
                let weight = Float(exact - Double(row))
                let a = FloatKernels.dot(input, at: position, table, at: row * taps, count: taps)
                let b = FloatKernels.dot(input, at: position, table, at: (row + 1) * taps, count: taps)
                output.append(a + (b - a) * weight)
            } else {
                output.append(
                    FloatKernels.dot(input, at: position, table, at: phase * taps, count: taps))
            }
            position += wholeStep
            phase += phaseStep
            if phase >= design.up {
                phase -= design.up
                position += 1
            }
        }
        return (position, phase)
    }

    private mutating func fadedIn(_ samples: [Float]) -> [Float] {
        guard fadeInRemaining > 0, !samples.isEmpty else { return samples }
        var samples = samples
        for i in samples.indices where fadeInRemaining > 0 {
            let done = Self.fadeSamples - fadeInRemaining + 1
            samples[i] *= Self.halfCosine(Double(done) / Double(Self.fadeSamples + 1))
            fadeInRemaining -= 1
        }
        return samples
    }

    /// Rises from 0 to 1 as `x` does.
    private static func halfCosine(_ x: Double) -> Float {
        Float(0.5 - 0.5 * Elementary.cos(.pi * x))
    }
}
