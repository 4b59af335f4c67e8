extension Connection {
    static let alertColumns =
        """
        profile_id, alert_id, revision, device_id, room, stream_id, kind, label, urgency, confidence, \
        started_us, updated_us, ended_us, end_reason, disposition, acknowledged_by, acknowledged_us, haptic, \
        payload, verdict, true_label, told
        """

    /// Stores the newest state of an episode and appends the event that announces it.
    func append(_ update: AlertUpdate) throws(StorageError) -> AnnouncedAlert {
        let known = try alert(update.alertID, of: update.profileID)
        let alert = AlertRecord(
            latest: update, revision: (known?.revision ?? 0) + 1, disposition: known?.disposition ?? .open,
            acknowledgedBy: known?.acknowledgedBy ?? "", acknowledgedUs: known?.acknowledgedUs,
            verdict: known?.verdict ?? .none, trueLabel: known?.trueLabel ?? "",
            wasTold: update.isTold || known?.wasTold ?? false)
        let eventID = try appendEvent(for: alert, nowUs: update.updatedUs)
        try write(alert)
        return AnnouncedAlert(alert: alert, eventID: eventID)
    }

    func alert(_ alertID: String, of profileID: String) throws(StorageError) -> AlertRecord? {
        try first(
            "SELECT \(Self.alertColumns) FROM alerts WHERE profile_id = ? AND alert_id = ?",
            .text(profileID), .text(alertID), read: Self.readAlert)
    }

    /// Alerts that go on or wait for an answer, most urgent first, then newest first.
    func openAlerts(of profileID: String, limit: Int) throws(StorageError) -> [AlertRecord] {
        try rows(
            """
            SELECT \(Self.alertColumns) FROM alerts
            WHERE profile_id = ? AND (disposition = 1 OR ended_us IS NULL)
            ORDER BY CASE urgency WHEN 0 THEN 3 ELSE urgency END DESC, started_us DESC, alert_id LIMIT ?
            """, .text(profileID), .integer(Int64(limit)), read: Self.readAlert)
    }

    /// Ends the episodes a crash left open, at the last moment they were seen. They stay unanswered.
    func closeOrphans(
        except kinds: Set<Int32>, reason: String, nowUs: Int64, announce: AlertAnnouncement
    ) throws(StorageError) -> [AnnouncedAlert] {
        let orphans = try rows(
            "SELECT \(Self.alertColumns) FROM alerts WHERE ended_us IS NULL", read: Self.readAlert)
        var announced: [AnnouncedAlert] = []
        for orphan in orphans where !kinds.contains(orphan.latest.kind) {
            var alert = orphan
            alert.latest.endedUs = max(orphan.latest.startedUs, orphan.latest.updatedUs)
            alert.latest.endReason = reason
            announced.append(try change(alert, nowUs: nowUs, announce: announce))
        }
        return announced
    }

    /// Marks an alert that nobody answered. An answered one stays as it is.
    func markExhausted(
        _ alertID: String, of profileID: String, nowUs: Int64, announce: AlertAnnouncement
    ) throws(StorageError) -> ReceiptOutcome {
        guard var alert = try alert(alertID, of: profileID) else { throw .notFound(.alert) }
        guard alert.disposition == .open else { return ReceiptOutcome(alert: alert, eventID: nil) }
        alert.disposition = .exhausted
        let announced = try change(alert, nowUs: nowUs, announce: announce)
        return ReceiptOutcome(alert: announced.alert, eventID: announced.eventID)
    }

    /// Stores a receipt; a human answer or a resolution changes the disposition and is announced.
    func add(
        _ receipt: ReceiptRecord, to alertID: String, of profileID: String, limits: StorageLimits,
        announce: AlertAnnouncement
    ) throws(StorageError) -> ReceiptOutcome {
        guard var alert = try alert(alertID, of: profileID) else { throw .notFound(.alert) }
        try insert(receipt, alertID, profileID, limits)
        guard let next = Self.disposition(after: receipt.kind, from: alert.disposition) else {
            return ReceiptOutcome(alert: alert, eventID: nil)
        }
        alert.disposition = next
        if alert.acknowledgedUs == nil, receipt.deviceID != ReceiptRecord.serverID {
            alert.acknowledgedBy = try name(of: receipt.deviceID)
            alert.acknowledgedUs = receipt.receivedUs
        }
        let announced = try change(alert, nowUs: receipt.receivedUs, announce: announce)
        return ReceiptOutcome(alert: announced.alert, eventID: announced.eventID)
    }

    func receipts(for alertID: String, of profileID: String) throws(StorageError) -> [ReceiptRecord] {
        try rows(
            """
            SELECT device_id, kind, received_us, note FROM receipts
            WHERE profile_id = ? AND alert_id = ? ORDER BY received_us, device_id, kind
            """, .text(profileID), .text(alertID)
        ) { row in
            ReceiptRecord(
                deviceID: row.text(0), kind: StoredReceiptKind(rawValue: row.int32(1)) ?? .received,
                receivedUs: row.int64(2), note: row.text(3))
        }
    }

    /// nil: the receipt changes nothing. Answers move forward only: open or exhausted → acknowledged → resolved.
    private static func disposition(
        after receipt: StoredReceiptKind, from current: AlertDisposition
    ) -> AlertDisposition? {
        switch (receipt, current) {
        case (.received, _), (.presented, _): nil
        case (.acknowledgedByHuman, .open), (.acknowledgedByHuman, .exhausted): .acknowledged
        case (.acknowledgedByHuman, .acknowledged), (.acknowledgedByHuman, .resolved): nil
        case (.resolved, .resolved): nil
        case (.resolved, .open), (.resolved, .acknowledged), (.resolved, .exhausted): .resolved
        }
    }

    /// A receipt sent twice is stored once.
    private func insert(
        _ receipt: ReceiptRecord, _ alertID: String, _ profileID: String, _ limits: StorageLimits
    ) throws(StorageError) {
        let added = try run(
            """
            INSERT INTO receipts (profile_id, alert_id, device_id, kind, received_us, note)
            VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING
            """, .text(profileID), .text(alertID), .text(receipt.deviceID),
            .integer(Int64(receipt.kind.rawValue)), .integer(receipt.receivedUs), .text(receipt.note))
        guard added == 1 else { return }
        let count = try first(
            "SELECT count(*) FROM receipts WHERE profile_id = ? AND alert_id = ?", .text(profileID),
            .text(alertID)
        ) { $0.int64(0) }
        guard (count ?? 0) <= limits.maxReceiptsPerAlert else {
            throw .invalid(
                field: "receipt", expected: "at most \(limits.maxReceiptsPerAlert) an alert", got: "one more")
        }
    }

    /// Stores and announces a change that the store itself made.
    func change(
        _ changed: AlertRecord, nowUs: Int64, announce: AlertAnnouncement
    ) throws(StorageError) -> AnnouncedAlert {
        var alert = changed
        alert.revision += 1
        alert.latest.updatedUs = max(alert.latest.updatedUs, nowUs)
        alert.latest.payload = announce(alert)
        let eventID = try appendEvent(for: alert, nowUs: nowUs)
        try write(alert)
        return AnnouncedAlert(alert: alert, eventID: eventID)
    }

    private func appendEvent(for alert: AlertRecord, nowUs: Int64) throws(StorageError) -> Int64 {
        try append(
            kind: .alert, subjectID: alert.latest.alertID, revision: alert.revision,
            disposition: alert.disposition, payload: alert.latest.payload, to: alert.latest.profileID,
            nowUs: nowUs)
    }

    private func write(_ alert: AlertRecord) throws(StorageError) {
        let latest = alert.latest
        try run(
            """
            INSERT INTO alerts (\(Self.alertColumns))
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT DO UPDATE SET revision = excluded.revision, device_id = excluded.device_id,
            room = excluded.room, stream_id = excluded.stream_id, kind = excluded.kind,
            label = excluded.label, urgency = excluded.urgency, confidence = excluded.confidence,
            started_us = excluded.started_us, updated_us = excluded.updated_us, ended_us = excluded.ended_us,
            end_reason = excluded.end_reason, disposition = excluded.disposition,
            acknowledged_by = excluded.acknowledged_by, acknowledged_us = excluded.acknowledged_us,
            haptic = excluded.haptic, payload = excluded.payload, verdict = excluded.verdict,
            true_label = excluded.true_label, told = excluded.told
            """, .text(latest.profileID), .text(latest.alertID), .integer(alert.revision),
            .text(latest.deviceID), .text(latest.room), .integer(latest.streamID),
            .integer(Int64(latest.kind)), .text(latest.label), .integer(Int64(latest.urgency)),
            .real(latest.confidence), .integer(latest.startedUs), .integer(latest.updatedUs),
            .optional(latest.endedUs), .text(latest.endReason), .integer(Int64(alert.disposition.rawValue)),
            .text(alert.acknowledgedBy), .optional(alert.acknowledgedUs), .blob(latest.haptic),
            .blob(latest.payload), .integer(Int64(alert.verdict.rawValue)), .text(alert.trueLabel),
            .integer(alert.wasTold ? 1 : 0))
    }

    /// An unknown disposition, from a newer server, is shown as open rather than hidden.
    static func readAlert(_ row: borrowing Row) -> AlertRecord {
        let latest = AlertUpdate(
            alertID: row.text(1), profileID: row.text(0), deviceID: row.text(3), room: row.text(4),
            streamID: row.int64(5), kind: row.int32(6), label: row.text(7), urgency: row.int32(8),
            confidence: row.double(9), startedUs: row.int64(10), updatedUs: row.int64(11),
            endedUs: row.optionalInt64(12), endReason: row.text(13), haptic: row.blob(17),
            payload: row.blob(18))
        return AlertRecord(
            latest: latest, revision: row.int64(2),
            disposition: AlertDisposition(rawValue: row.int32(14)) ?? .open, acknowledgedBy: row.text(15),
            acknowledgedUs: row.optionalInt64(16), verdict: AlertVerdict(rawValue: row.int32(19)) ?? .none,
            trueLabel: row.text(20), wasTold: row.int64(21) != 0)
    }
}
