/// Standard error, a whole line at a time.
enum StandardError {
    private static let writer = LineWriter(descriptor: 2)

    /// Writes a line, or loses it where the reader does not keep up.
    static func write(_ line: String) { writer.write(line) }
}
