import Storage
import Testing

@Suite struct FeedbackTests {
    private func say(
        _ correct: Bool, _ alertID: String, by deviceID: String = "d", was label: String = "",
        at us: Int64 = 5,
        _ test: TemporaryStore
    ) async throws -> ReceiptOutcome {
        let store = test.store
        return try await store.result {
            store.addFeedback(
                FeedbackRecord(deviceID: deviceID, isCorrect: correct, trueLabel: label, receivedUs: us),
                alertID: alertID, profileID: "p", announce: announcement, completion: $0)
        }
    }

    @Test func theNewestWordIsTheVerdictAndAChangeIsAnnouncedOnce() async throws {
        let test = try TemporaryStore()
        try await test.append(siren("a"))
        let wrong = try await say(false, "a", by: "anna", was: "oven", at: 5, test)
        #expect(wrong.alert.verdict == .wrong && wrong.alert.trueLabel == "oven" && wrong.eventID == 2)
        let again = try await say(false, "a", by: "ben", was: "oven", at: 6, test)
        #expect(again.eventID == nil)
        let right = try await say(true, "a", by: "anna", at: 7, test)
        #expect(right.alert.verdict == .right && right.alert.trueLabel.isEmpty && right.eventID == 3)
        #expect(right.alert.disposition == .open)
        let update = try await test.append(siren("a", endedUs: 700))
        #expect(update.first?.alert.verdict == .right, "an update keeps it")
        let entry = try #require(try await test.history(HistoryFilter(profileID: "p")).entries.first)
        #expect(
            entry.feedback == [
                FeedbackRecord(deviceID: "ben", isCorrect: false, trueLabel: "oven", receivedUs: 6),
                FeedbackRecord(deviceID: "anna", isCorrect: true, trueLabel: "", receivedUs: 7),
            ])
        await #expect(throws: StorageError.notFound(.alert)) { try await say(true, "z", test) }
    }

    @Test func talliesCountByRoomAndLabelSinceAMoment() async throws {
        let test = try TemporaryStore()
        let day: Int64 = 86_400_000_000
        for (index, alert) in [("a", "siren"), ("b", "siren"), ("c", "dog"), ("d", "dog")].enumerated() {
            try await test.append(siren(alert.0, startedUs: 100 * day + Int64(index), label: alert.1))
        }
        try await test.append(
            siren("old", startedUs: 50 * day), siren("other", startedUs: 100 * day, kind: 3))
        for id in ["a", "old", "other"] { _ = try await say(false, id, test) }
        _ = try await say(true, "c", test)
        let store = test.store
        let heard = [
            HeardRecord(room: "kitchen", day: 69, seconds: 5),
            HeardRecord(room: "kitchen", day: 70, seconds: 7),
            HeardRecord(room: "kitchen", day: 70, seconds: 8), HeardRecord(room: "attic", day: 3, seconds: 1),
        ]
        try await store.result { store.addHeard(heard, profileID: "p", completion: $0) }
        let tallies = try await store.result {
            store.alertTallies(profileID: "p", kind: 1, fromUs: 70 * day + 5, completion: $0)
        }
        #expect(
            tallies.tallies == [
                AlertTallyRecord(room: "kitchen", label: "siren", alerts: 2, right: 0, wrong: 1),
                AlertTallyRecord(room: "kitchen", label: "dog", alerts: 2, right: 1, wrong: 0),
            ])
        #expect(
            tallies.rooms == [
                HeardRoomRecord(room: "attic", seconds: 0, firstDay: 3),
                HeardRoomRecord(room: "kitchen", seconds: 15, firstDay: 69),
            ])
        await #expect(throws: StorageError.notFound(.profile)) {
            try await store.result { store.addHeard(heard, profileID: "nobody", completion: $0) }
        }
        let limits = StorageLimits()
        let later = (Int64(limits.alertRetentionDays) + 70) * day
        _ = try await store.result { store.applyRetention(nowUs: later, completion: $0) }
        let kept = try await store.result {
            store.alertTallies(profileID: "p", kind: 1, fromUs: 0, completion: $0)
        }
        #expect(kept.rooms == [HeardRoomRecord(room: "kitchen", seconds: 15, firstDay: 70)])
    }

    @Test func talliesCountWhatAPersonWasTold() async throws {
        let test = try TemporaryStore()
        try await test.append(siren("suspected", isTold: false))
        try await test.append(siren("suspected", endedUs: 200, isTold: false))
        try await test.append(siren("confirmed", isTold: false))
        try await test.append(siren("confirmed"))
        try await test.append(siren("confirmed", endedUs: 200, isTold: false))
        try await test.append(siren("held back", endedUs: 200, label: "dog", isTold: false))
        let store = test.store
        func counts() async throws -> [String: Int] {
            let tallies = try await store.result {
                store.alertTallies(profileID: "p", kind: 1, fromUs: 0, completion: $0)
            }
            return Dictionary(uniqueKeysWithValues: tallies.tallies.map { ($0.label, $0.alerts) })
        }
        #expect(try await counts() == ["siren": 1])
        // Whoever speaks of it was told, whatever was meant to be.
        _ = try await say(false, "suspected", test)
        #expect(try await counts() == ["siren": 2])
    }
}
