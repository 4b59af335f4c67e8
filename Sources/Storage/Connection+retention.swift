/// What one retention pass deleted.
public struct RetentionOutcome: Sendable, Equatable {
    /// Events that no device can ask for any more.
    public var deletedEvents: Int
    /// Answered alerts, with their receipts.
    public var deletedAlerts: Int
    /// The pass met its limit: call again soon.
    public var hasMore: Bool

    /// All fields.
    public init(deletedEvents: Int, deletedAlerts: Int, hasMore: Bool) {
        self.deletedEvents = deletedEvents
        self.deletedAlerts = deletedAlerts
        self.hasMore = hasMore
    }
}

extension Connection {
    /// Deletes what is past its time, oldest first and a bounded number of rows, so that alerts get through.
    ///
    /// Events go as a prefix of the log, also where the clock jumped, so that what is left has no hole.
    /// Alerts that nobody answered stay, however old: none may just vanish.
    func applyRetention(nowUs: Int64, limits: StorageLimits) throws(StorageError) -> RetentionOutcome {
        let eventCutoffUs = Self.cutoffUs(nowUs: nowUs, days: limits.eventRetentionDays)
        let alertCutoffUs = Self.cutoffUs(nowUs: nowUs, days: limits.alertRetentionDays)
        var events = 0
        var alerts = 0
        for profile in try profiles() where max(events, alerts) < limits.maxDeletesPerPass {
            let firstKept = try firstEventToKeep(profile, cutoffUs: eventCutoffUs, limits: limits)
            events += try run(
                """
                DELETE FROM events WHERE profile_id = ?1 AND event_id IN (
                    SELECT event_id FROM events WHERE profile_id = ?1 AND event_id < ?2
                    ORDER BY event_id LIMIT ?3)
                """, .text(profile.profileID), .integer(firstKept),
                .integer(Int64(limits.maxDeletesPerPass - events)))
            alerts += try run(
                """
                DELETE FROM alerts WHERE profile_id = ?1 AND alert_id IN (
                    SELECT alert_id FROM alerts WHERE profile_id = ?1
                    AND started_us < ?2 AND ended_us IS NOT NULL AND disposition <> 1
                    ORDER BY started_us LIMIT ?3)
                """, .text(profile.profileID), .integer(alertCutoffUs),
                .integer(Int64(limits.maxDeletesPerPass - alerts)))
        }
        // A row a room and day, and some drills: so few that they go at once.
        try run("DELETE FROM heard WHERE day < ?", .integer(alertCutoffUs / Self.dayUs))
        try run("DELETE FROM drills WHERE finished_us < ?", .integer(alertCutoffUs))
        return RetentionOutcome(
            deletedEvents: events, deletedAlerts: alerts,
            hasMore: max(events, alerts) >= limits.maxDeletesPerPass)
    }

    private func firstEventToKeep(
        _ profile: ProfileRecord, cutoffUs: Int64, limits: StorageLimits
    ) throws(StorageError) -> Int64 {
        let young = try first(
            """
            SELECT event_id FROM events WHERE profile_id = ? AND recorded_us >= ?
            ORDER BY event_id LIMIT 1
            """, .text(profile.profileID), .integer(cutoffUs)
        ) { $0.int64(0) }
        let byCount = profile.lastEventID - Int64(limits.maxEventsPerProfile) + 1
        return max(young ?? profile.lastEventID + 1, byCount)
    }

    /// A moment so long ago that it does not fit counts as the beginning of time: nothing is deleted.
    private static func cutoffUs(nowUs: Int64, days: Int) -> Int64 {
        let (spanUs, spanOverflow) = Int64(clamping: days).multipliedReportingOverflow(by: 86_400_000_000)
        let (cutoffUs, overflow) = nowUs.subtractingReportingOverflow(spanUs)
        return spanOverflow || overflow ? .min : cutoffUs
    }
}
