import Numerics

/// Filter table of a resampler: immutable, shared by every stream of the same two rates.
///
/// A Kaiser-windowed sinc (Oppenheim and Schafer, Discrete-Time Signal Processing, section 7.5): pass-band to 0.9 of
/// the lower Nyquist frequency, stop-band of 80 dB from that frequency on. Each phase is scaled to a sum of 1, so DC
/// passes exactly. The prototype is symmetric about the output instant: output sample n stands for the input instant
/// n × inputRate / outputRate exactly, at every frequency.
///
/// Building one costs some milliseconds (one kernel value per tap and phase); copying one is free.
public struct ResamplerDesign: Sendable {
    /// Phases above which neighbouring phases are interpolated instead of tabulated; at 512 the interpolation
    /// error lies near −100 dB, below the stop-band.
    static let maxTabulatedPhases = 512
    static let stopBandDecibels = 80.0

    /// Samples per second in.
    public let inputRateHz: Int
    /// Samples per second out.
    public let outputRateHz: Int
    /// Input samples that the result lags behind what was pushed: half of the filter.
    public let latencyInputSamples: Int

    let up: Int
    let down: Int
    let taps: Int
    let phases: Int
    let interpolates: Bool
    let table: [Float]

    /// The table for a pair of rates, each in 8,000…192,000 Hz.
    public init(inputRateHz: Int, outputRateHz: Int) throws(AudioError) {
        let accepted = AudioLimits.minSampleRateHz...AudioLimits.maxSampleRateHz
        guard accepted.contains(inputRateHz) else {
            throw .sampleRateOutOfRange(gotHz: UInt64(max(0, inputRateHz)))
        }
        guard accepted.contains(outputRateHz) else {
            throw .outputRateOutOfRange(gotHz: UInt64(max(0, outputRateHz)))
        }
        self.inputRateHz = inputRateHz
        self.outputRateHz = outputRateHz
        let divisor = Self.greatestCommonDivisor(inputRateHz, outputRateHz)
        up = outputRateHz / divisor
        down = inputRateHz / divisor
        guard inputRateHz != outputRateHz else {
            taps = 1
            phases = 1
            interpolates = false
            table = [1]
            latencyInputSamples = 0
            return
        }
        // Width and cutoff in cycles per input sample.
        let nyquist = 0.5 * Double(min(inputRateHz, outputRateHz)) / Double(inputRateHz)
        let transition = 0.1 * nyquist
        let length = (Self.stopBandDecibels - 8) / (2.285 * 2 * .pi * transition)
        taps = (Int(length.rounded(.up)) + 15) & ~15
        interpolates = up > Self.maxTabulatedPhases
        phases = interpolates ? Self.maxTabulatedPhases : up
        latencyInputSamples = taps / 2
        table = Self.makeTable(
            taps: taps, phases: phases, extraPhase: interpolates, cutoff: 0.95 * nyquist)
    }

    private static func makeTable(taps: Int, phases: Int, extraPhase: Bool, cutoff: Double) -> [Float] {
        let half = taps / 2
        let beta = 0.1102 * (stopBandDecibels - 8.7)
        let windowScale = 1 / besselI0(beta)
        var table: [Float] = []
        table.reserveCapacity((phases + 1) * taps)
        var row = [Double](repeating: 0, count: taps)
        for phase in 0..<(phases + (extraPhase ? 1 : 0)) {
            let fraction = Double(phase) / Double(phases)
            var sum = 0.0
            for tap in 0..<taps {
                let t = Double(tap - half + 1) - fraction
                let edge = t / Double(half)
                guard abs(edge) < 1 else {
                    row[tap] = 0
                    continue
                }
                let angle = 2 * Double.pi * cutoff * t
                let sinc = abs(angle) < 1e-9 ? 1 : Elementary.sin(angle) / angle
                row[tap] = sinc * besselI0(beta * (1 - edge * edge).squareRoot()) * windowScale
                sum += row[tap]
            }
            for tap in 0..<taps { table.append(Float(row[tap] / sum)) }
        }
        return table
    }

    /// Modified Bessel function of the first kind, order 0, by its power series.
    private static func besselI0(_ x: Double) -> Double {
        let quarter = x * x / 4
        var term = 1.0
        var sum = 1.0
        var k = 1.0
        while term > sum * 1e-9 {
            term *= quarter / (k * k)
            sum += term
            k += 1
        }
        return sum
    }

    private static func greatestCommonDivisor(_ a: Int, _ b: Int) -> Int {
        var (a, b) = (a, b)
        while b != 0 { (a, b) = (b, a % b) }
        return a
    }
}
