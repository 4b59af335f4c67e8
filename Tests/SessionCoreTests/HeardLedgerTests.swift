import SenseProtocol
import Testing

@testable import SessionCore

@Suite("Time heard")
struct HeardLedgerTests {
    private func now(_ seconds: Double, unix: Double? = nil) -> Now {
        Now(serverUs: UInt64(seconds * 1e6), unixUs: UInt64((unix ?? seconds) * 1e6))
    }

    @Test("whole seconds are told once, and the rest of one is not lost")
    func rest() {
        var ledger = HeardLedger()
        ledger.advance(to: ["hall"], at: now(10))
        #expect(ledger.take(at: now(11.6)) == [HeardTime(room: "hall", day: 0, seconds: 1)])
        #expect(ledger.take(at: now(12)) == [HeardTime(room: "hall", day: 0, seconds: 1)])
        #expect(ledger.take(at: now(12)).isEmpty)
    }

    @Test("rooms are counted apart, and only while they are heard")
    func rooms() {
        var ledger = HeardLedger()
        ledger.advance(to: ["hall"], at: now(0))
        ledger.advance(to: ["hall", "kitchen"], at: now(5))
        ledger.advance(to: ["kitchen"], at: now(8))
        #expect(
            ledger.take(at: now(20)) == [
                HeardTime(room: "hall", day: 0, seconds: 8), HeardTime(room: "kitchen", day: 0, seconds: 15),
            ])
        ledger.advance(to: [], at: now(21))
        #expect(ledger.dueUs != nil)
        #expect(ledger.take(at: now(500)) == [HeardTime(room: "kitchen", day: 0, seconds: 1)])
        #expect(ledger.dueUs == nil)
    }

    @Test("a wall clock that jumps moves the day, never the length")
    func jump() {
        var ledger = HeardLedger()
        ledger.advance(to: ["hall"], at: now(0, unix: 86_400 * 20_000))
        #expect(ledger.take(at: now(60, unix: 5)) == [HeardTime(room: "hall", day: 0, seconds: 60)])
        #expect(
            ledger.take(at: now(90, unix: 86_400 * 20_001)) == [
                HeardTime(room: "hall", day: 20_001, seconds: 30)
            ])
        #expect(ledger.take(at: now(80, unix: 86_400 * 20_001)).isEmpty, "a clock that runs backwards")
    }

    @Test("the sum of what is told is the time heard, however it is cut", arguments: 1...20)
    func sum(_ seed: Int) {
        var ledger = HeardLedger()
        var at = 1.0
        var told: UInt64 = 0
        ledger.advance(to: ["hall"], at: now(at))
        for step in 0..<200 {
            at += Double((step * 7919 + seed * 104_729) % 4000) / 1000
            if step % 3 == 0 { ledger.advance(to: ["hall"], at: now(at)) }
            if step % 2 == 0 { told += ledger.take(at: now(at)).reduce(0) { $0 + $1.seconds } }
        }
        told += ledger.take(at: now(at)).reduce(0) { $0 + $1.seconds }
        #expect(told == UInt64(at - 1))
    }

    @Test("a person's state counts rooms that are heard, every five minutes and when one is left")
    func profile() {
        var script = ProfileScript()
        script.attach(1, device: "mic")
        script.receive(.listening(streamID: 1, true), from: 1)
        script.run(30)
        #expect(script.heard.isEmpty, "an open microphone without samples hears nothing")
        script.receive(.health(streamID: 1, []), from: 1)
        script.run(301)
        #expect(script.heard.map(\.seconds) == [300])
        script.receive(.health(streamID: 1, [HearingFault(.silent, "muted")]), from: 1)
        #expect(script.heard.map(\.seconds) == [300, 1])
        script.run(1000)
        script.receive(.health(streamID: 1, []), from: 1)
        script.run(20)
        script.receive(.detached(isPlanned: false), from: 1)
        #expect(script.heard.map(\.seconds) == [300, 1, 20])
        #expect(script.heard.allSatisfy { $0.room == "hall" && $0.day == script.now.unixUs / 86_400_000_000 })
    }

    @Test func aRoomThatIsLeftIsTakenAlone() {
        var ledger = HeardLedger()
        ledger.advance(to: ["hall", "kitchen"], at: now(0))
        let change = ledger.advance(to: ["kitchen", "attic"], at: now(8))
        #expect(change.begun == ["attic"] && change.left == ["hall"])
        #expect(ledger.take(change.left, at: now(8)) == [HeardTime(room: "hall", day: 0, seconds: 8)])
        #expect(
            ledger.take(at: now(10)) == [
                HeardTime(room: "attic", day: 0, seconds: 2), HeardTime(room: "kitchen", day: 0, seconds: 10),
            ])
    }
}
