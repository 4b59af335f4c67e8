/// A point on the monotonic clock, in nanoseconds since an arbitrary start (boot). Never wall-clock time, so a
/// clock that is set forward or back cannot expire a deadline.
public struct MonotonicInstant: Hashable, Comparable, Sendable {
    /// Nanoseconds since the clock's start.
    public var nanoseconds: UInt64

    /// An instant at the given nanoseconds.
    public init(nanoseconds: UInt64) { self.nanoseconds = nanoseconds }

    /// Further than any deadline.
    public static let distantFuture = MonotonicInstant(nanoseconds: .max)

    /// Order in time.
    @inlinable
    public static func < (left: Self, right: Self) -> Bool { left.nanoseconds < right.nanoseconds }

    /// The instant `duration` later; negative durations count as zero, overflow saturates.
    public func advanced(by duration: Duration) -> MonotonicInstant {
        let (sum, overflow) = nanoseconds.addingReportingOverflow(duration.nanosecondsClamped)
        return MonotonicInstant(nanoseconds: overflow ? .max : sum)
    }

    /// How long after `earlier` this instant is; zero if it is not after it.
    public func since(_ earlier: MonotonicInstant) -> Duration {
        guard nanoseconds > earlier.nanoseconds else { return .zero }
        return .nanoseconds(Int64(clamping: nanoseconds - earlier.nanoseconds))
    }
}

extension Duration {
    /// Whole nanoseconds; negative values give 0, values beyond `UInt64` its largest.
    var nanosecondsClamped: UInt64 {
        let (seconds, attoseconds) = components
        guard seconds >= 0, attoseconds >= 0 else { return 0 }
        let (whole, overflow) = UInt64(seconds).multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, overflow2) = whole.addingReportingOverflow(UInt64(attoseconds / 1_000_000_000))
        return overflow || overflow2 ? .max : sum
    }
}
