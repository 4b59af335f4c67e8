/// Why a server did not start, in a sentence that says what to do.
public struct ServerError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What could not be done.
    public var what: String
    /// Why.
    public var reason: String
    /// What to do about it.
    public var advice: String

    /// A reason not to start.
    public init(what: String, reason: String, advice: String) {
        self.what = what
        self.reason = reason
        self.advice = advice
    }

    /// Two sentences for the terminal.
    public var description: String { "\(what): \(reason)\n  \(advice)" }
}
