/// The schema as a list of named steps in SQL alone, so that no step changes when Swift code does.
///
/// A step that has been released is never edited; a change is a new step at the end.
/// `PRAGMA user_version` counts the steps a store has; the table `migrations` names them.
enum Migrations {
    /// Marks a file as ours in the SQLite header: "SENS" in ASCII.
    static let applicationID: Int64 = 0x5345_4E53

    struct Step {
        let name: String
        let sql: String
    }

    static let steps = [
        Step(name: "0001-profiles-devices-alerts-settings", sql: first),
        Step(
            name: "0002-purpose-of-pairing-codes",
            sql: "ALTER TABLE pairing_codes ADD COLUMN purpose INTEGER NOT NULL DEFAULT 0"),
        Step(name: "0003-feedback-and-time-heard", sql: feedback),
        Step(name: "0004-drills", sql: drills),
        Step(
            name: "0005-alerts-told",
            sql: "ALTER TABLE alerts ADD COLUMN told INTEGER NOT NULL DEFAULT 1"),
    ]

    /// Brings a store to the newest schema, each step in its own transaction.
    ///
    /// - Throws: `newerSchema`, `notAStore`, or what SQLite says.
    static func apply(
        _ steps: [Step] = steps, to connection: Connection, path: String, nowUs: Int64
    ) throws(StorageError) {
        let found = try integer("PRAGMA user_version", connection)
        let owner = try integer("PRAGMA application_id", connection)
        let tables = try integer("SELECT count(*) FROM sqlite_master", connection)
        guard owner == applicationID || (owner == 0 && found == 0 && tables == 0) else {
            throw .notAStore(path: path, reason: "it is the database of another program (id \(owner))")
        }
        guard (0...Int64(steps.count)).contains(found) else {
            throw .newerSchema(path: path, found: Int(clamping: found), supported: steps.count)
        }
        for (index, step) in steps.enumerated().dropFirst(Int(found)) {
            try connection.execute(script: "BEGIN IMMEDIATE")
            do throws(StorageError) {
                try connection.execute(script: step.sql)
                try connection.run(
                    "INSERT INTO migrations (number, name, applied_us) VALUES (?, ?, ?)",
                    .integer(Int64(index + 1)), .text(step.name), .integer(nowUs))
                try connection.execute(
                    script: "PRAGMA user_version = \(index + 1); PRAGMA application_id = \(applicationID)")
                try connection.execute(script: "COMMIT")
            } catch {
                if connection.isInTransaction { try? connection.execute(script: "ROLLBACK") }
                throw error
            }
        }
    }

    private static func integer(_ sql: String, _ connection: Connection) throws(StorageError) -> Int64 {
        try connection.first(sql) { $0.int64(0) } ?? 0
    }

    /// Times are Unix microseconds; kinds, roles, urgencies and dispositions are the numbers of the protocol.
    private static let first = """
        CREATE TABLE migrations (
            number INTEGER PRIMARY KEY, name TEXT NOT NULL, applied_us INTEGER NOT NULL) STRICT;

        CREATE TABLE profiles (
            profile_id TEXT PRIMARY KEY, display_name TEXT NOT NULL, language TEXT NOT NULL,
            created_us INTEGER NOT NULL, settings_revision INTEGER NOT NULL DEFAULT 0,
            last_event_id INTEGER NOT NULL DEFAULT 0) STRICT, WITHOUT ROWID;

        CREATE TABLE devices (
            device_id TEXT PRIMARY KEY,
            profile_id TEXT NOT NULL REFERENCES profiles ON DELETE CASCADE,
            name TEXT NOT NULL, room TEXT NOT NULL, role INTEGER NOT NULL, token_hash BLOB NOT NULL UNIQUE,
            created_us INTEGER NOT NULL, last_seen_us INTEGER NOT NULL, revoked_us INTEGER,
            acked_event_id INTEGER NOT NULL DEFAULT 0) STRICT, WITHOUT ROWID;
        CREATE INDEX devices_by_profile ON devices (profile_id, created_us, device_id);

        CREATE TABLE pairing_codes (
            code_hash BLOB PRIMARY KEY,
            profile_id TEXT NOT NULL REFERENCES profiles ON DELETE CASCADE,
            role INTEGER NOT NULL, created_us INTEGER NOT NULL, expires_us INTEGER NOT NULL,
            used_us INTEGER, used_by TEXT) STRICT, WITHOUT ROWID;
        CREATE INDEX pairing_codes_by_profile ON pairing_codes (profile_id);

        CREATE TABLE settings (
            profile_id TEXT NOT NULL REFERENCES profiles ON DELETE CASCADE,
            key TEXT NOT NULL, value BLOB, revision INTEGER NOT NULL, changed_us INTEGER NOT NULL,
            changed_by TEXT NOT NULL, PRIMARY KEY (profile_id, key)) STRICT, WITHOUT ROWID;

        CREATE TABLE alerts (
            profile_id TEXT NOT NULL REFERENCES profiles ON DELETE CASCADE,
            alert_id TEXT NOT NULL, revision INTEGER NOT NULL, device_id TEXT NOT NULL, room TEXT NOT NULL,
            stream_id INTEGER NOT NULL, kind INTEGER NOT NULL, label TEXT NOT NULL,
            urgency INTEGER NOT NULL, confidence REAL NOT NULL, started_us INTEGER NOT NULL,
            updated_us INTEGER NOT NULL, ended_us INTEGER, end_reason TEXT NOT NULL,
            disposition INTEGER NOT NULL, acknowledged_by TEXT NOT NULL DEFAULT '', acknowledged_us INTEGER,
            haptic BLOB NOT NULL, payload BLOB NOT NULL,
            PRIMARY KEY (profile_id, alert_id)) STRICT, WITHOUT ROWID;
        CREATE INDEX alerts_by_time ON alerts (profile_id, started_us, alert_id);
        CREATE INDEX alerts_by_label ON alerts (profile_id, label, started_us, alert_id);
        CREATE INDEX alerts_unanswered ON alerts (profile_id) WHERE disposition = 1;
        CREATE INDEX alerts_going_on ON alerts (profile_id) WHERE ended_us IS NULL;

        CREATE TABLE events (
            profile_id TEXT NOT NULL REFERENCES profiles ON DELETE CASCADE,
            event_id INTEGER NOT NULL, kind INTEGER NOT NULL, subject_id TEXT NOT NULL,
            revision INTEGER NOT NULL, disposition INTEGER NOT NULL, recorded_us INTEGER NOT NULL,
            payload BLOB NOT NULL, PRIMARY KEY (profile_id, event_id)) STRICT, WITHOUT ROWID;

        CREATE TABLE receipts (
            profile_id TEXT NOT NULL, alert_id TEXT NOT NULL, device_id TEXT NOT NULL,
            kind INTEGER NOT NULL, received_us INTEGER NOT NULL, note TEXT NOT NULL,
            PRIMARY KEY (profile_id, alert_id, received_us, device_id, kind),
            FOREIGN KEY (profile_id, alert_id) REFERENCES alerts ON DELETE CASCADE) STRICT, WITHOUT ROWID;
        """

    private static let feedback = """
        ALTER TABLE alerts ADD COLUMN verdict INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE alerts ADD COLUMN true_label TEXT NOT NULL DEFAULT '';

        CREATE TABLE feedback (
            profile_id TEXT NOT NULL, alert_id TEXT NOT NULL, device_id TEXT NOT NULL,
            correct INTEGER NOT NULL, true_label TEXT NOT NULL, received_us INTEGER NOT NULL,
            PRIMARY KEY (profile_id, alert_id, device_id),
            FOREIGN KEY (profile_id, alert_id) REFERENCES alerts ON DELETE CASCADE) STRICT, WITHOUT ROWID;

        CREATE TABLE heard (
            profile_id TEXT NOT NULL REFERENCES profiles ON DELETE CASCADE,
            room TEXT NOT NULL, day INTEGER NOT NULL, seconds INTEGER NOT NULL,
            PRIMARY KEY (profile_id, room, day)) STRICT, WITHOUT ROWID;
        """

    private static let drills = """
        CREATE TABLE drills (
            profile_id TEXT NOT NULL REFERENCES profiles ON DELETE CASCADE,
            room TEXT NOT NULL, finished_us INTEGER NOT NULL, passed INTEGER NOT NULL,
            latency_ms INTEGER NOT NULL, heard_ms INTEGER NOT NULL, alert_id TEXT NOT NULL,
            device_name TEXT NOT NULL, started_by TEXT NOT NULL,
            PRIMARY KEY (profile_id, room, finished_us)) STRICT, WITHOUT ROWID;
        """
}
