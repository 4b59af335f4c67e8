/// One short beep by itself.
struct Chirp: Sendable {
    /// Frame in which it began.
    var startFrame: Int
    /// Frequency in bins of the spectrum.
    var frequencyBins: Float
    var levelDBFS: Float
    /// Step from the silence around it, dB.
    var contrast: Float
    /// Frames with the beep.
    var lengthFrames: Int

    /// Longest beep in frames: 0.2 s and the blur of a frame.
    private static let maxFrames = 11
    /// Silence that must surround it, in frames.
    private static let quietFrames = 45

    /// The beep that began in frame `edge` of a channel of 2.2…4.2 kHz, if it is short, steady and alone.
    init?(_ history: TonalHistory, channel: Int, edge: Int, now: Int) {
        guard TonalHistory.isPiezo(channel), let level = history.peak(channel, edge + 1, edge + 4),
            let before = history.level(channel, edge - Self.quietFrames, edge - 2, floor: level - 30),
            let after = history.level(channel, now - Self.quietFrames, now, floor: level - 30),
            level - max(before, after) >= 14
        else { return nil }
        let contrast = level - max(before, after)
        let threshold = level - max(6, 0.5 * contrast)
        // Other sound that begins with it may put the beginning a little early.
        let start = (edge..<(edge + 3)).first { history.peak(channel, $0 + 1, $0 + 2) ?? -200 > threshold }
        guard let edge = start else { return nil }
        var length = 1
        while length <= Self.maxFrames, let value = history.level(channel, edge + length, edge + length + 1),
            value > threshold
        {
            length += 1
        }
        guard length <= Self.maxFrames else { return nil }
        func census(_ from: Int, _ to: Int) -> TonalHistory.Census {
            history.census(channel, from, to, pulse: level, spread: 5, quiet: threshold)
        }
        let beep = census(edge + 1, edge + max(2, length))
        guard beep.on * 2 >= beep.all, beep.prominence >= 11, abs(beep.place) <= 0.75 else { return nil }
        for silence in [census(edge - Self.quietFrames, edge - 2), census(now - Self.quietFrames, now)] {
            guard silence.off * 12 >= silence.all * 11 else { return nil }
        }
        startFrame = edge
        frequencyBins = Float(TonalHistory.bins[channel]) + beep.place
        levelDBFS = level
        self.contrast = contrast
        lengthFrames = length
    }
}

extension Chirp {
    /// Whether two beeps have one frequency and level, within what is given.
    fileprivate func isLike(_ other: Chirp, bins: Float, decibels: Float) -> Bool {
        abs(frequencyBins - other.frequencyBins) <= bins && abs(levelDBFS - other.levelDBFS) <= decibels
    }
}

/// Finds chirps that repeat every 30 to 60 s: the low battery of an alarm.
///
/// Three in a row at equal distances, of one frequency and level, with no such chirp between them.
struct ChirpTracker: Sendable {
    /// A series that has reached three chirps or more.
    struct Series: Sendable {
        var firstFrame: Int
        var distanceFrames: Int
    }

    /// 28…62 s.
    private static let distances = 1_400...3_100
    /// Two beginnings within this are one beep, 0.2 s.
    private static let sameFrames = 10
    /// Chirps remembered. Speech has one a second; where more come, old ones give way.
    private static let maxChirps = 256

    private var chirps: [Chirp] = []

    /// Adds a chirp; returns the series it continues, if it is at least the third.
    mutating func hear(_ chirp: Chirp) -> Series? {
        chirps.removeAll { chirp.startFrame - $0.startFrame > 2 * Self.distances.upperBound + 200 }
        // A neighbouring channel may tell of the same beep.
        let isKnown = chirps.contains {
            chirp.startFrame - $0.startFrame < Self.sameFrames && $0.isLike(chirp, bins: 1.5, decibels: 10)
        }
        guard !isKnown else { return nil }
        if chirps.count == Self.maxChirps { chirps.removeFirst() }
        defer { chirps.append(chirp) }
        let alike = chirps.filter { $0.isLike(chirp, bins: 1, decibels: 6) }
        // The two before it, and none besides.
        guard let second = alike.last, let first = alike.dropLast().last,
            [first, second].allSatisfy({
                $0.isLike(chirp, bins: 0.4, decibels: 3) && abs($0.lengthFrames - chirp.lengthFrames) <= 2
            })
        else { return nil }
        let distance = chirp.startFrame - second.startFrame
        let before = second.startFrame - first.startFrame
        guard Self.distances.contains(distance), Self.distances.contains(before),
            abs(distance - before) <= max(20, distance / 75)
        else { return nil }
        return Series(firstFrame: first.startFrame, distanceFrames: distance)
    }
}
