extension Connection {
    /// Stores what a device says of an alert. The newest word of all devices is the alert's verdict; a verdict that
    /// changes is announced.
    func add(
        _ feedback: FeedbackRecord, to alertID: String, of profileID: String, announce: AlertAnnouncement
    ) throws(StorageError) -> ReceiptOutcome {
        guard var alert = try alert(alertID, of: profileID) else { throw .notFound(.alert) }
        try run(
            """
            INSERT INTO feedback (profile_id, alert_id, device_id, correct, true_label, received_us)
            VALUES (?, ?, ?, ?, ?, ?)
            ON CONFLICT DO UPDATE SET correct = excluded.correct, true_label = excluded.true_label,
            received_us = excluded.received_us
            """, .text(profileID), .text(alertID), .text(feedback.deviceID),
            .integer(feedback.isCorrect ? 1 : 0), .text(feedback.trueLabel), .integer(feedback.receivedUs))
        let verdict: AlertVerdict = feedback.isCorrect ? .right : .wrong
        guard alert.verdict != verdict || alert.trueLabel != feedback.trueLabel else {
            return ReceiptOutcome(alert: alert, eventID: nil)
        }
        alert.verdict = verdict
        alert.trueLabel = feedback.trueLabel
        let announced = try change(alert, nowUs: feedback.receivedUs, announce: announce)
        return ReceiptOutcome(alert: announced.alert, eventID: announced.eventID)
    }

    /// What devices said of an alert, oldest first.
    func feedback(for alertID: String, of profileID: String) throws(StorageError) -> [FeedbackRecord] {
        try rows(
            """
            SELECT device_id, correct, true_label, received_us FROM feedback
            WHERE profile_id = ? AND alert_id = ? ORDER BY received_us, device_id
            """, .text(profileID), .text(alertID)
        ) { row in
            FeedbackRecord(
                deviceID: row.text(0), isCorrect: row.int64(1) != 0, trueLabel: row.text(2),
                receivedUs: row.int64(3))
        }
    }

    /// Adds to the time that rooms were heard.
    func add(_ heard: [HeardRecord], of profileID: String) throws(StorageError) {
        _ = try profile(profileID)
        for record in heard {
            try run(
                """
                INSERT INTO heard (profile_id, room, day, seconds) VALUES (?, ?, ?, ?)
                ON CONFLICT DO UPDATE SET seconds = seconds + excluded.seconds
                """, .text(profileID), .text(record.room), .integer(record.day), .integer(record.seconds))
        }
    }

    /// Alerts of one kind by room and label, and what was heard, since a moment. Counted are those told to a person;
    /// one that somebody spoke of was told, whatever was meant to be.
    func alertTallies(
        of profileID: String, kind: Int32, fromUs: Int64, limit: Int
    ) throws(StorageError) -> AlertTallies {
        let tallies = try rows(
            """
            SELECT room, label, count(*), sum(verdict = 1), sum(verdict = 2) FROM alerts
            WHERE profile_id = ? AND started_us >= ? AND kind = ? AND (told OR verdict != 0)
            GROUP BY room, label ORDER BY sum(verdict = 2) DESC, count(*) DESC, room, label LIMIT ?
            """, .text(profileID), .integer(fromUs), .integer(Int64(kind)), .integer(Int64(limit))
        ) { row in
            AlertTallyRecord(
                room: row.text(0), label: row.text(1), alerts: Int(clamping: row.int64(2)),
                right: Int(clamping: row.int64(3)), wrong: Int(clamping: row.int64(4)))
        }
        let rooms = try rows(
            """
            SELECT room, sum(CASE WHEN day >= ?2 THEN seconds ELSE 0 END), min(day) FROM heard
            WHERE profile_id = ?1 GROUP BY room ORDER BY room LIMIT ?3
            """, .text(profileID), .integer(fromUs / Self.dayUs), .integer(Int64(limit))
        ) { row in
            HeardRoomRecord(room: row.text(0), seconds: row.int64(1), firstDay: row.int64(2))
        }
        return AlertTallies(tallies: tallies, rooms: rooms)
    }

    /// Microseconds in a day.
    static var dayUs: Int64 { 86_400_000_000 }
}
