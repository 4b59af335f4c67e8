import Numerics

/// The last ten seconds of tone levels in the bands where alarms sound, one value every 20 ms.
///
/// A channel is one bin of a 512-point spectrum at 22,050 Hz (43 Hz) and holds the largest of three neighbouring bins,
/// so that a tone may drift a little. For each frame it keeps the level in half decibels from −120 dBFS, lowered where
/// the bin does not stand out from its surroundings; that prominence in decibels, 0…15; and where the tone lies within
/// the three bins. Frames in which a tone begins are noted as they come. Memory: 2 × 30 KB, and 8 KB.
struct TonalHistory: Sendable {
    /// Samples of one spectrum, and the move from one to the next.
    static let frameSamples = 512
    static let hopSamples = 441
    static let framesPerSecond = 50.0
    static let binHz = 22_050.0 / 512
    /// Frames kept: a power of two, 10.2 s.
    static let capacity = 512
    /// Stands for a frame that was never received.
    static let unknown: UInt8 = 255
    /// Prominence, dB, from which a frame counts as a tone; noise has 5 on average.
    static let tonal: Float = 7

    /// Frames in a time.
    static func frames(_ seconds: Double) -> Int { Int(seconds * framesPerSecond) }

    /// 520 Hz ± 10 %, its third harmonic, and 2.2…4.2 kHz.
    static let bins: [Int] = Array(11...13) + Array(33...40) + Array(51...97)
    /// Whether a channel is that of the third harmonic of 520 Hz.
    static func isThirdHarmonic(_ channel: Int) -> Bool { channel >= 3 && channel < 11 }
    /// Whether a channel is one of 2.2…4.2 kHz.
    static func isPiezo(_ channel: Int) -> Bool { channel >= 11 }
    /// Bins of the spectrum that are looked at: nine beyond the channels' at each side.
    static let lastBin = 97 + 9
    /// Least rise of the level at the beginning of a tone, half decibels summed over two frames.
    private static let minRise: Int16 = 16
    /// Half decibels below the next frame from which a frame is before the tone's beginning.
    private static let tipStep: Int16 = 12
    static let edgeCapacity = 128

    /// Frames so far.
    private(set) var frameCount = 0
    private(set) var levels = [UInt8](repeating: unknown, count: bins.count * capacity)
    /// Prominence in the upper half, place of the tone in the lower.
    private(set) var tones = [UInt8](repeating: 8, count: bins.count * capacity)
    /// Levels of the bins of ``lowBins`` in half decibels, for as long as a group of four lasts; see ``hasToneBelow``.
    var lowLevels = [UInt8](repeating: unknown, count: lowBins.count * edgeCapacity)
    private var decibels = [Float](repeating: 0, count: lastBin + 1)
    /// Sums of `decibels` below each bin.
    private var sums = [Float](repeating: 0, count: lastBin + 2)
    private var rises = [Int16](repeating: 0, count: bins.count)
    private var earlierRises = [Int16](repeating: 0, count: bins.count)
    /// Channels whose tone began a frame later than it rose most.
    private var lateEdges: UInt64 = 0
    /// A bit for each channel whose tone began in that frame.
    private var edges = [UInt64](repeating: 0, count: edgeCapacity)

    /// Adds the power spectrum `[257]` of one frame.
    mutating func append(powers: [Float]) {
        Self.analyse(powers, &decibels, &sums)
        Self.write(decibels, sums, slot: frameCount & (Self.capacity - 1), &levels, &tones)
        Self.writeLow(decibels, slot: frameCount & (Self.edgeCapacity - 1), &lowLevels)
        frameCount += 1
        noteEdges()
    }

    /// Adds a frame of which nothing is known.
    mutating func appendUnknown() {
        let slot = frameCount & (Self.capacity - 1)
        for channel in Self.bins.indices { levels[channel * Self.capacity + slot] = Self.unknown }
        let lowSlot = (frameCount & (Self.edgeCapacity - 1)) * Self.lowBins.count
        for bin in Self.lowBins.indices { lowLevels[lowSlot + bin - Self.lowBins.lowerBound] = Self.unknown }
        frameCount += 1
        noteEdges()
    }

    /// Levels of the bins, and their sums. Static, with spans: no check of ownership at every store.
    private static func analyse(_ powers: [Float], _ decibels: inout [Float], _ sums: inout [Float]) {
        let powers = powers.span
        var levels = decibels.mutableSpan
        var below = sums.mutableSpan
        var sum: Float = 0
        for bin in 1...lastBin {
            let value = Self.decibels(powers[bin] + 1e-13)
            levels[bin] = value
            below[bin] = sum
            sum += value
        }
        below[lastBin + 1] = sum
    }

    private static func write(
        _ decibels: [Float], _ sums: [Float], slot: Int, _ levelRing: inout [UInt8], _ toneRing: inout [UInt8]
    ) {
        let (decibels, sums) = (decibels.span, sums.span)
        var levels = levelRing.mutableSpan
        var tones = toneRing.mutableSpan
        var index = slot
        for bin in bins {
            let (left, centre, right) = (decibels[bin - 1], decibels[bin], decibels[bin + 1])
            let level = max(left, max(centre, right))
            // The quieter side: a second tone on one side must not hide this one.
            let below = sums[bin - 3] - sums[bin - 9]
            let above = sums[bin + 10] - sums[bin + 4]
            let prominence = level - min(below, above) / 6
            let dent = max(0, min(6, 8 - prominence))
            levels[index] = UInt8(max(0, min(254, (level - dent + 120) * 2)))
            let place = prominence < 4 ? 0 : Self.place(decibels, bin, left, centre, right)
            tones[index] = UInt8(max(0, min(15, prominence))) << 4 | UInt8(max(0, min(15, place * 5 + 8)))
            index += capacity
        }
    }

    /// Where a tone lies, in bins from the centre, by a parabola through the largest bin and its neighbours.
    private static func place(
        _ decibels: Span<Float>, _ bin: Int, _ left: Float, _ centre: Float, _ right: Float
    ) -> Float {
        let shift = left > centre && left >= right ? -1 : right > centre ? 1 : 0
        let (a, b, c) = (
            decibels[bin + shift - 1], decibels[bin + shift], decibels[bin + shift + 1]
        )
        let curvature = a - 2 * b + c
        return Float(shift) + (curvature < -0.1 ? max(-0.5, min(0.5, 0.5 * (a - c) / curvature)) : 0)
    }

    /// 10 log₁₀ of a positive, normal number, within 0.001: the exponent, and a polynomial for the mantissa.
    private static func decibels(_ power: Float) -> Float {
        let bits = power.bitPattern
        let exponent = Float(Int32(bits >> 23) - 127)
        let m = Float(bitPattern: bits & 0x7F_FFFF | 0x3F80_0000)
        let log2 =
            exponent - 2.786_813
            + m * (5.046_876 + m * (-3.492_494_3 + m * (1.593_913_6 + m * (-0.404_867_3 + m * 0.043_428_4))))
        return 3.010_3 * log2
    }
}

// MARK: Beginnings of tones

extension TonalHistory {
    /// Frames from a beginning until it can be known.
    static let edgeDelay = 3

    /// Looks whether a tone began three frames ago: where two frames exceed the two around them most.
    private mutating func noteEdges() {
        let frame = frameCount - 1 - Self.edgeDelay
        guard frame >= 3 else { return }
        var mask = lateEdges
        lateEdges = 0
        let (a, b) = ((frame - 1) & (Self.capacity - 1), frame & (Self.capacity - 1))
        let (c, d) = ((frame + 2) & (Self.capacity - 1), (frame + 3) & (Self.capacity - 1))
        let tone = (frame + 1) & (Self.capacity - 1)
        for channel in Self.bins.indices {
            let base = channel * Self.capacity
            // The rise of the next frame; that of `frame` came before.
            let values = (levels[base + a], levels[base + b], levels[base + c], levels[base + d])
            var rise = Int16(values.2) + Int16(values.3) - Int16(values.0) - Int16(values.1)
            if values.0 == Self.unknown || values.1 == Self.unknown || values.2 == Self.unknown
                || values.3 == Self.unknown
            {
                rise = 0
            }
            let here = rises[channel]
            if here >= Self.minRise, here >= earlierRises[channel], here > rise,
                Int(tones[base + tone] >> 4) + Int(tones[base + c] >> 4) >= 10
            {
                // The spectrum in between may hold no more than the tip of the tone. Notes below 2 kHz begin slowly.
                if Self.isPiezo(channel), Int16(levels[base + tone]) + Self.tipStep < Int16(values.2) {
                    lateEdges |= 1 << UInt64(channel)
                } else {
                    mask |= 1 << UInt64(channel)
                }
            }
            earlierRises[channel] = here
            rises[channel] = rise
        }
        edges[frame & (Self.edgeCapacity - 1)] = mask
    }

    /// Channels in which a tone began in `frame`, as bits.
    func edges(at frame: Int) -> UInt64 {
        guard frame >= 0, frame < frameCount - Self.edgeDelay, frameCount - frame < Self.edgeCapacity else {
            return 0
        }
        return edges[frame & (Self.edgeCapacity - 1)]
    }
}
