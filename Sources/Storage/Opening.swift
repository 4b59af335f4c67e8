/// Opens connections with the pragmas the store relies on, and refuses files that are not a healthy store.
enum Opening {
    /// Checks the file and brings it to the newest schema.
    static func prepare(path: String, limits: StorageLimits, nowUs: Int64) throws(StorageError) {
        do throws(StorageError) {
            let connection = try Connection(
                path: path, mode: .readWrite, busyTimeoutMs: limits.busyTimeoutMs)
            let findings = try connection.rows("PRAGMA quick_check(\(limits.maxCheckFindings))") {
                $0.text(0)
            }
            guard findings == ["ok"] else { throw StorageError.damaged(path: path, findings: findings) }
            try connection.run("PRAGMA journal_mode = WAL")
            try Migrations.apply(to: connection, path: path, nowUs: nowUs)
        } catch .sqlite(.notADatabase, _, let message, _) {
            throw .notAStore(path: path, reason: message)
        } catch .sqlite(.corrupt, _, let message, _) {
            throw .damaged(path: path, findings: [message])
        } catch {
            throw error
        }
    }

    /// `synchronous = FULL` flushes the log at each commit; WAL lets the reader go on meanwhile.
    static func writer(path: String, limits: StorageLimits) throws(StorageError) -> sending Connection {
        let connection = try Connection(path: path, mode: .readWrite, busyTimeoutMs: limits.busyTimeoutMs)
        let pageBytes = try connection.first("PRAGMA page_size") { $0.int64(0) } ?? 4_096
        try connection.execute(
            script: """
                PRAGMA synchronous = FULL;
                PRAGMA foreign_keys = ON;
                PRAGMA trusted_schema = OFF;
                PRAGMA journal_size_limit = \(limits.maxIdleLogBytes);
                PRAGMA max_page_count = \(max(1, Int64(limits.maxStoreBytes) / max(1, pageBytes)));
                """)
        return connection
    }

    static func reader(path: String, limits: StorageLimits) throws(StorageError) -> sending Connection {
        let connection = try Connection(path: path, mode: .readOnly, busyTimeoutMs: limits.busyTimeoutMs)
        try connection.execute(script: "PRAGMA query_only = ON; PRAGMA trusted_schema = OFF")
        return connection
    }
}
