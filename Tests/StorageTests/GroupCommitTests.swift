import Synchronization
import Testing

@testable import Storage

@Suite struct GroupCommitTests {
    private let folder: TemporaryFolder
    private let connection: Connection

    init() throws {
        folder = try TemporaryFolder()
        try StoreFile.createPrivate(folder.storePath)
        connection = try Connection(path: folder.storePath, mode: .readWrite, busyTimeoutMs: 0)
        try connection.execute(script: "PRAGMA journal_mode = WAL; CREATE TABLE t (x INTEGER UNIQUE, y BLOB)")
    }

    private final class Outcomes: Sendable {
        let list = Mutex<[String]>([])
        func add(_ text: String) { list.withLock { $0.append(text) } }
        var all: [String] { list.withLock { $0 } }
    }

    /// Inserts `value`; the outcome tells also how many rows another connection saw at completion.
    private func insert(
        _ value: Int64, bytes: Int64 = 0, into outcomes: Outcomes, from path: String
    ) -> any StoreRequest {
        TypedRequest<Int64>(
            body: { connection throws(StorageError) in
                try connection.run("INSERT INTO t VALUES (?, zeroblob(?))", .integer(value), .integer(bytes))
                return value
            },
            completion: { result in
                let rows = try? Connection(path: path, mode: .readOnly, busyTimeoutMs: 0)
                    .first("SELECT count(*) FROM t") { $0.int64(0) }
                switch result {
                case .success(let value): outcomes.add("\(value) ok, \(rows ?? -1) visible")
                case .failure(.sqlite(let code, _, _, _)): outcomes.add("\(value) \(code)")
                case .failure(let error): outcomes.add("\(value) \(error)")
                }
            })
    }

    @Test func oneFailureUndoesOnlyItselfAndAllIsVisibleBeforeTheFirstCompletion() throws {
        let outcomes = Outcomes()
        let requests = [1, 2, 1, 3].map { insert($0, into: outcomes, from: folder.storePath) }
        GroupCommit.run(requests, on: connection)
        #expect(
            outcomes.all == ["1 ok, 3 visible", "2 ok, 3 visible", "1 SQLITE_CONSTRAINT", "3 ok, 3 visible"])
        #expect(!connection.isInTransaction)
    }

    @Test func aRequestThatFailsHalfWayLeavesNothing() throws {
        let outcomes = Outcomes()
        let half = TypedRequest<Void>(
            body: { connection throws(StorageError) in
                try connection.run("INSERT INTO t VALUES (7, NULL)")
                throw StorageError.notFound(.alert)
            }, completion: { _ in outcomes.add("half") })
        GroupCommit.run([half, insert(8, into: outcomes, from: folder.storePath)], on: connection)
        #expect(outcomes.all == ["half", "8 ok, 1 visible"])
    }

    /// A full disk makes SQLite give up the whole transaction: those before fail too, those after are tried.
    @Test func aTransactionGivenUpFailsWhatWasInItAndTheRestIsTried() throws {
        try connection.execute(script: "PRAGMA max_page_count = 20")
        let outcomes = Outcomes()
        let path = folder.storePath
        GroupCommit.run(
            [
                insert(1, into: outcomes, from: path), insert(2, bytes: 500_000, into: outcomes, from: path),
                insert(3, into: outcomes, from: path),
            ], on: connection)
        #expect(outcomes.all.contains("2 SQLITE_FULL"))
        #expect(outcomes.all.last?.hasPrefix("3 ok") == true)
        let stored = try connection.rows("SELECT x FROM t") { $0.int64(0) }
        let acknowledged = outcomes.all.filter { $0.contains("ok") }.compactMap { Int64($0.prefix(1)) }
        #expect(stored == acknowledged)
    }

    @Test func aLockHeldByAnotherProcessFailsTheBatchWithBusy() throws {
        let other = try Connection(path: folder.storePath, mode: .readWrite, busyTimeoutMs: 0)
        try other.run("BEGIN IMMEDIATE")
        let outcomes = Outcomes()
        GroupCommit.run([1, 2].map { insert($0, into: outcomes, from: folder.storePath) }, on: connection)
        #expect(outcomes.all == ["1 SQLITE_BUSY", "2 SQLITE_BUSY"])
        try other.run("ROLLBACK")
        GroupCommit.run([insert(1, into: outcomes, from: folder.storePath)], on: connection)
        #expect(outcomes.all.last == "1 ok, 1 visible")
    }
}
