/// Tones below those of sounders, of which theirs might be overtones.
extension TonalHistory {
    /// An eighth of 2.2 kHz up to a half of 4.1 kHz.
    static let lowBins = 6..<49

    static func writeLow(_ decibels: [Float], slot: Int, _ lowRing: inout [UInt8]) {
        let decibels = decibels.span
        var low = lowRing.mutableSpan
        var index = slot * lowBins.count
        for bin in lowBins {
            low[index] = UInt8(max(0, min(254, (decibels[bin] + 120) * 2)))
            index += 1
        }
    }

    /// Whether a lower tone beats along with the `pulses` of a tone at `frequencyBins` and `levelDBFS`, and is quiet in
    /// the `pause`. Then that tone is an overtone: of a chime, say. A piezo has none below its own; what has an odd part
    /// of it at 520 Hz may be a sounder of that kind.
    func hasToneBelow(
        _ frequencyBins: Float, levelDBFS: Float, pulses: [(Int, Int)], pause: (Int, Int)
    ) -> Bool {
        var loudest: (level: Float, hz: Double, isOdd: Bool)?
        for divisor in 2...8 {
            let below = frequencyBins / Float(divisor)
            let bin = Int(below.rounded())
            guard Self.lowBins.contains(bin), let quiet = lowLevel(bin, pause) else { continue }
            let levels = pulses.map { lowLevel(bin, $0) ?? -200 }
            guard let level = levels.min(), level >= max(levelDBFS - 6, quiet + 8) else { continue }
            // A tone reaches into bins beside its own: the loudest is it.
            if level > loudest?.level ?? -200 {
                loudest = (level, Double(below) * Self.binHz, divisor % 2 == 1)
            }
        }
        guard let loudest else { return false }
        return !(loudest.isOdd && Sounder.bands[0].contains(loudest.hz))
    }

    /// Mean level in frames from ..< to; nil unless all are kept and known.
    private func lowLevel(_ bin: Int, _ frames: (Int, Int)) -> Float? {
        guard frames.0 >= 0, frames.1 > frames.0, frames.1 <= frameCount,
            frameCount - frames.0 <= Self.edgeCapacity
        else { return nil }
        var sum = 0
        for frame in frames.0..<frames.1 {
            let slot = frame & (Self.edgeCapacity - 1)
            let value = lowLevels[slot * Self.lowBins.count + bin - Self.lowBins.lowerBound]
            if value == Self.unknown { return nil }
            sum += Int(value)
        }
        return Float(sum) / (2 * Float(frames.1 - frames.0)) - 120
    }
}
