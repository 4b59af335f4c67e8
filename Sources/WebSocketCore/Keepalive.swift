/// When to ask whether the peer lives, and when to give it up; without a clock.
///
/// Two rules that healthy but slow peers need: the deadline of a ping starts when the ping has left, not when
/// it was queued behind other bytes; and any byte that moves, in or out, is a sign of life, so a peer that
/// takes a long message slowly is not cut.
///
/// All instants are nanoseconds of one monotonic clock.
public struct Keepalive: Equatable, Sendable {
    /// What the owner is to do.
    public enum Action: Equatable, Sendable {
        /// Nothing until this instant; ask again then.
        case wait(untilNs: UInt64)
        /// Queue a ping, call `pingQueued`, ask again.
        case sendPing
        /// The peer is gone: end the transport.
        case giveUp
    }

    private enum Phase: Equatable {
        /// No ping is due an answer.
        case quiet
        /// A ping waits behind unsent bytes.
        case queued
        /// A ping left.
        case asked
    }

    private let intervalNs: UInt64
    private let timeoutNs: UInt64
    private var phase = Phase.quiet
    private var lastSignNs: UInt64
    private var deadlineNs: UInt64 = .max

    /// - Parameters:
    ///   - nowNs: the connection's start.
    ///   - interval: silence after which a ping is sent; at least 1 ms.
    ///   - timeout: silence after the ping left, or without any progress while it cannot leave, after which the
    ///     peer counts as gone; at least 1 ms.
    public init(nowNs: UInt64, interval: Duration, timeout: Duration) {
        lastSignNs = nowNs
        intervalNs = Self.nanoseconds(interval)
        timeoutNs = Self.nanoseconds(timeout)
    }

    /// Bytes were received, of any kind; a pong among them settles the ping like any other byte.
    public mutating func bytesReceived(nowNs: UInt64) {
        lastSignNs = max(lastSignNs, nowNs)
        phase = .quiet
        deadlineNs = .max
    }

    /// The transport took bytes of ours.
    ///
    /// - Parameter hasUnsentBytes: whether more wait. When none do, a queued ping has left.
    public mutating func bytesLeft(nowNs: UInt64, hasUnsentBytes: Bool) {
        lastSignNs = max(lastSignNs, nowNs)
        switch phase {
        case .quiet: break
        case .queued:
            if !hasUnsentBytes { phase = .asked }
            deadlineNs = Self.sum(nowNs, timeoutNs)
        case .asked: deadlineNs = Self.sum(nowNs, timeoutNs)
        }
    }

    /// A ping was put into the output.
    public mutating func pingQueued(nowNs: UInt64) {
        phase = .queued
        deadlineNs = Self.sum(nowNs, timeoutNs)
    }

    /// What to do now.
    public func action(nowNs: UInt64) -> Action {
        switch phase {
        case .quiet:
            let due = Self.sum(lastSignNs, intervalNs)
            return nowNs >= due ? .sendPing : .wait(untilNs: due)
        case .queued, .asked:
            return nowNs >= deadlineNs ? .giveUp : .wait(untilNs: deadlineNs)
        }
    }

    private static func sum(_ instant: UInt64, _ span: UInt64) -> UInt64 {
        let (sum, overflow) = instant.addingReportingOverflow(span)
        return overflow ? .max : sum
    }

    private static func nanoseconds(_ duration: Duration) -> UInt64 {
        let (seconds, attoseconds) = duration.components
        guard seconds >= 0, seconds < Int64.max / 1_000_000_000 else {
            return seconds < 0 ? 1_000_000 : UInt64(Int64.max)
        }
        return max(1_000_000, UInt64(seconds) * 1_000_000_000 + UInt64(max(0, attoseconds) / 1_000_000_000))
    }
}
