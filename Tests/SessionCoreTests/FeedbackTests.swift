import SenseProtocol
import SessionCore
import Testing

@Suite("A person's word on an alert")
struct FeedbackTests {
    private func word(_ id: String, _ correct: Bool, was label: String = "") -> ProfileInput {
        .feedback(AlertFeedback(alertId: id, correct: correct, trueLabel: label), seq: 9)
    }

    @Test("is answered to its device and announced to the others; the newest word counts")
    func announced() throws {
        var script = ProfileScript()
        script.attach(1, device: "mic")
        script.attach(2, device: "watch")
        script.attach(3, device: "phone", watches: false)
        script.listen(1)
        script.sound(.confirmed)
        let id = try #require(script.takeAlerts(2).last?.alertId)
        script.receive(word(id, false, was: "oven"), from: 3)
        #expect(
            script.sent[SessionID(3)]?.last
                == .alertFeedback(
                    AlertFeedback(
                        alertId: id, correct: false, trueLabel: "oven", deviceId: "phone",
                        unixUs: script.now.unixUs)))
        let told = try #require(script.takeAlerts(2).last)
        #expect(told.verdict == .wrong && told.trueLabel == "oven")
        #expect(told.disposition == .open, "a word on an alert does not answer it")
        script.run(31)
        #expect(script.takeAlerts(2).last?.verdict == .wrong, "a reminder keeps it")
        script.receive(word(id, true), from: 2)
        #expect(script.takeAlerts(2).last?.verdict == .right)
        script.sound(.ended)
        let end = try #require(script.takeAlerts(2).last)
        #expect(end.state == .ended && end.verdict == .right && end.trueLabel.isEmpty)
    }

    @Test("on an alert of nobody names the field")
    func unknown() {
        var script = ProfileScript()
        script.attach(1, device: "phone")
        script.receive(word("nothing", false), from: 1)
        guard case .error(let error)? = script.sent[SessionID(1)]?.last else {
            Issue.record("no error")
            return
        }
        #expect(error.code == .notFound && error.field == "alert_feedback.alert_id")
        #expect(error.inReplyToSeq == 9)
    }

    static let tallies: [(right: Int, wrong: Int, hours: Double, rate: Double?, raise: Float)] = [
        (0, 0, 100, 0, 0),
        (0, 5, 0.5, nil, 0),  // too little was heard
        (0, 2, 10, 0.2, 0),  // chance
        (5, 5, 10, 0.5, 0),  // right as often as wrong
        (0, 3, 36, 3.0 / 36, 0),  // exactly what is tolerated
        (0, 3, 30, 0.1, 0.25),
        (2, 4, 20, 0.2, 0.5),
        (0, 60, 10, 6, 1),  // never beyond the limit
        (0, 6000, 10, 600, 1),
    ]

    @Test("gives rates an hour and a bounded raise of the threshold", arguments: tallies)
    func tally(_ row: (right: Int, wrong: Int, hours: Double, rate: Double?, raise: Float)) {
        let tally = FeedbackTally(
            room: "hall", label: "dog", alerts: row.right + row.wrong, right: row.right, wrong: row.wrong,
            heardSeconds: UInt64(row.hours * 3600))
        #expect(tally.wrongPerHour() == row.rate)
        #expect(tally.suggestedRaise() == row.raise)
    }

    @Test("teaches nothing about smoke and CO alarms", arguments: ["smoke_alarm", "co_alarm"])
    func lifeSafety(_ label: String) {
        let tally = FeedbackTally(
            room: "hall", label: label, alerts: 500, right: 0, wrong: 500, heardSeconds: 36_000)
        #expect(tally.wrongPerHour() == 50)
        #expect(tally.suggestedRaise() == 0)
    }
}
