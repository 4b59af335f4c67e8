import SenseProtocol
import SessionCore
import Testing

@Suite("Drills of a person's rooms")
struct ProfileDrillTests {
    private func script(rooms: [DrillRoom] = []) -> ProfileScript {
        var script = ProfileScript(drillRooms: rooms)
        script.attach(1, device: "mic")
        script.attach(2, device: "watch")
        script.attach(3, device: "phone", watches: false)
        script.listen(1)
        return script
    }

    private func wish(_ phase: DrillPhase, room: String = "hall") -> ProfileInput {
        .drill(Drill(room: room, phase: phase), seq: 4)
    }

    private func drills(_ script: ProfileScript, _ session: UInt64) -> [Drill] {
        (script.sent[SessionID(session)] ?? []).compactMap {
            if case .drill(let drill) = $0 { drill } else { nil }
        }
    }

    private func errors(_ script: ProfileScript, _ session: UInt64) -> [ErrorMessage] {
        (script.sent[SessionID(session)] ?? []).compactMap {
            if case .error(let error) = $0 { error } else { nil }
        }
    }

    private func labels(_ script: ProfileScript) -> [String] { script.log.map { "\($0.label) \($0.state)" } }

    @Test("an alarm passes it once a device has the alert; the alert itself goes its usual way")
    func passed() throws {
        var script = script()
        script.receive(wish(.started), from: 3)
        script.run(20)
        script.sound(.suspected, "smoke_alarm", urgency: .normal)
        let onsetUs = script.now.serverUs
        script.advance(4)
        script.receive(.eventAck(UInt64(script.log.count)), from: 2)
        #expect(script.drills.isEmpty, "a suspicion is no alarm")
        script.sound(.confirmed, "smoke_alarm", urgency: .lifeSafety, onsetServerUs: onsetUs)
        let alert = try #require(script.log.last)
        #expect(alert.urgency == .lifeSafety && alert.state == .confirmed && alert.disposition == .open)
        script.advance(0.2)
        script.receive(.eventAck(alert.eventId), from: 2)
        let result = try #require(script.drills.first)
        #expect(result.isPassed && result.heardMs == 4000 && result.latencyMs == 4200)
        #expect(
            result.deviceName == "watch" && result.startedBy == "phone" && result.alertID == alert.alertId)
        for session: UInt64 in [1, 2, 3] {
            #expect(drills(script, session).map(\.phase) == [.started, .passed])
        }
        #expect(script.log.last?.label == "drill_passed" && script.log.last?.urgency == .info)
        #expect(script.resolved == script.log.last.map { [$0.alertId] })
        script.run(10)
        #expect(
            script.log.contains { $0.alertId == alert.alertId && $0.state == .updated }, "reminders go on")
    }

    @Test("silence fails it; that is an urgent alert until a drill is passed")
    func failed() throws {
        var script = script()
        script.receive(wish(.started), from: 2)
        script.sound(.confirmed, "dog", urgency: .normal, episode: 1)
        script.run(301)
        #expect(script.drills.map(\.isPassed) == [false])
        #expect(drills(script, 2).last?.phase == .failed)
        #expect(script.state.drillBook.rooms.first?.last?.isPassed == false)
        let failure = try #require(script.log.last)
        #expect(failure.label == "drill_failed" && failure.urgency == .urgent && failure.kind == .drill)
        script.run(31)
        #expect(script.log.last?.alertId == failure.alertId, "reminded")
        script.receive(
            .receipt(AlertReceipt(alertId: failure.alertId, kind: .ackedByHuman), seq: 1), from: 2)
        let told = script.log.count
        script.run(120)
        #expect(script.log.count == told, "answered")
        // It fails again: a new alert, since the old one was answered.
        script.receive(wish(.started), from: 2)
        script.run(301)
        #expect(labels(script).suffix(2) == ["drill_failed ended", "drill_failed confirmed"])
        script.receive(wish(.started), from: 2)
        script.sound(.confirmed, "co_alarm", urgency: .lifeSafety, episode: 2)
        script.run(11)
        #expect(script.drills.last?.isPassed == true && script.drills.last?.deviceName == "")
        #expect(script.state.drillBook.rooms.first?.last?.isPassed == true)
        #expect(
            labels(script).filter { $0.hasPrefix("drill") }.suffix(2) == [
                "drill_failed ended", "drill_passed ended",
            ])
    }

    @Test("a failure that nobody answers is written down as exhausted")
    func exhausted() {
        var script = script()
        script.receive(wish(.started), from: 2)
        script.run(301 + 61 * 30)
        #expect(script.exhausted == script.log.first { $0.label == "drill_failed" }.map { [$0.alertId] })
    }

    @Test("it can be cancelled, and asked for twice")
    func cancelled() {
        var script = script()
        script.receive(wish(.started), from: 2)
        script.receive(wish(.started), from: 3)
        #expect(drills(script, 2).count == 1 && drills(script, 3).count == 2)
        #expect(drills(script, 3)[0] == drills(script, 3)[1])
        script.receive(wish(.cancelled), from: 3)
        #expect(drills(script, 2).last?.phase == .cancelled)
        script.run(400)
        #expect(script.drills.isEmpty && script.log.isEmpty)
        script.receive(wish(.cancelled), from: 3)
        #expect(errors(script, 3).map(\.code) == [.notFound])
    }

    @Test("a room without an open microphone cannot be tested, and other rooms do not count")
    func rooms() {
        var script = script()
        script.attach(4, device: "mic2", room: "attic")
        script.listen(4)
        script.receive(wish(.started, room: "cellar"), from: 2)
        #expect(errors(script, 2).map(\.code) == [.unavailable])
        #expect(errors(script, 2).first?.devMessage.contains("attic, hall") == true)
        script.receive(wish(.started, room: "attic"), from: 2)
        script.sound(.confirmed, "smoke_alarm", urgency: .lifeSafety)
        script.run(20)
        #expect(script.drills.isEmpty)
        script.sound(.confirmed, "smoke_alarm", urgency: .lifeSafety, from: 4)
        script.run(20)
        #expect(script.drills.map(\.room) == ["attic"])
    }

    @Test("a broken store does not hide the result")
    func storeFails() {
        var script = script()
        script.receive(wish(.started), from: 2)
        script.storeFails = true
        script.run(301)
        #expect(drills(script, 2).last?.phase == .failed)
        #expect(script.takeAlerts(2).contains { $0.label == "drill_failed" })
    }

    @Test("a room that was not tested for 35 days is told once, until it is tested")
    func overdue() throws {
        let unixUs = ProfileScript().now.unixUs
        let first = unixUs - DrillLimits().overdueUs + 3_600_000_000
        var script = script(rooms: [DrillRoom(room: "hall", firstHeardUnixUs: first)])
        script.run(3590)
        #expect(script.log.isEmpty)
        script.run(20)
        let alert = try #require(script.log.last)
        #expect(script.log.count == 1 && alert.label == "drill_overdue" && alert.urgency == .normal)
        #expect(alert.kind == .drill && alert.room == "hall" && alert.state == .confirmed)
        script.receive(.receipt(AlertReceipt(alertId: alert.alertId, kind: .ackedByHuman), seq: 1), from: 2)
        script.run(86_400)
        #expect(script.log.filter { $0.label == "drill_overdue" }.count == 1)
        script.receive(wish(.started), from: 2)
        script.sound(.confirmed, "smoke_alarm", urgency: .lifeSafety)
        script.run(15)
        #expect(labels(script).contains("drill_overdue ended"))
        #expect(script.resolved.contains(alert.alertId))
    }

    @Test("after a restart an overdue alert is known, not raised again")
    func restart() {
        let unixUs = ProfileScript().now.unixUs
        let room = DrillRoom(room: "hall", firstHeardUnixUs: unixUs - DrillLimits().overdueUs)
        let old = Alert(
            eventId: 1, alertId: "old", kind: .drill, state: .confirmed, urgency: .normal,
            label: "drill_overdue", room: "hall", disposition: .acknowledged)
        var script = ProfileScript(drillRooms: [room], openAlerts: [old])
        script.attach(1, device: "mic")
        script.listen(1)
        script.run(10)
        #expect(script.log.isEmpty)
        script.receive(wish(.started), from: 1)
        script.sound(.confirmed, "smoke_alarm", urgency: .lifeSafety)
        script.run(15)
        #expect(script.log.contains { $0.alertId == "old" && $0.state == .ended })
    }
}
