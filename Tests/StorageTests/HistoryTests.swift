import Storage
import Testing

@Suite struct HistoryTests {
    /// Pages joined equal the sorted list, for any page size, also where many alerts start at the same time.
    @Test(arguments: [1, 2, 3, 7, 200]) func pagesJoinToTheWhole(_ pageSize: Int) async throws {
        let test = try TemporaryStore()
        var expected: [String] = []
        for startedUs in [5, 4, 3] as [Int64] {
            for alertID in ["c", "b", "a"] {
                try await test.append(siren("\(alertID)\(startedUs)", startedUs: startedUs))
                expected.append("\(alertID)\(startedUs)")
            }
        }
        var got: [String] = []
        var token = ""
        var pages = 0
        repeat {
            let filter = HistoryFilter(profileID: "p", pageSize: pageSize, pageToken: token)
            let page = try await test.history(filter)
            got += page.entries.map(\.alert.latest.alertID)
            token = page.nextPageToken
            pages += 1
            if pages == 1 { try await test.append(siren("newer", startedUs: 99)) }
        } while !token.isEmpty
        #expect(got == expected, "an alert that comes in between neither shifts nor repeats entries")
        #expect(pages == max(1, (9 + pageSize - 1) / pageSize))
    }

    @Test func filtersNarrow() async throws {
        let test = try TemporaryStore()
        try await test.append(
            siren("1", startedUs: 1, label: "dog"), siren("2", startedUs: 2),
            siren("3", startedUs: 3, kind: 5),
            siren("4", startedUs: 4, label: "dog", kind: 5))
        func ids(_ filter: HistoryFilter) async throws -> [String] {
            try await test.history(filter).entries.map(\.alert.latest.alertID)
        }
        #expect(try await ids(HistoryFilter(profileID: "p")) == ["4", "3", "2", "1"])
        #expect(try await ids(HistoryFilter(profileID: "p", label: "dog")) == ["4", "1"])
        #expect(try await ids(HistoryFilter(profileID: "p", kind: 5)) == ["4", "3"])
        #expect(try await ids(HistoryFilter(profileID: "p", label: "dog", kind: 5)) == ["4"])
        #expect(try await ids(HistoryFilter(profileID: "p", fromUs: 2, toUs: 4)) == ["3", "2"])
        #expect(try await ids(HistoryFilter(profileID: "p", label: "' OR 1=1 --")) == [])
        #expect(try await ids(HistoryFilter(profileID: "q")) == [])
    }

    @Test func entriesCarryWhoWasToldAndWhen() async throws {
        let test = try TemporaryStore()
        try await test.append(siren("a"))
        _ = try await test.answer("a", .presented, by: "watch", at: 20)
        _ = try await test.answer("a", .acknowledgedByHuman, by: "anna", at: 30, note: "coming")
        let entry = try await test.history(HistoryFilter(profileID: "p")).entries.first
        #expect(
            entry?.receipts == [
                ReceiptRecord(deviceID: "watch", kind: .presented, receivedUs: 20),
                ReceiptRecord(deviceID: "anna", kind: .acknowledgedByHuman, receivedUs: 30, note: "coming"),
            ])
        #expect(entry?.alert.acknowledgedBy == "anna" && entry?.alert.acknowledgedUs == 30)
    }

    @Test func whatTheServerResolvedWasAnsweredByNobody() async throws {
        let test = try TemporaryStore()
        try await test.append(siren("a"))
        _ = try await test.answer("a", .resolved, by: ReceiptRecord.serverID, at: 20, note: "hearing again")
        _ = try await test.answer("a", .acknowledgedByHuman, by: "anna", at: 30)
        let entry = try await test.history(HistoryFilter(profileID: "p")).entries.first
        #expect(entry?.alert.disposition == .resolved)
        #expect(entry?.alert.acknowledgedBy == "" && entry?.alert.acknowledgedUs == nil)
        #expect(entry?.receipts.map(\.deviceID) == [ReceiptRecord.serverID, "anna"])
    }

    @Test(arguments: [":", "x", "5", ":a", "5:", "+5:a", "05:a", "99999999999999999999:a", "5\0:a", "-:a"])
    func tokensOfOthersAreRefused(_ token: String) async throws {
        let test = try TemporaryStore()
        try await test.append(siren("a"))
        await #expect(throws: StorageError.self) {
            _ = try await test.history(HistoryFilter(profileID: "p", pageToken: token))
        }
    }

    @Test func pageSizesAreCutToTheLimit() async throws {
        var limits = StorageLimits()
        limits.maxPageSize = 2
        limits.defaultPageSize = 1
        let test = try TemporaryStore(limits: limits)
        try await test.append(siren("a"), siren("b"), siren("c"))
        for (asked, got) in [(0, 1), (-5, 1), (2, 2), (.max, 2)] {
            let page = try await test.history(HistoryFilter(profileID: "p", pageSize: asked))
            #expect(page.entries.count == got)
        }
    }
}
