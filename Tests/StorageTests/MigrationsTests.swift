import Testing

@testable import Storage

@Suite struct MigrationsTests {
    private let folder: TemporaryFolder
    private let connection: Connection

    init() throws {
        folder = try TemporaryFolder()
        try StoreFile.createPrivate(folder.storePath)
        connection = try Connection(path: folder.storePath, mode: .readWrite, busyTimeoutMs: 0)
    }

    private func version() throws -> Int64? { try connection.first("PRAGMA user_version") { $0.int64(0) } }

    @Test func stepsAreAppliedOnceInOrderAndNamed() throws {
        try Migrations.apply(to: connection, path: "s", nowUs: 5)
        let more = Migrations.steps + [Migrations.Step(name: "next", sql: "CREATE TABLE more (x) STRICT")]
        #expect(throws: StorageError.self, "STRICT needs a type") {
            try Migrations.apply(more, to: connection, path: "s", nowUs: 6)
        }
        #expect(try version() == Int64(Migrations.steps.count), "a failed step leaves nothing behind")
        let good =
            Migrations.steps + [Migrations.Step(name: "next", sql: "CREATE TABLE more (x TEXT) STRICT")]
        for nowUs in [7, 8] as [Int64] { try Migrations.apply(good, to: connection, path: "s", nowUs: nowUs) }
        let applied = try connection.rows("SELECT name, applied_us FROM migrations ORDER BY number") {
            "\($0.text(0)) \($0.int64(1))"
        }
        #expect(applied == Migrations.steps.map { "\($0.name) 5" } + ["next 7"])
    }

    @Test func everyReleasedStepHasItsOwnName() {
        #expect(Set(Migrations.steps.map(\.name)).count == Migrations.steps.count)
    }
}
