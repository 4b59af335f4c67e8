extension Connection {
    /// One page of alerts, newest first, by keyset: later pages cost what the first does.
    func history(_ filter: HistoryFilter, limits: StorageLimits) throws(StorageError) -> HistoryRecordPage {
        let wanted = filter.pageSize > 0 ? filter.pageSize : limits.defaultPageSize
        let pageSize = min(wanted, limits.maxPageSize)
        var conditions = "profile_id = ? AND started_us >= ? AND started_us < ?"
        var arguments: [SQLValue] = [
            .text(filter.profileID), .integer(filter.fromUs), .integer(filter.toUs),
        ]
        if let label = filter.label {
            conditions += " AND label = ?"
            arguments.append(.text(label))
        }
        if let kind = filter.kind {
            conditions += " AND kind = ?"
            arguments.append(.integer(Int64(kind)))
        }
        if !filter.pageToken.isEmpty {
            let cursor = try HistoryCursor(token: filter.pageToken, limits: limits)
            conditions += " AND (started_us, alert_id) < (?, ?)"
            arguments += [.integer(cursor.startedUs), .text(cursor.alertID)]
        }
        arguments.append(.integer(Int64(pageSize + 1)))
        let alerts = try rows(
            """
            SELECT \(Self.alertColumns) FROM alerts WHERE \(conditions)
            ORDER BY started_us DESC, alert_id DESC LIMIT ?
            """, arguments: arguments, read: Self.readAlert)
        var entries: [HistoryRecord] = []
        for alert in alerts.prefix(pageSize) {
            let receipts = try receipts(for: alert.latest.alertID, of: filter.profileID)
            let feedback =
                alert.verdict == .none ? [] : try feedback(for: alert.latest.alertID, of: filter.profileID)
            entries.append(HistoryRecord(alert: alert, receipts: receipts, feedback: feedback))
        }
        guard alerts.count > pageSize, let last = entries.last?.alert.latest else {
            return HistoryRecordPage(entries: entries, nextPageToken: "")
        }
        let cursor = HistoryCursor(startedUs: last.startedUs, alertID: last.alertID)
        return HistoryRecordPage(entries: entries, nextPageToken: cursor.token)
    }
}
