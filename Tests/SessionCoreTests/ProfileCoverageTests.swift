import SenseProtocol
import SessionCore
import Testing

@Suite("Rooms that are heard")
struct ProfileCoverageTests {
    func state(_ script: ProfileScript, _ room: String) -> ProtectionState? {
        script.state.protections.first { $0.room == room }?.state
    }

    @Test("a known room is unprotected until its microphone opens, and again when it is gone")
    func lifecycle() {
        var script = ProfileScript(rooms: ["mic": "hall"])
        #expect(state(script, "hall") == .unprotected)
        script.attach(1, device: "mic")
        #expect(state(script, "hall") == .unprotected)
        script.receive(.listening(streamID: 1, true), from: 1)
        #expect(state(script, "hall") == .unprotected)
        script.receive(.health(streamID: 1, []), from: 1)
        #expect(state(script, "hall") == .protected)
        script.receive(.detached(isPlanned: true), from: 1)
        #expect(state(script, "hall") == .unprotected)
        #expect(script.log.isEmpty)
    }

    @Test("a lost connection is told at once and its return too (PRODUCT 4.7, 3)")
    func loss() {
        var script = ProfileScript()
        script.attach(1, device: "mic")
        script.attach(2, device: "watch")
        script.listen(1)
        script.receive(.detached(isPlanned: false), from: 1)
        let loss = script.takeAlerts(2)
        #expect(loss.map(\.kind) == [.cannotHear])
        #expect(loss.first?.urgency == .urgent)
        script.run(1)
        script.attach(3, device: "mic")
        script.listen(3)
        let back = script.takeAlerts(2)
        #expect(back.last?.state == .ended)
        #expect(back.last?.alertId == loss.first?.alertId)
        #expect(script.resolved == loss.map(\.alertId))
    }

    @Test(
        "a silent stream and its recovery are told",
        arguments: [
            HealthState.silent, .stalled, .rateMismatch, .detectorBehind,
        ])
    func unhealthy(_ fault: HealthState) {
        var script = ProfileScript()
        script.attach(1, device: "mic")
        script.listen(1)
        script.receive(.health(streamID: 1, [HearingFault(fault, "muted")]), from: 1)
        #expect(state(script, "hall") == .unprotected)
        #expect(script.log.map(\.state) == [.confirmed])
        script.receive(.health(streamID: 1, []), from: 1)
        #expect(state(script, "hall") == .protected)
        #expect(script.log.map(\.state) == [.confirmed, .ended])
    }

    @Test("a stream that is clipped is heard with reduced coverage")
    func reduced() {
        var script = ProfileScript()
        script.attach(1, device: "mic")
        script.listen(1)
        script.receive(.health(streamID: 1, [HearingFault(.clipped, "loud")]), from: 1)
        #expect(state(script, "hall") == .reduced)
        #expect(script.log.map(\.label) == ["hearing_reduced"] && script.log.first?.urgency == .normal)
        // Worse is an alert of its own, for who answered the one has not answered the other.
        script.receive(
            .health(streamID: 1, [HearingFault(.silent, "Muted."), HearingFault(.clipped, "loud")]), from: 1)
        #expect(state(script, "hall") == .unprotected)
        #expect(script.log.map(\.label) == ["hearing_reduced", "cannot_hear"])
        #expect(script.log.last?.message == "mic cannot hear: Muted." && script.log.last?.urgency == .urgent)
        script.receive(.detached(isPlanned: false), from: 1)
        #expect(script.log.map(\.label).suffix(2) == ["hearing_reduced", "cannot_hear"])
        #expect(script.log.map(\.state).suffix(2) == [.ended, .updated])
    }

    @Test("a reduced and a deaf microphone are found again after a restart, each as what it was")
    func restart() {
        func left(_ label: String) -> Alert {
            Alert(
                alertId: label, kind: .cannotHear, state: .confirmed, urgency: .urgent, label: label,
                room: "hall",
                deviceId: "mic", disposition: .open, message: "m")
        }
        var script = ProfileScript(openAlerts: [left("cannot_hear"), left("hearing_reduced")])
        script.attach(1, device: "mic")
        script.receive(.listening(streamID: 1, true), from: 1)
        #expect(script.log.isEmpty)
        script.receive(.health(streamID: 1, [HearingFault(.clipped, "loud")]), from: 1)
        #expect(script.log.map(\.alertId) == ["cannot_hear", "hearing_reduced"])
        #expect(script.log.map(\.state) == [.ended, .updated])
    }

    @Test("one healthy microphone protects a room whose other one is dead")
    func twoMicrophones() {
        var script = ProfileScript()
        script.attach(1, device: "a")
        script.attach(2, device: "b")
        script.listen(1)
        script.listen(2)
        script.receive(.health(streamID: 1, [HearingFault(.silent, "")]), from: 1)
        #expect(state(script, "hall") == .protected)
    }

    @Test("flapping is damped, never hidden: after three losses recovery must last a minute")
    func flapping() {
        var script = ProfileScript()
        script.attach(1, device: "mic")
        script.listen(1)
        for _ in 0..<10 {
            script.receive(.health(streamID: 1, [HearingFault(.silent, "muted")]), from: 1)
            script.run(1)
            script.receive(.health(streamID: 1, []), from: 1)
            script.run(1)
        }
        let ends = script.log.filter { $0.state == .ended }.count
        #expect(ends == 2)
        #expect(script.log.filter { $0.state == .confirmed }.count == 3)
        script.run(61)
        #expect(script.log.filter { $0.state == .ended }.count == 3)
    }

    @Test("a microphone that opens but sends nothing is no all-clear")
    func openIsNotHeard() {
        var script = ProfileScript()
        script.attach(1, device: "mic")
        script.listen(1)
        script.receive(.health(streamID: 1, [HearingFault(.silent, "muted")]), from: 1)
        script.receive(.listening(streamID: 2, true), from: 1)
        #expect(script.log.map(\.state) == [.confirmed])
        script.receive(.health(streamID: 2, []), from: 1)
        #expect(script.log.map(\.state) == [.confirmed])
        script.receive(.health(streamID: 1, []), from: 1)
        #expect(script.log.map(\.state) == [.confirmed, .ended])
    }

    @Test("a loss that outlives every reminder is still ended when the microphone returns")
    func endAfterExhaustion() {
        var script = ProfileScript()
        script.attach(1, device: "mic")
        script.listen(1)
        script.receive(.detached(isPlanned: false), from: 1)
        script.run(2000)
        #expect(script.exhausted.count == 1)
        script.attach(2, device: "mic")
        script.listen(2)
        #expect(script.log.last?.state == .ended)
        #expect(script.state.openAlerts.isEmpty)
    }

    @Test("a newer connection that does not open the microphone again is missed after 15 s")
    func supersededMicrophone() {
        var script = ProfileScript()
        script.attach(1, device: "mic")
        script.listen(1)
        script.attach(2, device: "mic")
        script.run(14)
        #expect(script.log.isEmpty)
        script.run(2)
        #expect(script.log.map(\.kind) == [.cannotHear])
    }

    @Test("a device has one room; rooms it names along the way are not kept")
    func oneRoomADevice() {
        var script = ProfileScript()
        for session in 1...50 { script.attach(UInt64(session), device: "mic", room: "room \(session)") }
        #expect(script.state.protections.map(\.room) == ["room 50"])
    }

    @Test("whenever the list of rooms changes, so does its version")
    func versions() {
        var script = ProfileScript(rooms: ["mic": "hall", "other": "attic"])
        var (rooms, version) = (script.state.protections, script.state.protectionsVersion)
        var changes = 0
        func look(_ script: ProfileScript) {
            if script.state.protections != rooms {
                changes += 1
                #expect(script.state.protectionsVersion != version)
            }
            (rooms, version) = (script.state.protections, script.state.protectionsVersion)
        }
        script.attach(1, device: "mic")
        look(script)
        script.receive(.listening(streamID: 1, true), from: 1)
        look(script)
        for state: HealthState in [.ok, .clipped, .silent, .ok] {
            script.receive(
                .health(streamID: 1, state == .ok ? [] : [HearingFault(state, "\(state)")]), from: 1)
            look(script)
        }
        script.attach(2, device: "other", room: "cellar")
        look(script)
        script.receive(.detached(isPlanned: false), from: 1)
        look(script)
        #expect(changes >= 6, "\(changes)")
    }
}
