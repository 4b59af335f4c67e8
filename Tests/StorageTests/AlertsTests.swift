import Storage
import Testing

@Suite struct AlertsTests {
    @Test func anEpisodeKeepsItsIDAndGainsARevisionWithEachUpdate() async throws {
        let test = try TemporaryStore()
        let first = try await test.append(siren("a", startedUs: 100))
        let second = try await test.append(siren("a", startedUs: 100, endedUs: 900))
        #expect(first.map(\.eventID) == [1] && second.map(\.eventID) == [2])
        #expect(first.map(\.alert.revision) == [1] && second.map(\.alert.revision) == [2])
        let store = test.store
        let stored = try await store.result { store.alert(alertID: "a", profileID: "p", completion: $0) }
        #expect(stored == second.first?.alert)
        #expect(stored?.latest == siren("a", startedUs: 100, endedUs: 900))
        #expect(stored?.disposition == .open)
    }

    @Test func aBatchIsStoredAsAWholeOrNotAtAll() async throws {
        let test = try TemporaryStore()
        var stranger = siren("b")
        stranger.profileID = "nobody"
        await #expect(throws: StorageError.notFound(.profile)) { try await test.append(siren("a"), stranger) }
        #expect(try await test.events() == [])
        #expect(try await test.append(siren("a")).map(\.eventID) == [1])
    }

    /// The trail of an alert: each change is announced once, receipts that change nothing are only stored.
    @Test func answersMoveForwardOnly() async throws {
        let test = try TemporaryStore()
        try await test.append(siren("a"))
        let steps: [(kind: StoredReceiptKind, expected: AlertDisposition, isAnnounced: Bool)] = [
            (.received, .open, false), (.presented, .open, false),
            (.acknowledgedByHuman, .acknowledged, true), (.acknowledgedByHuman, .acknowledged, false),
            (.resolved, .resolved, true), (.acknowledgedByHuman, .resolved, false),
            (.resolved, .resolved, false),
        ]
        for (index, step) in steps.enumerated() {
            let outcome = try await test.answer("a", step.kind, by: "d\(index)", at: Int64(index))
            #expect(outcome.alert.disposition == step.expected)
            #expect((outcome.eventID != nil) == step.isAnnounced)
            #expect(outcome.alert.acknowledgedBy == (index < 2 ? "" : "d2"), "the first answer counts")
        }
        let events = try await test.events()
        #expect(events.map { String(decoding: $0.payload, as: UTF8.self) } == ["siren a", "r2 d2", "r3 d3"])
        #expect(events.map(\.revision) == [1, 2, 3])
        #expect(events.map(\.disposition) == [.open, .acknowledged, .resolved])
        let update = try await test.append(siren("a", endedUs: 700))
        #expect(update.first?.alert.disposition == .resolved, "an update does not reopen an answered alert")
        #expect(update.first?.alert.revision == 4)
    }

    @Test func exhaustedIsLoggedAndALateAnswerStillCounts() async throws {
        let test = try TemporaryStore()
        try await test.append(siren("a"), siren("b"))
        _ = try await test.answer("b", .acknowledgedByHuman)
        let store = test.store
        func exhaust(_ alertID: String) async throws -> ReceiptOutcome {
            try await store.result {
                store.markExhausted(
                    alertID: alertID, profileID: "p", nowUs: 600, announce: announcement, completion: $0)
            }
        }
        let unanswered = try await exhaust("a")
        #expect(unanswered.alert.disposition == .exhausted && unanswered.eventID == 4)
        let answered = try await exhaust("b")
        #expect(answered.alert.disposition == .acknowledged && answered.eventID == nil)
        #expect(try await test.answer("a", .acknowledgedByHuman).alert.disposition == .acknowledged)
        await #expect(throws: StorageError.notFound(.alert)) { _ = try await exhaust("z") }
    }

    @Test func aReceiptSentTwiceIsStoredOnceAndAFloodIsRefused() async throws {
        var limits = StorageLimits()
        limits.maxReceiptsPerAlert = 3
        let test = try TemporaryStore(limits: limits)
        try await test.append(siren("a"))
        for _ in 0..<5 { _ = try await test.answer("a", .received, at: 1) }
        for us in 2...3 { _ = try await test.answer("a", .received, at: Int64(us)) }
        await #expect(throws: StorageError.self) { _ = try await test.answer("a", .received, at: 4) }
        let page = try await test.history(HistoryFilter(profileID: "p"))
        #expect(page.entries.first?.receipts.map(\.receivedUs) == [1, 2, 3])
        await #expect(throws: StorageError.notFound(.alert)) { _ = try await test.answer("z", .received) }
    }

    /// Before, the store gave the id of the device where the session had given its name.
    @Test func anAnswerNamesTheDevice() async throws {
        let test = try TemporaryStore()
        _ = try await test.pair("0123abcd")
        try await test.append(siren("a"), siren("b"))
        let named = try await test.answer("a", .acknowledgedByHuman, by: "0123abcd")
        #expect(named.alert.acknowledgedBy == "Phone")
        #expect(try await test.answer("b", .resolved, by: "nameless").alert.acknowledgedBy == "nameless")
        let page = try await test.history(HistoryFilter(profileID: "p"))
        let entry = try #require(page.entries.first { $0.alert.latest.alertID == "a" })
        #expect(entry.receipts.map(\.deviceID) == ["0123abcd"])
    }

    /// After a crash the episodes that went on are ended where they were last seen, and still need an answer.
    @Test func orphansAreEndedAndStayUnanswered() async throws {
        let test = try TemporaryStore()
        try await test.append(siren("a", startedUs: 100), siren("b", startedUs: 50, endedUs: 60))
        _ = try await test.answer("b", .resolved)
        let store = test.store
        func close() async throws -> [AnnouncedAlert] {
            try await store.result {
                store.closeOrphans(
                    except: [], reason: "restart", nowUs: 900, announce: announcement, completion: $0)
            }
        }
        let closed = try await close()
        #expect(closed.map(\.alert.latest.alertID) == ["a"])
        #expect(closed.first?.alert.latest.endedUs == 100)
        #expect(closed.first?.alert.latest.endReason == "restart")
        #expect(closed.first?.alert.disposition == .open)
        #expect(closed.first?.eventID == 4)
        #expect(try await close() == [], "once")
        let open = try await store.result { store.openAlerts(profileID: "p", completion: $0) }
        #expect(open.map(\.latest.alertID) == ["a"])
    }

    /// Before, a restart ended "cannot hear" alerts although nothing was heard again.
    @Test func kindsThatARestartDoesNotEndStayOpen() async throws {
        let test = try TemporaryStore()
        try await test.append(siren("sound", kind: 1), siren("cannot hear", kind: 3))
        let store = test.store
        let closed = try await store.result {
            store.closeOrphans(
                except: [3], reason: "restart", nowUs: 900, announce: announcement, completion: $0)
        }
        #expect(closed.map(\.alert.latest.alertID) == ["sound"])
        let open = try await store.result { store.openAlerts(profileID: "p", completion: $0) }
        let left = try #require(open.first { $0.latest.alertID == "cannot hear" })
        #expect(left.latest.endedUs == nil)
        #expect(left.revision == 1)
    }

    @Test func openAlertsComeMostUrgentFirstAndUnspecifiedUrgencyIsUrgent() async throws {
        let test = try TemporaryStore()
        try await test.append(
            siren("info", startedUs: 9, urgency: 1), siren("unspecified", startedUs: 2, urgency: 0),
            siren("smoke", startedUs: 1, urgency: 4), siren("urgent", startedUs: 3, urgency: 3),
            siren("answered", startedUs: 8, endedUs: 9), siren("going on", startedUs: 7, urgency: 1))
        for alertID in ["answered", "going on"] { _ = try await test.answer(alertID, .acknowledgedByHuman) }
        let store = test.store
        let open = try await store.result { store.openAlerts(profileID: "p", completion: $0) }
        #expect(open.map(\.latest.alertID) == ["smoke", "urgent", "unspecified", "info", "going on"])
    }

    @Test(arguments: [-0.1, 1.1, Double.nan, .infinity])
    func confidenceOutsideOfItsRangeIsRefused(_ confidence: Double) async throws {
        let test = try TemporaryStore()
        var update = siren("a")
        update.confidence = confidence
        await #expect(throws: StorageError.self) { try await test.append(update) }
    }

    @Test func valuesThatAreTooLongAreRefusedByName() async throws {
        let test = try TemporaryStore()
        let long = String(repeating: "x", count: 300)
        let changes: [(String, (inout AlertUpdate) -> Void)] = [
            ("alert_id", { $0.alertID = long }), ("alert_id", { $0.alertID = "" }),
            ("label", { $0.label = long }), ("room", { $0.room = "a\0b" }),
            ("payload", { $0.payload = [UInt8](repeating: 0, count: 70_000) }),
            ("ended_us", { $0.endedUs = $0.startedUs - 1 }),
        ]
        for (field, change) in changes {
            var update = siren("a")
            change(&update)
            do {
                try await test.append(update)
                Issue.record("\(field) was accepted")
            } catch StorageError.invalid(let named, _, _) {
                #expect(named == field)
            }
        }
        #expect(try await test.events() == [])
    }

    @Test func extremeNumbersComeBackAsTheyWere() async throws {
        let test = try TemporaryStore()
        var update = siren("a", startedUs: .min, endedUs: .max)
        update.streamID = .max
        update.kind = .min
        update.urgency = .max
        update.payload = []
        update.label = "🔥 ü 'quoted'; DROP TABLE alerts"
        let announced = try await test.append(update)
        let page = try await test.history(HistoryFilter(profileID: "p", fromUs: .min))
        #expect(page.entries.map(\.alert) == announced.map(\.alert))
        #expect(page.entries.first?.alert.latest == update)
    }
}
