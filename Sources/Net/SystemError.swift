import Glibc

/// A failed system call: which one, and the errno it left.
public struct SystemError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The errno value, such as `ECONNRESET`.
    public let code: Int32
    /// The call that failed, such as `accept4`.
    public let call: String

    /// Wraps an errno value.
    public init(code: Int32, call: String) {
        self.code = code
        self.call = call
    }

    /// `recv: Connection reset by peer (104)`.
    public var description: String {
        // glibc keeps the text in memory of the calling thread, or in constant memory.
        let text = unsafe strerror(code).map { unsafe String(cString: $0) } ?? "unknown error"
        return "\(call): \(text) (\(code))"
    }
}

/// What a non-blocking call gave: a value, or the news that it would have had to wait.
public enum IOResult<Value> {
    /// The call did its work.
    case done(Value)
    /// EAGAIN: nothing to do until the descriptor is ready again.
    case wouldBlock
}
