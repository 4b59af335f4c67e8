/// What the past frames held.
extension TonalHistory {
    /// The oldest frame that is kept.
    var firstFrame: Int { max(0, frameCount - Self.capacity) }

    /// Whether frames from ..< to are kept.
    private func holds(_ from: Int, _ to: Int) -> Bool {
        from >= 0 && to > from && to <= frameCount && frameCount - from <= Self.capacity
    }

    /// Level of one frame in dBFS, if it is known.
    func level(_ channel: Int, atFrame frame: Int) -> Float? {
        guard holds(frame, frame + 1) else { return nil }
        let value = levels[channel * Self.capacity + (frame & (Self.capacity - 1))]
        return value == Self.unknown ? nil : Float(value) / 2 - 120
    }

    /// Mean level in dBFS over frames from ..< to, each counted as at least `floor`; nil unless three quarters of
    /// them are known.
    func level(_ channel: Int, _ from: Int, _ to: Int, floor: Float = -120) -> Float? {
        guard holds(from, to) else { return nil }
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

    /// Loudest frame of from ..< to in dBFS; nil unless all are known.
    func peak(_ channel: Int, _ from: Int, _ to: Int) -> Float? {
        guard holds(from, to) else { return nil }
        let base = channel * Self.capacity
        var highest: UInt8 = 0
        for frame in from..<to { highest = max(highest, levels[base + (frame & (Self.capacity - 1))]) }
        return highest == Self.unknown ? nil : Float(highest) / 2 - 120
    }

    /// What frames from ..< to hold, measured against a pulse and its pauses.
    struct Census: Sendable {
        /// Frames with a tone of the pulse's level.
        var on = 0
        /// Frames that are clearly quieter, or have no tone.
        var off = 0
        /// Frames that are unknown, or so loud and noisy that a tone would not show.
        var masked = 0
        var all = 0
        /// Mean prominence of the `on` frames in dB, and their mean place in bins and its change from the first half
        /// to the second.
        var prominence: Float = 0
        var place: Float = 0
        var glide: Float = 0
        /// Standard deviation of their level in dB, and the change of its mean from the first half to the second.
        var unsteadiness: Float = 0
        var slope: Float = 0
    }

    /// Counts frames: `pulse` is the level of a pulse in dBFS, `spread` how far a frame of it may be off, `quiet` the
    /// level below which a frame is a pause; `isPause` where silence is expected.
    func census(
        _ channel: Int, _ from: Int, _ to: Int, pulse: Float, spread: Float, quiet: Float,
        isPause: Bool = false
    ) -> Census {
        var census = Census()
        census.all = to - from
        guard holds(from, to) else {
            census.masked = census.all
            return census
        }
        let base = channel * Self.capacity
        let middle = (from + to) / 2
        var (count, places, levelSum) = (SIMD2<Float>(), SIMD2<Float>(), SIMD2<Float>())
        var (squares, prominences) = (Float(0), Float(0))
        for frame in from..<to {
            let index = base + (frame & (Self.capacity - 1))
            let value = levels[index]
            guard value != Self.unknown else {
                census.masked += 1
                continue
            }
            let level = Float(value) / 2 - 120
            let prominence = Float(tones[index] >> 4)
            // Loud surroundings hide a tone, or look like one.
            let isLoud = level + max(0, min(6, 8 - prominence)) - prominence >= pulse - 10
            if level <= quiet {
                census.off += 1
            } else if prominence < Self.tonal {
                // Noise this loud would hide the tone, softer noise would not.
                if level >= pulse - 3 { census.masked += 1 } else { census.off += 1 }
            } else if level < pulse - spread || level > pulse + 1.5 * spread {
                if isLoud, !isPause { census.masked += 1 }
            } else {
                census.on += 1
                let half = frame < middle ? 0 : 1
                let deviation = level - pulse
                count[half] += 1
                places[half] += Float(tones[index] & 15)
                levelSum[half] += deviation
                squares += deviation * deviation
                prominences += prominence
            }
        }
        guard census.on > 0 else { return census }
        let all = Float(census.on)
        let mean = levelSum.sum() / all
        census.prominence = prominences / all
        census.place = (places.sum() / all - 8) / 5
        census.unsteadiness = max(0, squares / all - mean * mean).squareRoot()
        if count[0] > 0, count[1] > 0 {
            census.glide = (places[1] / count[1] - places[0] / count[0]) / 5
            census.slope = levelSum[1] / count[1] - levelSum[0] / count[0]
        }
        return census
    }
}
