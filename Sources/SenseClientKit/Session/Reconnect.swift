import SenseProtocol

/// When to try again: exponential back-off with jitter, so that a household that lost its network does not return in
/// one instant, and not at all where it cannot help.
public struct Reconnect: Sendable, Equatable {
    /// What to do now.
    public enum Decision: Sendable, Equatable {
        /// Try again after so many milliseconds.
        case wait(milliseconds: UInt64)
        /// It would fail again; a person must act.
        case giveUp
    }

    /// Attempts that failed since the last success.
    public private(set) var failures = 0
    private let firstMs: UInt64
    private let maxMs: UInt64

    /// - Parameters:
    ///   - firstMs: upper end of the first pause.
    ///   - maxMs: upper end of the longest pause.
    public init(firstMs: UInt64 = 1000, maxMs: UInt64 = 30_000) {
        self.firstMs = max(1, firstMs)
        self.maxMs = max(firstMs, maxMs)
    }

    /// A connection broke or did not come about.
    /// - Parameter random: fresh and uniform; chooses the point within the pause.
    public mutating func failed(_ error: ClientError, random: UInt64) -> Decision {
        guard error.mayRetry else { return .giveUp }
        let ceiling = min(maxMs, firstMs << UInt64(min(failures, 20)))
        failures += 1
        // At least half of it: a full jitter from 0 lets some hammer the server.
        let wait = ceiling / 2 + random % (ceiling - ceiling / 2 + 1)
        if case .refused(let message) = error, message.retryAfterMs > 0 {
            return .wait(milliseconds: UInt64(message.retryAfterMs) + wait)
        }
        return .wait(milliseconds: wait)
    }

    /// A session was welcomed.
    public mutating func succeeded() { failures = 0 }
}
