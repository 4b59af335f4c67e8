extension Connection {
    /// Appends to a profile's log.
    ///
    /// - Returns: the event id: one more than the last, whatever retention has deleted.
    func append(
        kind: DurableEventKind, subjectID: String, revision: Int64, disposition: AlertDisposition?,
        payload: [UInt8], to profileID: String, nowUs: Int64
    ) throws(StorageError) -> Int64 {
        let allocated = try first(
            """
            UPDATE profiles SET last_event_id = last_event_id + 1 WHERE profile_id = ?
            RETURNING last_event_id
            """, .text(profileID)
        ) { $0.int64(0) }
        guard let eventID = allocated else { throw .notFound(.profile) }
        try run(
            """
            INSERT INTO events
            (profile_id, event_id, kind, subject_id, revision, disposition, recorded_us, payload)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            """, .text(profileID), .integer(eventID), .integer(Int64(kind.rawValue)), .text(subjectID),
            .integer(revision), .integer(Int64(disposition?.rawValue ?? 0)), .integer(nowUs), .blob(payload))
        return eventID
    }

    /// Events behind `eventID`, oldest first, at most `limit`.
    func events(
        of profileID: String, after eventID: Int64, limit: Int
    ) throws(StorageError) -> [DurableEvent] {
        try rows(
            """
            SELECT event_id, kind, subject_id, revision, disposition, recorded_us, payload FROM events
            WHERE profile_id = ? AND event_id > ? ORDER BY event_id LIMIT ?
            """, .text(profileID), .integer(eventID), .integer(Int64(limit))
        ) { row in
            DurableEvent(
                profileID: profileID, eventID: row.int64(0), kind: DurableEventKind(rawValue: row.int32(1)),
                subjectID: row.text(2), revision: row.int64(3),
                disposition: AlertDisposition(rawValue: row.int32(4)), recordedUs: row.int64(5),
                payload: row.blob(6))
        }
    }

    func eventRange(of profileID: String) throws(StorageError) -> EventRange {
        let last = try profile(profileID).lastEventID
        let lowest = try first("SELECT min(event_id) FROM events WHERE profile_id = ?", .text(profileID)) {
            $0.optionalInt64(0)
        }
        return EventRange(lowestRetained: (lowest ?? nil) ?? last + 1, last: last)
    }
}
