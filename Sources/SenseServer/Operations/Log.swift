import SessionCore

/// One line a happening, on standard error. Never carries audio, landmarks, scenes, tokens or codes.
public final class Log: Sendable {
    /// How much is said.
    public enum Level: Int, Sendable, Comparable {
        case debug, info, warning, error

        /// Debug sorts first.
        public static func < (a: Level, b: Level) -> Bool { a.rawValue < b.rawValue }
    }

    private let level: Level
    private let write: @Sendable (String) -> Void

    /// - Parameters:
    ///   - level: lines below it are left out.
    ///   - write: where a finished line goes; standard error unless given.
    public init(level: Level = .info, write: (@Sendable (String) -> Void)? = nil) {
        self.level = level
        self.write = write ?? { line in StandardError.write(line) }
    }

    /// Says `text` at a level.
    public func callAsFunction(_ level: Level = .info, _ text: @autoclosure () -> String) {
        guard level >= self.level else { return }
        write("\(CivilTime.iso8601(unixUs: ServerClock.now().unixUs)) \(level) \(text())")
    }
}
