extension Connection {
    /// Stores how a drill ended.
    func add(_ drill: DrillRecord, of profileID: String) throws(StorageError) {
        _ = try profile(profileID)
        try run(
            """
            INSERT INTO drills (profile_id, room, finished_us, passed, latency_ms, heard_ms, alert_id,
                device_name, started_by) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT DO UPDATE SET passed = excluded.passed, latency_ms = excluded.latency_ms,
            heard_ms = excluded.heard_ms, alert_id = excluded.alert_id, device_name = excluded.device_name,
            started_by = excluded.started_by
            """, .text(profileID), .text(drill.room), .integer(drill.finishedUs),
            .integer(drill.isPassed ? 1 : 0), .integer(drill.latencyMs), .integer(drill.heardMs),
            .text(drill.alertID), .text(drill.deviceName), .text(drill.startedBy))
    }

    /// Drills of a room, newest first.
    func drills(of profileID: String, limit: Int) throws(StorageError) -> [DrillRecord] {
        try rows(
            """
            SELECT room, passed, finished_us, latency_ms, heard_ms, alert_id, device_name, started_by
            FROM drills WHERE profile_id = ? ORDER BY finished_us DESC, room LIMIT ?
            """, .text(profileID), .integer(Int64(limit))
        ) { row in
            DrillRecord(
                room: row.text(0), isPassed: row.int64(1) != 0, finishedUs: row.int64(2),
                latencyMs: row.int64(3), heardMs: row.int64(4), alertID: row.text(5),
                deviceName: row.text(6), startedBy: row.text(7))
        }
    }

    /// What is known of each room that was heard or tested.
    func drillRooms(of profileID: String, limit: Int) throws(StorageError) -> [DrillRoomRecord] {
        try rows(
            """
            SELECT room, min(day), max(CASE passed WHEN 1 THEN us END), max(CASE passed WHEN 0 THEN us END) FROM (
                SELECT room, day, NULL AS passed, NULL AS us FROM heard WHERE profile_id = ?1
                UNION ALL
                SELECT room, NULL, passed, finished_us FROM drills WHERE profile_id = ?1)
            GROUP BY room ORDER BY room LIMIT ?2
            """, .text(profileID), .integer(Int64(limit))
        ) { row in
            DrillRoomRecord(
                room: row.text(0), firstDay: row.optionalInt64(1), lastPassedUs: row.optionalInt64(2),
                lastFailedUs: row.optionalInt64(3))
        }
    }
}
