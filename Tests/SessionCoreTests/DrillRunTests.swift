import Testing

@testable import SessionCore

@Suite("One drill")
struct DrillRunTests {
    private static let limits = DrillLimits()

    private func now(_ seconds: Double) -> Now {
        Now(serverUs: UInt64(seconds * 1e6), unixUs: 1_700_000_000_000_000 + UInt64(seconds * 1e6))
    }

    private func run() -> DrillRun { DrillRun(room: "hall", startedBy: "phone", at: now(1000)) }

    @Test("passes when a device has the confirmed alert, and says how long each part took")
    func passed() throws {
        var run = run()
        run.confirmed(label: "smoke_alarm", alertID: "a", onsetServerUs: 1_010_000_000, at: now(1014.5))
        #expect(run.acknowledged(upTo: 99, by: "watch", at: now(1014.6)) == nil, "not stored yet")
        run.stored(alertID: "other", eventID: 3)
        #expect(run.acknowledged(upTo: 99, by: "watch", at: now(1014.6)) == nil)
        run.stored(alertID: "a", eventID: 7)
        run.stored(alertID: "a", eventID: 8)
        #expect(run.acknowledged(upTo: 6, by: "watch", at: now(1014.6)) == nil)
        let result = try #require(run.acknowledged(upTo: 7, by: "watch", at: now(1014.75)))
        #expect(
            result
                == DrillResult(
                    room: "hall", isPassed: true, latencyMs: 4750, heardMs: 4500, alertID: "a",
                    deviceName: "watch", startedBy: "phone", unixUs: now(1014.75).unixUs))
    }

    @Test("passes without a device after a while, and says so")
    func noDevice() throws {
        var run = run()
        run.confirmed(label: "co_alarm", alertID: "a", onsetServerUs: 1_010_000_000, at: now(1020))
        #expect(run.dueUs == 1_030_000_000)
        #expect(run.due(at: now(1029.9)) == nil)
        let result = try #require(run.due(at: now(1030)))
        #expect(result.isPassed && result.heardMs == 10_000 && result.latencyMs == 10_000)
        #expect(result.deviceName.isEmpty && result.sentence.contains("no device"))
    }

    @Test("fails when nothing is heard in time")
    func failed() throws {
        let run = run()
        #expect(run.dueUs == 1_000_000_000 + Self.limits.timeoutUs)
        #expect(run.due(at: now(1299.9)) == nil)
        let result = try #require(run.due(at: now(1300)))
        #expect(!result.isPassed && result.heardMs == 0 && result.latencyMs == 0 && result.alertID.isEmpty)
    }

    @Test(
        "other sounds, and alarms that sounded long before, prove nothing",
        arguments: [
            ("siren", 1005.0), ("clock_alarm", 1005), ("kettle", 1005), ("smoke_alarm", 969.9),
        ])
    func others(_ label: String, _ onset: Double) {
        var run = run()
        run.confirmed(label: label, alertID: "a", onsetServerUs: UInt64(onset * 1e6), at: now(1010))
        #expect(run.dueUs == 1_000_000_000 + Self.limits.timeoutUs)
    }

    @Test("only the first alarm counts, and times out of order do no harm")
    func first() throws {
        var run = run()
        run.confirmed(label: "smoke_alarm", alertID: "a", onsetServerUs: 1_100_000_000, at: now(1010))
        run.confirmed(label: "smoke_alarm", alertID: "b", onsetServerUs: 1_011_000_000, at: now(1012))
        let result = try #require(run.due(at: now(1020)))
        #expect(result.alertID == "a" && result.heardMs == 0)
        var extreme = self.run()
        extreme.confirmed(label: "smoke_alarm", alertID: "a", onsetServerUs: .max, at: now(1010))
        #expect(extreme.due(at: now(1020))?.heardMs == 0)
    }
}

@Suite("When rooms are tested")
struct DrillBookTests {
    private static let dayUs: UInt64 = 86_400_000_000
    private static let overdueUs = DrillLimits().overdueUs

    private func now(day: Double) -> Now {
        Now(serverUs: UInt64(day * 86_400e6), unixUs: UInt64(day * 86_400e6))
    }

    @Test("a month counts from the first day heard, then from the last passed drill, told once each")
    func overdue() {
        var book = DrillBook()
        book.heard("hall", at: now(day: 100))
        book.heard("hall", at: now(day: 120))
        let rooms: Set = ["hall", "never heard"]
        #expect(book.overdue(among: rooms, at: now(day: 134.9)).isEmpty)
        #expect(book.overdue(among: rooms, at: now(day: 135)) == ["hall"])
        #expect(book.overdue(among: [], at: now(day: 135)).isEmpty, "a room without a microphone")
        book.announced("hall")
        #expect(book.overdue(among: rooms, at: now(day: 500)).isEmpty)
        #expect(book.nextCheckUs(among: rooms, at: now(day: 500)) == nil)
        book.passed("hall", unixUs: now(day: 501).unixUs)
        #expect(book.overdue(among: rooms, at: now(day: 535)).isEmpty)
        #expect(book.overdue(among: rooms, at: now(day: 536)) == ["hall"])
    }

    @Test("it looks again when a room becomes overdue, and each hour, since clocks are set")
    func nextCheck() {
        var book = DrillBook([DrillRoom(room: "hall", firstHeardUnixUs: now(day: 100).unixUs)])
        let early = now(day: 110)
        #expect(book.nextCheckUs(among: ["hall"], at: early) == early.serverUs + DrillLimits().checkUs)
        let soon = Now(serverUs: 5, unixUs: now(day: 135).unixUs - 7)
        #expect(book.nextCheckUs(among: ["hall"], at: soon) == 12)
        book.heard("", at: early)
        #expect(book.overdueUnixUs("") == nil)
    }

    @Test("the number of rooms is bounded")
    func bounded() {
        var book = DrillBook()
        for index in 0..<300 { book.heard("room \(index)", at: now(day: 1)) }
        #expect(book.overdueUnixUs("room 255") != nil)
        #expect(book.overdueUnixUs("room 256") == nil)
    }
}
