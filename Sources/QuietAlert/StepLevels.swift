import Numerics

/// How loud one step is in octave bands: on the whole, and in its loudest instants.
///
/// The bands come from the Haar wavelet: differences of neighbouring samples hold the upper half of what is there, their
/// sums the lower, and so on. Bands leak into one another by their slopes of 6 dB an octave, which does no harm where only changes
/// are looked for, and the whole costs two additions a sample.
struct StepLevels: Equatable, Sendable {
    /// 5.5…11 kHz, five octaves below it down to 172 Hz, and what lies below.
    static let bands = 7
    /// Energies are added to this much a sample, −95 dBFS: rounding to 16 bits moves nothing.
    static let floor: Float = 3e-10
    /// Instants of which the loudest counts, by band: of 20 ms, longer in the lowest bands, where fewer samples say less.
    static let instants = [16, 16, 16, 16, 8, 4, 4]

    /// Mean energy by band, dBFS; the eighth lane is 0.
    private(set) var means = SIMD8<Float>.zero
    /// Energy of the loudest instant by band, dBFS; the eighth lane is 0.
    private(set) var peaks = SIMD8<Float>.zero

    /// Measures a step of any length from 1,024 samples on.
    init(_ samples: [Float]) {
        var low = samples
        var high: [Float] = []
        for band in 0..<(Self.bands - 1) {
            Self.split(&low, into: &high)
            note(high, band)
        }
        note(low, Self.bands - 1)
    }

    private mutating func note(_ samples: [Float], _ band: Int) {
        let count = max(1, samples.count / Self.instants[band])
        let samples = samples.span
        var (sum, most, instants) = (Float(0), Float(0), Float(0))
        var start = 0
        while start + count <= samples.count {
            var energy: Float = 0
            for i in start..<(start + count) { energy += samples[i] * samples[i] }
            sum += energy
            most = max(most, energy)
            instants += 1
            start += count
        }
        means[band] = Self.decibels(sum / max(1, instants * Float(count)))
        peaks[band] = Self.decibels(most / Float(count))
    }

    /// Half sums of neighbours stay in `signal`, half differences go to `high`.
    private static func split(_ signal: inout [Float], into high: inout [Float]) {
        let half = signal.count / 2
        high = [Float](repeating: 0, count: half)
        var low = signal.mutableSpan
        var differences = high.mutableSpan
        for i in 0..<half {
            let (a, b) = (low[2 * i], low[2 * i + 1])
            low[i] = (a + b) * 0.5
            differences[i] = (a - b) * 0.5
        }
        signal.removeLast(signal.count - half)
    }

    private static func decibels(_ energy: Float) -> Float {
        Decibels.fromPower(Double(energy + floor))
    }
}
