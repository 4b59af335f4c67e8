/// Keeps an input that comes and goes from telling a person each time: after several losses in a short while
/// the alert stays open until the input has been good for a minute. Damped, never hidden (PRODUCT 4.7, 3).
struct FlapDamper: Sendable {
    /// Losses within `windowUs` after which recovery must prove itself.
    static let maxQuickRecoveries = 3
    /// What counts as a short while.
    static let windowUs: UInt64 = 300 * .secondUs
    /// How long the input must be good then.
    static let settleUs: UInt64 = 60 * .secondUs

    private struct Record: Sendable {
        var losses: [UInt64] = []
        var settlesAtUs: UInt64?
    }

    private var records: [AlertSource: Record] = [:]
    private var due = EarliestDue()
    /// Records from which on those are looked for that may be forgotten: twice as many as were left the last time.
    private var crowd = Self.smallCrowd

    private static let smallCrowd = 32

    /// The input was lost.
    mutating func raised(_ source: AlertSource, now: Now) {
        // What has been quiet for long is forgotten, so that devices that come and go cost nothing.
        if records.count >= crowd {
            records = records.filter {
                $0.value.settlesAtUs != nil || now.serverUs.since($0.value.losses.last ?? 0) <= Self.windowUs
            }
            crowd = max(Self.smallCrowd, 2 * records.count)
        }
        var record = records[source, default: Record()]
        record.settlesAtUs = nil
        record.losses.removeAll { now.serverUs.since($0) > Self.windowUs }
        // Only the count up to the limit matters, so the list never grows beyond it.
        if record.losses.count < Self.maxQuickRecoveries { record.losses.append(now.serverUs) }
        records[source] = record
    }

    /// The input is back and must prove itself.
    func isSettling(_ source: AlertSource) -> Bool { records[source]?.settlesAtUs != nil }

    /// The input is back. Returns whether to say so now; otherwise `settled` will, if it stays.
    mutating func recovered(_ source: AlertSource, now: Now) -> Bool {
        guard var record = records[source] else { return true }
        guard record.losses.count >= Self.maxQuickRecoveries else { return true }
        record.settlesAtUs = record.settlesAtUs ?? (now.serverUs + Self.settleUs)
        records[source] = record
        due.add(record.settlesAtUs)
        return false
    }

    /// Inputs that have now been good long enough; forgets them.
    mutating func settled(now: Now) -> [AlertSource] {
        guard due.hasPassed(at: now) else { return [] }
        let done = records.filter { ($0.value.settlesAtUs ?? .max) <= now.serverUs }.map(\.key)
        for source in done { records[source] = nil }
        due.settle(records.values.lazy.compactMap(\.settlesAtUs).min())
        return done
    }

    /// Inputs that are remembered.
    var count: Int { records.count }

    /// When to ask `settled`.
    var nextDeadlineUs: UInt64? { due.us }
}
