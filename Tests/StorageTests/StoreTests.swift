import Storage
import Testing

@Suite struct StoreTests {
    @Test func aProfileIsMadeOnceAndReturnedAsStored() async throws {
        let test = try TemporaryStore()
        let store = test.store
        let other = ProfileRecord(profileID: "p", displayName: "Other", language: "en", createdUs: 99)
        let stored = try await store.result { store.openOrCreateProfile(other, completion: $0) }
        #expect(stored == ProfileRecord(profileID: "p", displayName: "Pia", language: "de", createdUs: 2))
    }

    @Test func everythingIsThereAfterReopening() async throws {
        let folder = try TemporaryFolder()
        var store = try Store(path: folder.storePath, nowUs: 1)
        let profile = ProfileRecord(profileID: "p", displayName: "P", createdUs: 0)
        _ = try await store.result { [store] in store.openOrCreateProfile(profile, completion: $0) }
        _ = try await store.result { [store] in store.appendAlertEvents([siren("a")], completion: $0) }
        store.close()
        store = try Store(path: folder.storePath, nowUs: 2)
        let events = try await store.result { [store] in
            store.eventsAfter(0, profileID: "p", limit: 10, completion: $0)
        }
        #expect(events.map(\.subjectID) == ["a"])
        store.close()
    }

    @Test func aClosedStoreAnswersAtOnce() throws {
        let folder = try TemporaryFolder()
        let store = try Store(path: folder.storePath, nowUs: 1)
        store.close()
        #expect(throws: StorageError.closed) { try store.wait { store.profiles(completion: $0) } }
        #expect(throws: StorageError.closed) {
            try store.wait { store.touchDevice("d", nowUs: 1, completion: $0) }
        }
    }

    /// Writes from many tasks at once: all are acknowledged, numbered 1…N, each once.
    @Test func concurrentWritersShareOneLog() async throws {
        let test = try TemporaryStore()
        let store = test.store
        let eventIDs = try await withThrowingTaskGroup(of: [Int64].self) { group in
            for writer in 0..<20 {
                group.addTask {
                    var eventIDs: [Int64] = []
                    for step in 0..<25 {
                        let update = siren("\(writer)-\(step)")
                        let stored = try await store.result {
                            store.appendAlertEvents([update], completion: $0)
                        }
                        eventIDs += stored.map(\.eventID)
                    }
                    return eventIDs
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        #expect(eventIDs.sorted() == Array(1...500))
        #expect(try await test.events().map(\.eventID) == Array(1...500))
    }
}
