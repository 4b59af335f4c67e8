import Storage
import Testing

@Suite struct RetentionTests {
    private let dayUs: Int64 = 86_400_000_000

    private func apply(_ test: TemporaryStore, nowUs: Int64) async throws -> RetentionOutcome {
        let store = test.store
        return try await store.result { store.applyRetention(nowUs: nowUs, completion: $0) }
    }

    private func range(_ test: TemporaryStore) async throws -> EventRange {
        let store = test.store
        return try await store.result { store.eventRange(profileID: "p", completion: $0) }
    }

    @Test func oldEventsGoAndNumbersGoOn() async throws {
        let test = try TemporaryStore()
        #expect(try await range(test) == EventRange(lowestRetained: 1, last: 0))
        for day in 0..<4 as Range<Int64> { try await test.append(siren("\(day)", startedUs: day * dayUs)) }
        let outcome = try await apply(test, nowUs: 32 * dayUs)
        #expect(outcome == RetentionOutcome(deletedEvents: 2, deletedAlerts: 0, hasMore: false))
        #expect(try await range(test) == EventRange(lowestRetained: 3, last: 4))
        #expect(try await apply(test, nowUs: 99 * dayUs).deletedEvents == 2)
        #expect(try await range(test) == EventRange(lowestRetained: 5, last: 4))
        #expect(try await test.append(siren("new")).map(\.eventID) == [5])
    }

    @Test func theNumberOfEventsIsLimitedAndOnePassIsBounded() async throws {
        var limits = StorageLimits()
        limits.maxEventsPerProfile = 3
        limits.maxDeletesPerPass = 4
        let test = try TemporaryStore(limits: limits)
        for index in 0..<10 { try await test.append(siren("\(index)")) }
        #expect(try await apply(test, nowUs: 0).hasMore)
        #expect(try await test.events().map(\.eventID) == [5, 6, 7, 8, 9, 10])
        #expect(
            try await apply(test, nowUs: 0)
                == RetentionOutcome(deletedEvents: 3, deletedAlerts: 0, hasMore: false))
        #expect(try await test.events().map(\.eventID) == [8, 9, 10])
    }

    /// A clock that jumped back must not tear a hole into the log.
    @Test func whatIsLeftOfTheLogHasNoHole() async throws {
        let test = try TemporaryStore()
        for day in [50, 0, 51] as [Int64] { try await test.append(siren("\(day)", startedUs: day * dayUs)) }
        #expect(try await apply(test, nowUs: 60 * dayUs).deletedEvents == 0)
        #expect(try await test.events().map(\.eventID) == [1, 2, 3])
    }

    @Test func unansweredAlertsStayHoweverOld() async throws {
        let test = try TemporaryStore()
        try await test.append(
            siren("unanswered", startedUs: 1, endedUs: 2), siren("answered", startedUs: 1, endedUs: 2),
            siren("going on", startedUs: 1))
        _ = try await test.answer("answered", .resolved)
        _ = try await test.answer("going on", .acknowledgedByHuman)
        #expect(try await apply(test, nowUs: 500 * dayUs).deletedAlerts == 1)
        let left = try await test.history(HistoryFilter(profileID: "p")).entries.map(\.alert.latest.alertID)
        #expect(left == ["unanswered", "going on"])
    }

    @Test(arguments: [Int64.min, .max]) func extremeClocksDoNotTrap(_ nowUs: Int64) async throws {
        let test = try TemporaryStore()
        try await test.append(siren("a", startedUs: 100, endedUs: 200))
        _ = try await apply(test, nowUs: nowUs)
        #expect(try await test.history(HistoryFilter(profileID: "p")).entries.count == 1)
    }
}
