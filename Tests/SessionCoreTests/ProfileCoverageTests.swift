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
        var script = ProfileScript(knownRooms: ["hall"])
        #expect(state(script, "hall") == .unprotected)
        script.attach(1, device: "mic")
        #expect(state(script, "hall") == .unprotected)
        script.receive(.listening(streamID: 1, true), from: 1)
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
        script.receive(.listening(streamID: 1, true), from: 1)
        script.receive(.detached(isPlanned: false), from: 1)
        let loss = script.takeAlerts(2)
        #expect(loss.map(\.kind) == [.cannotHear])
        #expect(loss.first?.urgency == .urgent)
        script.run(1)
        script.attach(3, device: "mic")
        script.receive(.listening(streamID: 1, true), from: 3)
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
        script.receive(.listening(streamID: 1, true), from: 1)
        script.receive(.health(streamID: 1, state: fault, detail: "muted"), from: 1)
        #expect(state(script, "hall") == .unprotected)
        #expect(script.log.map(\.state) == [.confirmed])
        script.receive(.health(streamID: 1, state: .ok, detail: ""), from: 1)
        #expect(state(script, "hall") == .protected)
        #expect(script.log.map(\.state) == [.confirmed, .ended])
    }

    @Test("a stream that is clipped is heard with reduced coverage")
    func reduced() {
        var script = ProfileScript()
        script.attach(1, device: "mic")
        script.receive(.listening(streamID: 1, true), from: 1)
        script.receive(.health(streamID: 1, state: .clipped, detail: "loud"), from: 1)
        #expect(state(script, "hall") == .reduced)
    }

    @Test("one healthy microphone protects a room whose other one is dead")
    func twoMicrophones() {
        var script = ProfileScript()
        script.attach(1, device: "a")
        script.attach(2, device: "b")
        script.receive(.listening(streamID: 1, true), from: 1)
        script.receive(.listening(streamID: 1, true), from: 2)
        script.receive(.health(streamID: 1, state: .silent, detail: ""), from: 1)
        #expect(state(script, "hall") == .protected)
    }

    @Test("flapping is damped, never hidden: after three losses recovery must last a minute")
    func flapping() {
        var script = ProfileScript()
        script.attach(1, device: "mic")
        script.receive(.listening(streamID: 1, true), from: 1)
        for _ in 0..<10 {
            script.receive(.health(streamID: 1, state: .silent, detail: "muted"), from: 1)
            script.run(1)
            script.receive(.health(streamID: 1, state: .ok, detail: ""), from: 1)
            script.run(1)
        }
        let ends = script.log.filter { $0.state == .ended }.count
        #expect(ends == 2)
        #expect(script.log.filter { $0.state == .confirmed }.count == 3)
        script.run(61)
        #expect(script.log.filter { $0.state == .ended }.count == 3)
    }
}
