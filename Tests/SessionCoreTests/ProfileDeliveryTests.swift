import SenseProtocol
import SessionCore
import Testing

@Suite("Delivery of durable events")
struct ProfileDeliveryTests {
    @Test("unacknowledged events are sent again after 2, 4, 8 … s with the same id (T27)")
    func resend() {
        var script = ProfileScript()
        script.attach(1, device: "phone")
        script.sound(.confirmed, urgency: .normal)
        let first = script.takeAlerts(1)
        #expect(first.map(\.replayed) == [false])
        script.run(1.9)
        #expect(script.takeAlerts(1).isEmpty)
        script.run(0.2)
        let again = script.takeAlerts(1)
        #expect(again.map(\.eventId) == first.map(\.eventId))
        #expect(again.map(\.replayed) == [true])
        script.run(13)
        #expect(script.takeAlerts(1).count == 2)
        script.receive(.eventAck(first[0].eventId), from: 1)
        script.run(300)
        #expect(script.takeAlerts(1).isEmpty)
        #expect(script.cursors == ["phone": first[0].eventId])
    }

    @Test("a device that comes back gets what it missed, in order, before anything new")
    func replay() {
        var script = ProfileScript()
        script.attach(1, device: "mic")
        for episode in 1...100 {
            script.sound(.confirmed, "sound_\(episode)", urgency: .normal, episode: UInt64(episode))
        }
        script.attach(2, device: "phone", after: 10)
        var got: [UInt64] = []
        while true {
            let alerts = script.takeAlerts(2)
            guard let last = alerts.last else { break }
            got += alerts.map(\.eventId)
            script.receive(.eventAck(last.eventId), from: 2)
        }
        #expect(got == Array(11...100))
    }

    @Test("a device that never acknowledges holds a bounded number of events")
    func boundedInFlight() {
        var script = ProfileScript()
        script.attach(1, device: "phone")
        for episode in 1...200 {
            script.sound(.confirmed, "sound_\(episode)", urgency: .normal, episode: UInt64(episode))
        }
        #expect(script.takeAlerts(1).count == 64)
    }

    @Test("all of the person's devices are told")
    func fanOut() {
        var script = ProfileScript()
        script.attach(1, device: "mic")
        script.attach(2, device: "watch")
        script.attach(3, device: "lamp", watches: false)
        script.sound(.confirmed)
        #expect(script.takeAlerts(1).count == 1)
        #expect(script.takeAlerts(2).count == 1)
        #expect(script.takeAlerts(3).isEmpty)
    }

    @Test("an acknowledgement from the future is an error that names the field")
    func futureAck() {
        var script = ProfileScript()
        script.attach(1, device: "phone")
        script.receive(.eventAck(7), from: 1)
        let errors = (script.sent[SessionID(1)] ?? []).compactMap { body -> ErrorMessage? in
            if case .error(let error) = body { error } else { nil }
        }
        #expect(errors.map(\.field) == ["event_ack.event_id"])
    }

    @Test("a newer connection of the same device ends the older one with 4409 and announces no loss (T25)")
    func superseded() {
        var script = ProfileScript()
        script.attach(1, device: "phone")
        script.listen(1)
        script.attach(2, device: "phone")
        #expect(script.closed == [SessionID(1): .superseded])
        #expect(script.log.isEmpty)
        #expect(script.state.sessionCount == 1)
    }

    @Test("the 33rd session of a person is refused")
    func tooMany() {
        var script = ProfileScript()
        for session in 1...33 { script.attach(UInt64(session), device: "d\(session)") }
        #expect(script.closed == [SessionID(33): .tooFast])
    }

    @Test("a revoked device's session ends at once with 4403 (T40)")
    func revoked() {
        var script = ProfileScript()
        script.attach(1, device: "phone")
        var actions: [ProfileAction] = []
        script.state.revoked(deviceID: "phone", at: script.now, actions: &actions)
        let codes = actions.compactMap { if case .close(_, let problem) = $0 { problem.code } else { nil } }
        #expect(codes == [.forbidden])
    }

    @Test("a store that cannot be read skips nothing")
    func readFails() {
        var script = ProfileScript()
        script.attach(1, device: "mic")
        for episode in 1...3 {
            script.sound(.confirmed, "sound_\(episode)", urgency: .normal, episode: UInt64(episode))
        }
        script.readFails = true
        script.attach(2, device: "phone", after: 0)
        #expect(script.takeAlerts(2).isEmpty)
        script.sound(.confirmed, "dog", urgency: .normal, episode: 4)
        #expect(script.takeAlerts(2).isEmpty)
        script.readFails = false
        script.run(1.5)
        #expect(script.takeAlerts(2).map(\.eventId) == [1, 2, 3, 4])
    }

    @Test("a smoke alarm does not wait behind a device's backlog, and comes again in its turn")
    func lifeSafetyFirst() {
        var script = ProfileScript()
        script.attach(1, device: "phone")
        for episode in 1...100 {
            script.sound(.confirmed, "sound_\(episode)", urgency: .normal, episode: UInt64(episode))
        }
        _ = script.takeAlerts(1)
        script.sound(.confirmed, "smoke_alarm", urgency: .lifeSafety, episode: 999)
        let ahead = script.takeAlerts(1)
        #expect(ahead.map(\.label) == ["smoke_alarm"])
        #expect(ahead.map(\.eventId) == [0])
        var ids: [UInt64] = []
        script.receive(.eventAck(64), from: 1)
        while let last = script.takeAlerts(1).filter({ $0.eventId > 0 }).last {
            ids.append(last.eventId)
            script.receive(.eventAck(last.eventId), from: 1)
        }
        #expect(ids.last == 101)
    }

    @Test("reminders of one alert take one place in the window")
    func reminders() {
        var script = ProfileScript()
        script.attach(1, device: "phone")
        script.sound(.confirmed, "smoke_alarm", urgency: .lifeSafety)
        script.run(1000)
        _ = script.takeAlerts(1)
        script.sound(.confirmed, "siren", urgency: .urgent, episode: 2)
        #expect(script.takeAlerts(1).map(\.label) == ["siren"])
    }

    @Test("what the store could not take is tried again, and the device is told of the fault")
    func storeRetry() {
        var script = ProfileScript()
        script.attach(1, device: "phone")
        script.storeFails = true
        script.sound(.confirmed)
        let errors = (script.sent[SessionID(1)] ?? []).compactMap { body -> ErrorCode? in
            if case .error(let error) = body { error.code } else { nil }
        }
        #expect(errors == [.internal])
        script.storeFails = false
        script.run(1.5)
        #expect(script.log.map(\.label) == ["siren"])
    }

    @Test("a token taken away between look-up and welcome does not let the session in")
    func revokedRace() {
        var script = ProfileScript()
        var actions: [ProfileAction] = []
        script.state.revoked(deviceID: "phone", at: script.now, actions: &actions)
        script.attach(1, device: "phone")
        #expect(script.closed == [SessionID(1): .forbidden])
    }
}
