import SenseProtocol

/// Sends the first warning of a kind at once and then at most one a second, with a count, so that a broken
/// stream is told about itself without being flooded.
struct WarningCounter: Sendable {
    static let intervalUs: UInt64 = .secondUs

    private struct Record: Sendable {
        var count: UInt64 = 0
        var lastSentUs: UInt64?
    }

    private var records: [WarningKind: Record] = [:]

    /// Counts one; returns the warning if it is time to send one.
    mutating func warn(
        _ kind: WarningKind, streamID: UInt32, field: String, message: String, fix: String, at now: Now
    ) -> StreamWarning? {
        var record = records[kind, default: Record()]
        record.count += 1
        defer { records[kind] = record }
        if let last = record.lastSentUs, now.serverUs.since(last) < Self.intervalUs { return nil }
        let warning = StreamWarning(
            streamId: streamID, kind: kind, field: field, message: message, suggestedFix: fix,
            count: record.count)
        record.count = 0
        record.lastSentUs = now.serverUs
        return warning
    }
}

/// Measured items a second over the last few seconds, by the server's clock.
struct RateMeter: Sendable {
    private var windowStartUs: UInt64?
    private var count: UInt64 = 0
    /// Items a second; 0 = not yet known.
    private(set) var perSecond: Float = 0

    mutating func add(_ items: UInt64, at now: Now) {
        guard let start = windowStartUs else {
            windowStartUs = now.serverUs
            return
        }
        count &+= items
        let elapsed = now.serverUs.since(start)
        if elapsed >= 2 * .secondUs {
            perSecond = Float(Double(count) * 1e6 / Double(elapsed))
            windowStartUs = now.serverUs
            count = 0
        }
    }
}
