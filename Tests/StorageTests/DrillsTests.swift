import Storage
import Testing

@Suite struct DrillsTests {
    private func drill(_ room: String, _ isPassed: Bool, at us: Int64) -> DrillRecord {
        DrillRecord(
            room: room, isPassed: isPassed, finishedUs: us, latencyMs: isPassed ? 4750 : 0,
            heardMs: isPassed ? 4500 : 0, alertID: isPassed ? "a" : "", deviceName: isPassed ? "watch" : "",
            startedBy: "phone")
    }

    @Test func resultsAreKeptAndTheLastPassedOneIsKnown() async throws {
        let test = try TemporaryStore()
        let store = test.store
        let day: Int64 = 86_400_000_000
        let all = [
            drill("hall", true, at: 500 * day), drill("hall", true, at: 510 * day),
            drill("hall", false, at: 520 * day), drill("attic", false, at: 505 * day),
            drill("cellar", true, at: 30 * day),
        ]
        for drill in all { try await store.result { store.addDrill(drill, profileID: "p", completion: $0) } }
        try await store.result {
            store.addHeard(
                [
                    HeardRecord(room: "attic", day: 499, seconds: 60),
                    HeardRecord(room: "attic", day: 490, seconds: 60),
                ], profileID: "p", completion: $0)
        }
        #expect(
            try await store.result { store.drills(profileID: "p", completion: $0) }.map(\.finishedUs)
                == [520, 510, 505, 500, 30].map { $0 * day })
        let rooms = try await store.result { store.drillRooms(profileID: "p", completion: $0) }
        #expect(
            rooms == [
                DrillRoomRecord(
                    room: "attic", firstDay: 490, lastPassedUs: nil, lastFailedUs: 505 * day),
                DrillRoomRecord(room: "cellar", firstDay: nil, lastPassedUs: 30 * day),
                DrillRoomRecord(
                    room: "hall", firstDay: nil, lastPassedUs: 510 * day, lastFailedUs: 520 * day),
            ])
        _ = try await store.result { store.applyRetention(nowUs: 521 * day, completion: $0) }
        let kept = try await store.result { store.drills(profileID: "p", completion: $0) }
        #expect(kept.first == all[2] && kept.count == 4)
        await #expect(throws: StorageError.notFound(.profile)) {
            try await store.result { store.addDrill(all[0], profileID: "nobody", completion: $0) }
        }
    }
}
