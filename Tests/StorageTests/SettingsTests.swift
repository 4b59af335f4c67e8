import Storage
import Testing

@Suite struct SettingsTests {
    private let test: TemporaryStore

    init() throws { test = try TemporaryStore() }

    private func edit(
        base: Int64, _ changes: [(String, [UInt8]?)], by deviceID: String = "d", at nowUs: Int64 = 5
    ) async throws -> StoredSettings {
        let store = test.store
        let edit = SettingsEdit(
            profileID: "p", baseRevision: base,
            changes: changes.map { SettingsEdit.Change(key: $0.0, value: $0.1) }, deviceID: deviceID,
            nowUs: nowUs)
        return try await store.result { store.editSettings(edit, completion: $0) }
    }

    private func all(since revision: Int64 = 0) async throws -> StoredSettings {
        let store = test.store
        return try await store.result { store.settings(profileID: "p", since: revision, completion: $0) }
    }

    @Test func eachKeyKeepsTheRevisionThatChangedIt() async throws {
        #expect(try await edit(base: 0, [("a", [1]), ("b", [2])]).revision == 1)
        let second = try await edit(base: 1, [("b", [3])], by: "watch", at: 9)
        #expect(
            second
                == StoredSettings(
                    revision: 2,
                    settings: [
                        SettingRecord(key: "b", value: [3], revision: 2, changedUs: 9, changedBy: "watch")
                    ]))
        #expect(try await all().settings.map(\.revision) == [1, 2])
        #expect(try await all(since: 1).settings.map(\.key) == ["b"])
        #expect(try await all(since: 2).settings == [])
    }

    @Test func keysOthersChangedConflictAndTheRestIsApplied() async throws {
        _ = try await edit(base: 0, [("a", [1]), ("b", [1])])
        _ = try await edit(base: 1, [("a", [2])], by: "first")
        let late = try await edit(base: 1, [("a", [3]), ("b", [3]), ("c", [3])], by: "late")
        #expect(late.conflictingKeys == ["a"])
        #expect(late.settings.map(\.value) == [[2], [3], [3]])
        #expect(late.revision == 3)
        let onlyConflict = try await edit(base: 0, [("a", [9])])
        #expect(onlyConflict.conflictingKeys == ["a"] && onlyConflict.revision == 3)
        let agreed = try await edit(base: 0, [("a", [2])])
        #expect(agreed.conflictingKeys == [], "the same value is no conflict")
    }

    @Test func aRemovedKeyIsGoneButStillConflicts() async throws {
        _ = try await edit(base: 0, [("a", [1])])
        _ = try await edit(base: 1, [("a", nil)])
        #expect(try await all().settings == [])
        #expect(try await all(since: 1).settings.map(\.value) == [nil])
        #expect(try await edit(base: 1, [("a", [7])]).conflictingKeys == ["a"])
        #expect(try await edit(base: 2, [("a", [])]).settings.map(\.value) == [[]], "empty is not removed")
    }

    @Test func badEditsAreRefused() async throws {
        let many = (0...256).map { ("k\($0)", [UInt8]?.some([1])) }
        let edits: [(Int64, [(String, [UInt8]?)])] = [
            (0, []), (0, many), (0, [("a", [1]), ("a", [2])]), (0, [("", [1])]), (1, [("a", [1])]),
            (-1, [("a", [1])]), (0, [("a", [UInt8](repeating: 0, count: 20_000))]),
            (0, [(String(repeating: "k", count: 129), [1])]),
        ]
        for (base, changes) in edits {
            await #expect(throws: StorageError.self) { _ = try await edit(base: base, changes) }
        }
        #expect(try await all() == StoredSettings(revision: 0, settings: []))
    }
}
