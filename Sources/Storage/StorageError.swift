/// Everything that can go wrong in the store. Messages never contain stored values.
public enum StorageError: Error, Equatable, Sendable {
    /// SQLite refused: `sql` is the statement without its arguments.
    case sqlite(code: SQLiteCode, extendedCode: Int32, message: String, sql: String)
    /// The file cannot be used as a store: a directory, no permission, no such folder, …
    case cannotOpen(path: String, reason: String)
    /// The integrity check found damage; nothing was changed.
    case damaged(path: String, findings: [String])
    /// A database of another program, or a file that is no database.
    case notAStore(path: String, reason: String)
    /// Written by a newer version of the server.
    case newerSchema(path: String, found: Int, supported: Int)
    /// Another server process has the store open.
    case inUse(path: String)
    /// The queue is full; the caller decides whether to drop, tell or try again later.
    case queueFull(limit: Int)
    /// The store was closed before the request was carried out; nothing of it was stored.
    case closed
    /// No such row.
    case notFound(RecordKind)
    /// The id or hash is taken.
    case alreadyExists(RecordKind)
    /// The pairing code is unknown, used or too old.
    case pairingRefused(PairingRefusal)
    /// A value outside of its range.
    case invalid(field: String, expected: String, got: String)
}

/// What a `notFound` or `alreadyExists` is about.
public enum RecordKind: String, Sendable {
    /// A person's profile.
    case profile
    /// A paired device.
    case device
    /// An alert episode.
    case alert
    /// A pairing code.
    case pairingCode
}

/// Why a pairing code was refused.
public enum PairingRefusal: String, Sendable {
    /// No such code was given out.
    case unknown
    /// A device used it before.
    case used
    /// Its time is over.
    case expired
}

extension StorageError: CustomStringConvertible {
    /// What happened and what to do about it.
    public var description: String {
        switch self {
        case .sqlite(let code, let extendedCode, let message, let sql):
            "SQLite \(code) (\(extendedCode)): \(message) in: \(sql)"
        case .cannotOpen(let path, let reason):
            "cannot open the store \(path): \(reason)"
        case .damaged(let path, let findings):
            """
            the store \(path) is damaged: \(findings.joined(separator: "; ")). Nothing was changed. \
            Stop the server, move the file with its -wal and -shm files aside, and put the last backup in \
            its place; or save what is readable with: sqlite3 \(path) .recover | sqlite3 recovered.db
            """
        case .notAStore(let path, let reason):
            "\(path) is not a store of this server: \(reason). Choose another data folder or move it aside"
        case .newerSchema(let path, let found, let supported):
            """
            the store \(path) has schema \(found), this server knows up to \(supported). \
            Run the newer server, or put a backup of the older schema in its place
            """
        case .inUse(let path):
            "the store \(path) is in use by another server. Stop that one, or choose another data folder"
        case .queueFull(let limit):
            "the store is too slow: \(limit) requests or bytes are waiting"
        case .closed:
            "the store is closed"
        case .notFound(let kind):
            "no such \(kind.rawValue)"
        case .alreadyExists(let kind):
            "\(kind.rawValue) exists"
        case .pairingRefused(let reason):
            "pairing code refused: \(reason.rawValue)"
        case .invalid(let field, let expected, let got):
            "\(field): expected \(expected), got \(got)"
        }
    }
}
