import SenseProtocol
import SessionCore
import Testing

@Suite("Alerts of a person")
struct ProfileAlertTests {
    @Test("a three-minute siren is one start, at most one reminder in 30 s, and one end (T6)")
    func longSiren() {
        var script = ProfileScript()
        script.attach(1, device: "mic")
        script.sound(.confirmed)
        for _ in 0..<18 {
            script.run(10)
            script.sound(.continues)
        }
        script.sound(.ended)
        let states = script.log.map(\.state)
        #expect(states.first == .confirmed)
        #expect(states.last == .ended)
        #expect(states.filter { $0 == .confirmed }.count == 1)
        #expect(states.filter { $0 == .updated }.count <= 6)
        #expect(states.filter { $0 == .updated }.count >= 5)
        #expect(Set(script.log.map(\.alertId)).count == 1)
        #expect((179_000...181_000).contains(script.log.last?.durationMs ?? 0))
    }

    @Test("an alarm that ends before anyone acknowledges goes on reminding until a human does (T32)")
    func endedUnacknowledged() {
        var script = ProfileScript()
        script.attach(1, device: "mic")
        script.sound(.confirmed, "smoke_alarm", urgency: .lifeSafety)
        script.run(5)
        script.sound(.ended, "smoke_alarm", urgency: .lifeSafety)
        let before = script.log.count
        script.run(30)
        #expect(script.log.count == before + 3)
        #expect(script.log.last?.state == .ended)
        let id = script.log[0].alertId
        script.receive(.receipt(AlertReceipt(alertId: id, kind: .ackedByHuman), seq: 5), from: 1)
        let after = script.log.count
        script.run(600)
        #expect(script.log.count == after)
        #expect(script.receipts.map(\.kind) == [.ackedByHuman])
        #expect(script.state.openAlerts.isEmpty)
    }

    @Test("received and presented are not an answer")
    func receivedIsNoAnswer() {
        var script = ProfileScript()
        script.attach(1, device: "mic")
        script.sound(.confirmed, urgency: .urgent)
        let id = script.log[0].alertId
        script.receive(.receipt(AlertReceipt(alertId: id, kind: .received), seq: 1), from: 1)
        script.receive(.receipt(AlertReceipt(alertId: id, kind: .presented), seq: 2), from: 1)
        script.run(31)
        #expect(script.log.count == 2)
    }

    @Test(
        "every alert ends: nobody's answer is written down as exhausted",
        arguments: [
            (Urgency.lifeSafety, 3700.0), (.urgent, 1900), (.normal, 700), (.unspecified, 1900),
        ])
    func exhausted(_ urgency: Urgency, _ seconds: Double) {
        var script = ProfileScript()
        script.attach(1, device: "mic")
        script.sound(.confirmed, urgency: urgency)
        script.sound(.ended, urgency: urgency)
        #expect(script.exhausted.isEmpty)
        script.run(seconds)
        #expect(script.exhausted == [script.log[0].alertId])
        #expect(script.state.openAlerts.isEmpty)
        #expect(script.state.nextDeadlineUs == nil || script.takeAlerts(1).isEmpty == false)
    }

    @Test("a suspicion that comes to nothing resolves itself and never becomes life safety")
    func suspicion() {
        var script = ProfileScript()
        script.attach(1, device: "mic")
        script.sound(.suspected, "smoke_alarm", urgency: .normal)
        script.sound(.ended, "smoke_alarm", urgency: .lifeSafety)
        #expect(script.log.map(\.state) == [.suspected, .ended])
        #expect(script.log.map(\.urgency) == [.normal, .normal])
        #expect(script.resolved == [script.log[0].alertId])
        #expect(script.state.openAlerts.isEmpty)
    }

    @Test("a confirmed suspicion becomes life safety in the same alert")
    func confirmed() {
        var script = ProfileScript()
        script.attach(1, device: "mic")
        script.sound(.suspected, "smoke_alarm", urgency: .normal)
        script.sound(.confirmed, "smoke_alarm", urgency: .lifeSafety)
        #expect(script.log.map(\.state) == [.suspected, .confirmed])
        #expect(script.log.map(\.urgency) == [.normal, .lifeSafety])
        #expect(Set(script.log.map(\.alertId)).count == 1)
    }

    @Test("if the store fails the alert is sent all the same")
    func storeFails() {
        var script = ProfileScript()
        script.attach(1, device: "mic")
        script.storeFails = true
        script.sound(.confirmed)
        #expect(script.takeAlerts(1).map(\.label) == ["siren"])
    }

    @Test("a suspicion that becomes life safety is reminded of on the faster clock")
    func fasterClock() {
        var script = ProfileScript()
        script.attach(1, device: "mic")
        script.sound(.suspected, "smoke_alarm", urgency: .urgent)
        script.sound(.confirmed, "smoke_alarm", urgency: .lifeSafety)
        let told = script.log.count
        script.run(11)
        #expect(script.log.count == told + 1)
    }

    @Test("the number of open alerts is bounded and never costs a life-safety one")
    func bounded() {
        var limits = SessionLimits()
        limits.maxOpenAlerts = 4
        var script = ProfileScript(limits: limits)
        script.attach(1, device: "mic")
        script.sound(.confirmed, "smoke_alarm", urgency: .lifeSafety, episode: 1)
        for episode in 2...20 {
            script.sound(.confirmed, "sound_\(episode)", urgency: .normal, episode: UInt64(episode))
        }
        #expect(script.state.openAlerts.count == 4)
        #expect(script.state.openAlerts.contains { $0.label == "smoke_alarm" })
        #expect(script.exhausted.count == 16)
    }
}
