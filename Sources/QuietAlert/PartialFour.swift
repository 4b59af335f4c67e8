/// What is left of a group of four short pulses where other sound covers some of it, beside a group heard whole.
///
/// The whole group tells what to look for: level, place within the bin, and unit. With that much known, three pulses
/// are enough, or two side by side if what covers the other two is as loud as they are.
struct PartialFour: Sendable {
    private let channel: Int
    private let unitFrames: Double
    /// Of the whole group's pulses in this channel.
    private let levelDBFS: Float
    private var place: Float = 0
    private let contrast: Float

    /// Frames from one group to the next, 4.8…6.8 s.
    static let distances = TonalHistory.frames(4.8)...TonalHistory.frames(6.8)
    /// Frames after the beginning of a whole group at which the one after it, and the silence that follows, are past.
    static let delay = TonalHistory.frames(8.6)

    /// Units in which a pulse must sound, and a pause be quiet.
    private static let pulsePart = 0.2...0.85
    private static let pausePart = 0.35...0.95
    /// Step from the silence around it below which a channel shows nothing of the group.
    private static let minContrast: Float = 12

    /// The group that began in frame `start`, as `channel` shows it; nil unless it does so clearly.
    init?(_ history: TonalHistory, channel: Int, start: Int, unitFrames: Double, contrast: Float) {
        self.channel = channel
        self.unitFrames = unitFrames
        self.contrast = contrast
        let pulses = (0..<4).map { Self.frames(start, unitFrames, Self.pulsePart, Double(2 * $0)) }
        let levels = pulses.compactMap { history.level(channel, $0.0, $0.1) }.sorted()
        guard levels.count == 4, contrast >= Self.minContrast else { return nil }
        levelDBFS = (levels[1] + levels[2]) / 2
        var (sum, heard) = (Float(0), Float(0))
        for pulse in pulses {
            let found = census(history, pulse, isPause: false)
            guard found.on * 20 >= found.all * 13, found.prominence >= 9 else { continue }
            sum += found.place
            heard += 1
        }
        guard heard >= 3 else { return nil }
        place = sum / heard
    }

    /// Frame in which another group began, in `starts`, if enough is left of one.
    func start(in starts: Range<Int>, _ history: TonalHistory) -> Int? {
        for start in starts {
            for scale in [1, 0.96, 1.04] where isGroup(start, unitFrames * scale, history) { return start }
        }
        return nil
    }

    private func isGroup(_ start: Int, _ unit: Double, _ history: TonalHistory) -> Bool {
        guard start >= history.firstFrame else { return false }
        var isClean = [false, false, false, false]
        var (clean, silent) = (0, 0)
        for pulse in 0..<4 {
            let frames = Self.frames(start, unit, Self.pulsePart, Double(2 * pulse))
            let found = census(history, frames, isPause: false)
            if found.on * 20 >= found.all * 13, abs(found.place - place) <= 0.4 {
                isClean[pulse] = true
                clean += 1
            } else if (found.on + found.masked) * 10 < found.all * 7 {
                silent += 1
            }
            // Two missing: hopeless, and by far the most frequent case.
            if silent > 1 { return false }
        }
        guard clean >= 3 || (clean == 2 && silent == 0) else { return false }
        // Sounders dip between their pulses.
        var sideBySide = 0
        for pulse in 0..<3 where isClean[pulse] && isClean[pulse + 1] {
            let (from, to) = Self.frames(start, unit, Self.pausePart, Double(2 * pulse + 1))
            guard let level = history.level(channel, from, to), level <= levelDBFS - 3 else { return false }
            sideBySide += 1
        }
        guard sideBySide > 0 else { return false }
        // A pulse more would make it something else.
        for position in [-2.0, 8] {
            let found = census(
                history, Self.frames(start, unit, Self.pulsePart, position), isPause: false)
            if found.on * 2 >= found.all { return false }
        }
        for (from, to) in [(-11.0, -0.5), (7.6, 16)] {
            let frames = Self.frames(start, unit, from...to, 0)
            let end = min(frames.1, history.frameCount)
            guard max(0, frames.0) < end else { continue }
            let found = census(history, (max(0, frames.0), end), isPause: true)
            guard found.on * 8 <= found.all, found.off * 4 >= found.all else { return false }
        }
        return true
    }

    private func census(
        _ history: TonalHistory, _ frames: (Int, Int), isPause: Bool
    ) -> TonalHistory.Census {
        history.census(
            channel, frames.0, frames.1, pulse: levelDBFS, spread: max(4, 0.25 * contrast),
            quiet: levelDBFS - max(4, 0.5 * contrast), isPause: isPause)
    }

    /// Frames of a part of the unit at `position`; at least one.
    private static func frames(
        _ start: Int, _ unit: Double, _ part: ClosedRange<Double>, _ position: Double
    ) -> (Int, Int) {
        let first = Int((Double(start) + (position + part.lowerBound) * unit).rounded())
        let end = Int((Double(start) + (position + part.upperBound) * unit).rounded())
        return (first, max(first + 1, end))
    }
}
