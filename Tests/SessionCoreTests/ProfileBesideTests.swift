import SenseProtocol
import SessionCore
import Testing

@Suite("Errands beside a device's connection")
struct ProfileBesideTests {
    private func script() -> ProfileScript {
        var script = ProfileScript()
        script.attach(1, device: "mic")
        script.attach(2, device: "watch")
        script.listen(1)
        return script
    }

    @Test("an errand replaces nobody and is replaced by nobody; its end is no loss")
    func replaces() {
        var script = script()
        script.attach(3, device: "mic", room: "", beside: true)
        script.attach(4, device: "mic", beside: true)
        #expect(script.closed.isEmpty)
        #expect(
            script.state.protections.map(\.state) == [.protected]
                && script.state.protections[0].room == "hall")
        script.receive(.detached(isPlanned: false), from: 3)
        script.run(20)
        #expect(script.log.isEmpty && script.state.protections.map(\.state) == [.protected])
        // A newer connection of the device replaces the older one, and leaves errands alone.
        script.attach(5, device: "mic")
        #expect(script.closed == [SessionID(1): .superseded])
    }

    @Test("only the device itself comes and goes for others")
    func presence() {
        var script = script()
        script.receive(.subscribe(Subscribe(devices: true)), from: 2)
        script.sent = [:]
        script.attach(3, device: "mic", beside: true)
        script.receive(.detached(isPlanned: true), from: 3)
        #expect(script.sent[SessionID(2)] == nil)
        script.attach(4, device: "mic", beside: true)
        script.receive(.subscribe(Subscribe(devices: true)), from: 2)
        guard case .snapshot(let snapshot)? = script.sent[SessionID(2)]?.last else {
            Issue.record("no snapshot")
            return
        }
        #expect(snapshot.devices.map(\.deviceId) == ["mic", "watch"])
    }

    @Test("what an errand has seen still waits for the device")
    func cursor() {
        var script = script()
        script.attach(3, device: "watch", beside: true)
        script.sound(.confirmed)
        #expect(script.takeAlerts(3).count == 1)
        script.receive(.eventAck(1), from: 3)
        #expect(script.cursors.isEmpty)
        script.run(3)
        #expect(script.takeAlerts(3).isEmpty, "it was acknowledged")
        script.receive(.eventAck(1), from: 2)
        #expect(script.cursors == ["watch": 1])
    }

    @Test("a recording that an errand plays passes no drill")
    func drill() {
        var script = script()
        script.receive(.drill(Drill(room: "hall", phase: .started), seq: 1), from: 2)
        script.attach(3, device: "mic", beside: true)
        script.receive(.listening(streamID: 1, true), from: 3)
        script.sound(.confirmed, "smoke_alarm", urgency: .lifeSafety, from: 3)
        script.run(20)
        #expect(script.drills.isEmpty)
        script.sound(.confirmed, "smoke_alarm", urgency: .lifeSafety, from: 1)
        script.run(20)
        #expect(script.drills.map(\.isPassed) == [true])
    }

    @Test("what an errand plays is told and ends with it, but protects no room")
    func plays() {
        var script = ProfileScript(rooms: ["mic": "hall"])
        script.attach(2, device: "watch")
        script.attach(3, device: "mic", beside: true)
        script.listen(3)
        #expect(script.state.protections.map(\.state) == [.unprotected])
        script.receive(.health(streamID: 1, [HearingFault(.silent, "Muted.")]), from: 3)
        #expect(script.log.isEmpty)
        script.sound(.confirmed, from: 3)
        #expect(script.takeAlerts(2).map(\.label) == ["siren"])
        script.receive(.listening(streamID: 1, false), from: 3)
        #expect(script.takeAlerts(2).map(\.state) == [.ended])
        script.sound(.confirmed, episode: 2, from: 3)
        script.receive(.detached(isPlanned: true), from: 3)
        #expect(script.takeAlerts(2).map(\.state) == [.confirmed, .ended])
    }
}
