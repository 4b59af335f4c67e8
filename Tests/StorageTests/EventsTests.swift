import Storage
import Testing

@Suite struct EventsTests {
    @Test func theLogIsNumberedWithoutGapsAndReadInPieces() async throws {
        let test = try TemporaryStore()
        let store = test.store
        for index in 1...7 {
            let eventID = try await store.result {
                store.appendEvent(
                    kind: .device, subjectID: "d", payload: [UInt8(index)], profileID: "p", nowUs: 5,
                    completion: $0)
            }
            #expect(eventID == Int64(index))
        }
        #expect(try await test.events(after: 0, limit: 3).map(\.eventID) == [1, 2, 3])
        #expect(try await test.events(after: 3, limit: 100).map(\.payload) == [[4], [5], [6], [7]])
        #expect(try await test.events(after: 7) == [])
        #expect(try await test.events(after: .max) == [])
        #expect(try await test.events(after: .min, limit: -1) == [])
        #expect(try await test.events(after: 0, limit: 1).first?.disposition == nil)
    }

    @Test func profilesHaveTheirOwnNumbers() async throws {
        let test = try TemporaryStore()
        let store = test.store
        let other = ProfileRecord(profileID: "q", displayName: "Q", createdUs: 3)
        _ = try await store.result { store.openOrCreateProfile(other, completion: $0) }
        var theirs = siren("a")
        theirs.profileID = "q"
        let announced = try await test.append(siren("a"), theirs, siren("b"))
        #expect(announced.map(\.eventID) == [1, 1, 2])
        let profiles = try await store.result { store.profiles(completion: $0) }
        #expect(profiles.map(\.profileID) == ["p", "q"] && profiles.map(\.lastEventID) == [2, 1])
    }

    @Test func theCursorOfADeviceMovesForwardOnlyAndNeverPastTheEnd() async throws {
        let test = try TemporaryStore()
        let store = test.store
        _ = try await test.pair("d")
        try await test.append(siren("a"), siren("b"), siren("c"))
        func acknowledge(_ eventID: Int64) async throws -> Int64 {
            try await store.result { store.ackEvents(upTo: eventID, deviceID: "d", completion: $0) }
        }
        #expect(try await acknowledge(2) == 2)
        #expect(try await acknowledge(1) == 2)
        #expect(try await acknowledge(3) == 3)
        for hostile in [4, -1, Int64.max, .min] {
            await #expect(throws: StorageError.self) { _ = try await acknowledge(hostile) }
        }
        let device = try await store.result { store.deviceByTokenHash(hash("d"), completion: $0) }
        #expect(device?.ackedEventID == 3)
        await #expect(throws: StorageError.notFound(.device)) {
            try await store.result { store.ackEvents(upTo: 1, deviceID: "x", completion: $0) }
        }
    }
}
