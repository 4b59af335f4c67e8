// The only file that calls SQLite.
//
// Invariant that makes it safe: `handle` and every pointer in `statements` are opened in `init` or `prepare`
// and closed once in `deinit`; a `Connection` is used by one thread at a time (`SQLITE_OPEN_NOMUTEX`, SQLite's
// "multi-thread" mode: safe as long as no connection is used in two threads at once); pointers to column
// data are read before the next step, and arguments are copied by SQLite (`SQLITE_TRANSIENT`).

import CSQLite

/// One argument of a statement.
enum SQLValue: Sendable {
    case null
    case integer(Int64)
    case real(Double)
    case text(String)
    case blob([UInt8])

    static func optional(_ value: Int64?) -> SQLValue { value.map { .integer($0) } ?? .null }
    static func optional(_ value: [UInt8]?) -> SQLValue { value.map { .blob($0) } ?? .null }
}

/// The current row of a query; only valid inside of the closure that gets it.
@safe struct Row: ~Copyable {
    fileprivate let statement: OpaquePointer

    func int64(_ column: Int32) -> Int64 { unsafe sqlite3_column_int64(statement, column) }

    func int32(_ column: Int32) -> Int32 { Int32(truncatingIfNeeded: int64(column)) }

    func double(_ column: Int32) -> Double { unsafe sqlite3_column_double(statement, column) }

    func isNull(_ column: Int32) -> Bool { unsafe sqlite3_column_type(statement, column) == SQLITE_NULL }

    func optionalInt64(_ column: Int32) -> Int64? { isNull(column) ? nil : int64(column) }

    func blob(_ column: Int32) -> [UInt8] {
        guard let start = unsafe sqlite3_column_blob(statement, column) else { return [] }
        let count = unsafe Int(sqlite3_column_bytes(statement, column))
        return unsafe [UInt8](UnsafeRawBufferPointer(start: start, count: count))
    }

    func optionalBlob(_ column: Int32) -> [UInt8]? { isNull(column) ? nil : blob(column) }

    /// Text; bytes of a damaged store that are not UTF-8 become replacement characters.
    func text(_ column: Int32) -> String {
        guard let start = unsafe sqlite3_column_text(statement, column) else { return "" }
        let count = unsafe Int(sqlite3_column_bytes(statement, column))
        return unsafe String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    }
}

/// One SQLite connection with its prepared statements.
///
/// Isolation: one thread at a time; not `Sendable`.
@safe final class Connection {
    enum Mode { case readWrite, readOnly }

    private let handle: OpaquePointer
    private var statements: [String: OpaquePointer] = unsafe [:]

    /// Opens an existing file.
    ///
    /// - Throws: `StorageError.sqlite`; SQLite reads the file lazily, so that damage shows at first use.
    init(path: String, mode: Mode, busyTimeoutMs: Int) throws(StorageError) {
        let access = mode == .readWrite ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY
        var opened: OpaquePointer?
        let code = unsafe sqlite3_open_v2(
            path, &opened, access | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, nil)
        guard code == SQLITE_OK, let opened = unsafe opened else {
            let message = unsafe opened.map { unsafe String(cString: sqlite3_errmsg($0)) } ?? "out of memory"
            unsafe sqlite3_close_v2(opened)
            throw .sqlite(code: .primary(of: code), extendedCode: code, message: message, sql: "open")
        }
        unsafe handle = opened
        unsafe sqlite3_busy_timeout(handle, Int32(clamping: busyTimeoutMs))
    }

    deinit {
        for unsafe(_, statement) in unsafe statements { unsafe sqlite3_finalize(statement) }
        unsafe sqlite3_close_v2(handle)
    }

    /// Whether a transaction is open; SQLite ends one by itself on some errors, such as a full disk.
    var isInTransaction: Bool { unsafe sqlite3_get_autocommit(handle) == 0 }

    /// Runs several statements without arguments, such as a migration.
    func execute(script: String) throws(StorageError) {
        let code = unsafe sqlite3_exec(handle, script, nil, nil, nil)
        guard code == SQLITE_OK else { throw failure(code, script) }
    }

    /// Runs one statement to its end.
    ///
    /// - Returns: the number of rows it changed; meaningless for statements that change none.
    @discardableResult
    func run(_ sql: String, _ arguments: SQLValue...) throws(StorageError) -> Int {
        let statement = try unsafe start(sql, arguments)
        defer { unsafe finish(statement) }
        while try unsafe step(statement, sql) {}
        return unsafe Int(sqlite3_changes64(handle))
    }

    /// All rows of a query, each mapped by `read`.
    func rows<Value>(
        _ sql: String, _ arguments: SQLValue..., read: (borrowing Row) -> Value
    ) throws(StorageError) -> [Value] {
        try rows(sql, arguments: arguments, read: read)
    }

    /// All rows of a query whose number of arguments varies.
    func rows<Value>(
        _ sql: String, arguments: [SQLValue], read: (borrowing Row) -> Value
    ) throws(StorageError) -> [Value] {
        let statement = try unsafe start(sql, arguments)
        defer { unsafe finish(statement) }
        var values: [Value] = []
        while try unsafe step(statement, sql) { values.append(read(unsafe Row(statement: statement))) }
        return values
    }

    /// The first row of a query, or nil.
    func first<Value>(
        _ sql: String, _ arguments: SQLValue..., read: (borrowing Row) -> Value
    ) throws(StorageError) -> Value? {
        let statement = try unsafe start(sql, arguments)
        defer { unsafe finish(statement) }
        return try unsafe step(statement, sql) ? read(unsafe Row(statement: statement)) : nil
    }

    private func start(_ sql: String, _ arguments: [SQLValue]) throws(StorageError) -> OpaquePointer {
        let statement = try unsafe prepare(sql)
        for (offset, argument) in arguments.enumerated() {
            let code = unsafe bind(argument, to: statement, at: Int32(clamping: offset + 1))
            guard code == SQLITE_OK else {
                unsafe finish(statement)
                throw failure(code, sql)
            }
        }
        return unsafe statement
    }

    private func prepare(_ sql: String) throws(StorageError) -> OpaquePointer {
        if let known = unsafe statements[sql] { return unsafe known }
        var prepared: OpaquePointer?
        let code = unsafe sqlite3_prepare_v3(
            handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &prepared, nil)
        guard code == SQLITE_OK, let statement = unsafe prepared else { throw failure(code, sql) }
        unsafe statements[sql] = unsafe statement
        return unsafe statement
    }

    private func bind(_ value: SQLValue, to statement: OpaquePointer, at index: Int32) -> Int32 {
        let transient = unsafe unsafeBitCast(-1, to: sqlite3_destructor_type.self)
        switch value {
        case .null: return unsafe sqlite3_bind_null(statement, index)
        case .integer(let value): return unsafe sqlite3_bind_int64(statement, index, value)
        case .real(let value): return unsafe sqlite3_bind_double(statement, index, value)
        case .text(var value):
            return value.withUTF8 { utf8 in
                guard let start = utf8.baseAddress else {
                    return unsafe sqlite3_bind_text(statement, index, "", 0, transient)
                }
                return unsafe start.withMemoryRebound(to: CChar.self, capacity: utf8.count) {
                    unsafe sqlite3_bind_text(statement, index, $0, Int32(clamping: utf8.count), transient)
                }
            }
        case .blob(let value):
            return unsafe value.withUnsafeBytes { bytes in
                guard let start = bytes.baseAddress else {
                    return unsafe sqlite3_bind_zeroblob(statement, index, 0)
                }
                return unsafe sqlite3_bind_blob64(
                    statement, index, start, UInt64(bytes.count), transient)
            }
        }
    }

    /// True: a row is there; false: done.
    private func step(_ statement: OpaquePointer, _ sql: String) throws(StorageError) -> Bool {
        let code = unsafe sqlite3_step(statement)
        switch code {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        default: throw failure(code, sql)
        }
    }

    private func finish(_ statement: OpaquePointer) {
        unsafe sqlite3_reset(statement)
        unsafe sqlite3_clear_bindings(statement)
    }

    private func failure(_ code: Int32, _ sql: String) -> StorageError {
        let message = unsafe String(cString: sqlite3_errmsg(handle))
        return .sqlite(code: .primary(of: code), extendedCode: code, message: message, sql: sql)
    }
}
