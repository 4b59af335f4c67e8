/// A primary result code of SQLite (https://www.sqlite.org/rescode.html).
public struct SQLiteCode: RawRepresentable, Equatable, Sendable, CustomStringConvertible {
    /// The C value.
    public let rawValue: Int32

    /// Wraps a C value; extended codes are cut to their primary code by `primary(of:)`.
    public init(rawValue: Int32) { self.rawValue = rawValue }

    /// The primary code of an extended one: its low byte.
    static func primary(of extendedCode: Int32) -> SQLiteCode { SQLiteCode(rawValue: extendedCode & 0xff) }

    /// `SQLITE_ERROR`
    public static let error = SQLiteCode(rawValue: 1)
    /// `SQLITE_BUSY`
    public static let busy = SQLiteCode(rawValue: 5)
    /// `SQLITE_READONLY`
    public static let readOnly = SQLiteCode(rawValue: 8)
    /// `SQLITE_IOERR`
    public static let inputOutput = SQLiteCode(rawValue: 10)
    /// `SQLITE_CORRUPT`
    public static let corrupt = SQLiteCode(rawValue: 11)
    /// `SQLITE_FULL`: the disk or `StorageLimits.maxStoreBytes`
    public static let full = SQLiteCode(rawValue: 13)
    /// `SQLITE_CANTOPEN`
    public static let cannotOpen = SQLiteCode(rawValue: 14)
    /// `SQLITE_CONSTRAINT`
    public static let constraint = SQLiteCode(rawValue: 19)
    /// `SQLITE_NOTADB`
    public static let notADatabase = SQLiteCode(rawValue: 26)

    /// The C name for the codes above, the number for others.
    public var description: String {
        switch self {
        case .error: "SQLITE_ERROR"
        case .busy: "SQLITE_BUSY"
        case .readOnly: "SQLITE_READONLY"
        case .inputOutput: "SQLITE_IOERR"
        case .corrupt: "SQLITE_CORRUPT"
        case .full: "SQLITE_FULL"
        case .cannotOpen: "SQLITE_CANTOPEN"
        case .constraint: "SQLITE_CONSTRAINT"
        case .notADatabase: "SQLITE_NOTADB"
        default: "code \(rawValue)"
        }
    }
}
