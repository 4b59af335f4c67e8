import Foundation
import Storage
import Testing

@testable import Storage

@Suite struct OpeningTests {
    private func refusal(_ path: String, limits: StorageLimits = StorageLimits()) -> StorageError? {
        do throws(StorageError) {
            try Store(path: path, limits: limits, nowUs: 1).close()
            return nil
        } catch {
            return error
        }
    }

    @Test func filesAreReadableByTheirOwnerAlone() async throws {
        let test = try TemporaryStore()
        try await test.append(siren("a"))
        for name in ["sense.sqlite3", "sense.sqlite3-wal", "sense.sqlite3-shm", "sense.sqlite3.lock"] {
            #expect(try test.folder.mode(of: name) == 0o600, "\(name)")
        }
        try test.store.backup(to: test.folder.path + "/backup")
        #expect(try test.folder.mode(of: "backup") == 0o600)
    }

    @Test func aStoreThatOthersCouldReadIsClosedToThem() throws {
        let folder = try TemporaryFolder()
        #expect(refusal(folder.storePath) == nil)
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: folder.storePath)
        #expect(refusal(folder.storePath) == nil)
        #expect(try folder.mode(of: "sense.sqlite3") == 0o600)
    }

    @Test func whatIsNoStoreIsRefusedInWords() throws {
        let folder = try TemporaryFolder()
        let directory = folder.path + "/directory"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: false)
        #expect(refusal(directory) == .cannotOpen(path: directory, reason: "it is a directory"))
        let nowhere = folder.path + "/no/store"
        #expect(refusal(nowhere) == .cannotOpen(path: nowhere, reason: "its folder does not exist"))
        let below = folder.storePath + "/store"
        #expect(refusal(folder.storePath) == nil)
        #expect(refusal(below) == .cannotOpen(path: below, reason: "a part of the path is not a folder"))
        #expect(refusal("/dev/null\0x") == .cannotOpen(path: "/dev/null\0x", reason: "NUL in the path"))
        let text = folder.path + "/text"
        try Data(repeating: 0x41, count: 5_000).write(to: URL(fileURLWithPath: text))
        #expect(refusal(text) == .notAStore(path: text, reason: "file is not a database"))
        #expect(try Data(contentsOf: URL(fileURLWithPath: text)).count == 5_000, "left as it was")
    }

    @Test func theDatabaseOfAnotherProgramIsRefused() throws {
        let folder = try TemporaryFolder()
        let path = folder.storePath
        try StoreFile.createPrivate(path)
        do {
            let other = try Connection(path: path, mode: .readWrite, busyTimeoutMs: 0)
            try other.execute(script: "CREATE TABLE notes (text); PRAGMA user_version = 1")
        }
        guard case .notAStore = refusal(path) else {
            Issue.record("accepted")
            return
        }
    }

    @Test func aStoreOfANewerServerIsRefused() throws {
        let folder = try TemporaryFolder()
        #expect(refusal(folder.storePath) == nil)
        do {
            let newer = try Connection(path: folder.storePath, mode: .readWrite, busyTimeoutMs: 0)
            try newer.execute(script: "PRAGMA user_version = 99")
        }
        #expect(
            refusal(folder.storePath)
                == .newerSchema(path: folder.storePath, found: 99, supported: Migrations.steps.count))
    }

    @Test func aSecondServerIsRefused() throws {
        let folder = try TemporaryFolder()
        let first = try Store(path: folder.storePath, nowUs: 1)
        #expect(refusal(folder.storePath) == .inUse(path: folder.storePath))
        first.close()
        #expect(refusal(folder.storePath) == nil)
    }

    /// Bytes overwritten in the middle of a store: it is refused, kept as it is, and the error says what to do.
    @Test func aDamagedStoreIsRefusedAndLeftAlone() async throws {
        let folder = try TemporaryFolder()
        do {
            let store = try Store(path: folder.storePath, nowUs: 1)
            let profile = ProfileRecord(profileID: "p", displayName: "P", createdUs: 0)
            _ = try await store.result { store.openOrCreateProfile(profile, completion: $0) }
            for index in 0..<200 {
                _ = try await store.result { store.appendAlertEvents([siren("\(index)")], completion: $0) }
            }
            store.close()
        }
        let url = URL(fileURLWithPath: folder.storePath)
        var bytes = try Data(contentsOf: url)
        #expect(bytes.count > 40_000)
        for offset in 4_096 * 4..<bytes.count { bytes[offset] = bytes[offset] ^ 0xA5 }
        try bytes.write(to: url)
        guard case .damaged(folder.storePath, let findings) = refusal(folder.storePath) else {
            Issue.record("opened")
            return
        }
        #expect(!findings.isEmpty && findings.count <= StorageLimits().maxCheckFindings)
        let words = StorageError.damaged(path: "p", findings: findings).description
        #expect(words.contains("backup") && words.contains(".recover"))
        #expect(try Data(contentsOf: url) == bytes)
    }

    @Test func aStoreCutShortIsRefused() throws {
        let folder = try TemporaryFolder()
        #expect(refusal(folder.storePath) == nil)
        let url = URL(fileURLWithPath: folder.storePath)
        try Data(contentsOf: url).prefix(10_000).write(to: url)
        guard case .damaged = refusal(folder.storePath) else {
            Issue.record("opened")
            return
        }
    }

    /// `SQLITE_FULL` is what a full disk gives too; the store lives on and takes small writes again.
    @Test func aFullStoreRefusesAndLosesNothing() async throws {
        var limits = StorageLimits()
        limits.maxStoreBytes = 64 * 4_096
        let test = try TemporaryStore(limits: limits)
        var stored = 0
        var failure: StorageError?
        while failure == nil && stored < 1_000 {
            var update = siren("\(stored)")
            update.payload = [UInt8](repeating: 7, count: 8_000)
            do throws(StorageError) {
                let (store, next) = (test.store, update)
                _ = try await store.result { store.appendAlertEvents([next], completion: $0) }
                stored += 1
            } catch { failure = error }
        }
        guard case .sqlite(.full, _, _, _) = failure else {
            Issue.record("got \(String(describing: failure)) after \(stored)")
            return
        }
        #expect(try await test.events().map(\.eventID) == Array(1...Int64(stored)))
        _ = try await test.answer("0", .received)
    }

    @Test func aBackupIsACompleteStore() async throws {
        let test = try TemporaryStore()
        try await test.append(siren("a"), siren("b"))
        let path = test.folder.path + "/backup.sqlite3"
        try test.store.backup(to: path)
        #expect(throws: StorageError.cannotOpen(path: path, reason: "the file exists")) {
            try test.store.backup(to: path)
        }
        let copy = try Store(path: path, nowUs: 2)
        let events = try await copy.result { copy.eventsAfter(0, profileID: "p", limit: 9, completion: $0) }
        copy.close()
        #expect(try await events == test.events())
    }
}
