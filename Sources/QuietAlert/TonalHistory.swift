import Numerics

/// The last twelve seconds of tone levels in the bands where alarms sound, one value every 11.6 ms.
///
/// A channel is one bin of a 512-point spectrum at 22,050 Hz (43 Hz) and holds the largest of three neighbouring bins,
/// so that a tone may drift a little. For each frame it keeps the level in half decibels from −120 dBFS, lowered where
/// the bin does not stand out from its surroundings, and that prominence in quarter decibels. Memory: 2 × 58 KB.
struct TonalHistory: Sendable {
    /// Samples of one spectrum, and the move from one to the next.
    static let frameSamples = 512
    static let hopSamples = 256
    static let framesPerSecond = 22_050.0 / 256
    static let binHz = 22_050.0 / 512
    /// Frames kept: a power of two, 11.9 s.
    static let capacity = 1_024
    /// Stands for a frame that was never received.
    static let unknown: UInt8 = 255

    /// 520 Hz ± 10 %, its third harmonic, and 2.2…4.2 kHz.
    static let bins: [Int] = Array(11...13) + Array(33...40) + Array(51...97)

    /// Frames so far.
    private(set) var frameCount = 0
    private var levels = [UInt8](repeating: unknown, count: bins.count * capacity)
    private var prominences = [UInt8](repeating: 0, count: bins.count * capacity)
    private var decibels = [Float](repeating: 0, count: 108)

    /// Adds the power spectrum `[257]` of one frame.
    mutating func append(powers: [Float]) {
        for bin in 1..<decibels.count {
            decibels[bin] = Float(10 * Elementary.log10(Double(powers[bin]) + 1e-13))
        }
        let slot = frameCount & (Self.capacity - 1)
        for (channel, bin) in Self.bins.enumerated() {
            let level = max(decibels[bin - 1], max(decibels[bin], decibels[bin + 1]))
            var below: Float = 0
            var above: Float = 0
            for distance in 4...9 {
                below += decibels[max(1, bin - distance)]
                above += decibels[bin + distance]
            }
            // The quieter side: a second tone on one side must not hide this one.
            let prominence = level - min(below, above) / 6
            let dent = max(0, min(6, 8 - prominence))
            let index = channel * Self.capacity + slot
            levels[index] = UInt8(max(0, min(254, (level - dent + 120) * 2)))
            prominences[index] = UInt8(max(0, min(255, prominence * 4)))
        }
        frameCount += 1
    }

    /// Adds a frame of which nothing is known.
    mutating func appendUnknown() {
        let slot = frameCount & (Self.capacity - 1)
        for channel in Self.bins.indices { levels[channel * Self.capacity + slot] = Self.unknown }
        frameCount += 1
    }

    /// Mean level in dBFS over frames from ..< to, each counted as at least `floor`; nil unless three quarters of
    /// them are known.
    func level(_ channel: Int, _ from: Int, _ to: Int, floor: Float = -120) -> Float? {
        guard from >= 0, to > from, to <= frameCount, frameCount - from <= Self.capacity else { return nil }
        let base = channel * Self.capacity
        let low = Int32(max(0, (floor + 120) * 2))
        var sum: Int32 = 0
        var known: Int32 = 0
        for frame in from..<to {
            let value = levels[base + (frame & (Self.capacity - 1))]
            if value == Self.unknown { continue }
            sum += max(low, Int32(value))
            known += 1
        }
        guard Int(known) * 4 >= (to - from) * 3 else { return nil }
        return Float(sum) / (2 * Float(known)) - 120
    }

    /// Standard deviation of the level in dB over frames from ..< to, all known.
    func unsteadiness(_ channel: Int, _ from: Int, _ to: Int) -> Float {
        guard let mean = level(channel, from, to) else { return 0 }
        let base = channel * Self.capacity
        var sum: Float = 0
        for frame in from..<to {
            let value = levels[base + (frame & (Self.capacity - 1))]
            if value == Self.unknown { continue }
            let deviation = Float(value) / 2 - 120 - mean
            sum += deviation * deviation
        }
        return (sum / Float(to - from)).squareRoot()
    }

    /// Mean prominence in dB over frames from ..< to.
    func prominence(_ channel: Int, _ from: Int, _ to: Int) -> Float {
        guard from >= 0, to > from, to <= frameCount, frameCount - from <= Self.capacity else { return 0 }
        let base = channel * Self.capacity
        var sum: Int32 = 0
        for frame in from..<to { sum += Int32(prominences[base + (frame & (Self.capacity - 1))]) }
        return Float(sum) / (4 * Float(to - from))
    }
}
