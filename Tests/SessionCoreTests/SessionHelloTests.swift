import SenseProtocol
import SessionCore
import Testing

@Suite("Greeting")
struct SessionHelloTests {
    @Test("the first message must be a hello")
    func helloFirst() {
        var script = SessionScript()
        script.send(.heartbeat(Heartbeat()))
        let errors = script.takeErrors()
        #expect(errors.map(\.code) == [.unauthenticated])
        #expect(errors.first?.fatal == true)
        #expect(errors.first?.devMessage.contains("heartbeat") == true)
        #expect(script.closeCodes == [.unauthenticated])
    }

    @Test("no hello within five seconds closes with 4408")
    func helloTimeout() {
        var script = SessionScript()
        script.advance(4.9)
        script.tick()
        #expect(script.closeCodes.isEmpty)
        script.advance(0.2)
        script.tick()
        #expect(script.takeErrors().map(\.code) == [.helloTimeout])
        #expect(script.closeCodes == [.helloTimeout])
    }

    @Test("a hello without a credential is refused, a header token stands in for one")
    func credentials() {
        var bare = SessionScript()
        bare.send(.hello(Hello(deviceName: "x")))
        #expect(bare.takeErrors().map(\.field) == ["hello.token"])
        var header = SessionScript(headerToken: "abc")
        header.send(.hello(Hello(deviceName: "x")))
        let asked = header.actions.contains {
            if case .authenticate(.token("abc"), _) = $0 { true } else { false }
        }
        #expect(asked)
    }

    static let badHellos: [(Hello, String)] = [
        (Hello(appVersion: String(repeating: "v", count: 65), credential: .token("t")), "hello.app_version"),
        (Hello(deviceName: String(repeating: "é", count: 33), credential: .token("t")), "hello.device_name"),
        (Hello(credential: .token("t"), room: "kitchen\0"), "hello.room"),
        (Hello(deviceName: "a\u{7f}", credential: .token("t")), "hello.device_name"),
        (Hello(credential: .token("t"), heartbeatSeconds: 4), "hello.heartbeat_seconds"),
        (Hello(credential: .token("t"), heartbeatSeconds: 301), "hello.heartbeat_seconds"),
        (
            Hello(
                capabilities: Capabilities(actuators: Array(repeating: Actuator(), count: 17)),
                credential: .token("t")), "hello.capabilities.actuators"
        ),
        (
            Hello(
                capabilities: Capabilities(actuators: [Actuator(zones: 65)]), credential: .token("t")),
            "hello.capabilities.actuators[0]"
        ),
        (Hello(credential: .token("t"), features: Array(repeating: "f", count: 33)), "hello.features"),
    ]

    @Test("a bad hello names its field", arguments: badHellos)
    func badHello(_ hello: Hello, _ field: String) {
        var script = SessionScript()
        script.send(.hello(hello))
        let errors = script.takeErrors()
        #expect(errors.map(\.field) == [field])
        #expect(errors.first?.fatal == true)
    }

    @Test("what is sent along with hello waits for welcome and is then handled in order")
    func pipelined() {
        var script = SessionScript()
        script.send(.hello(Hello(deviceName: "x", credential: .token("t"))))
        script.send(.timeRequest(TimeRequest(clientMonoUs: 7)))
        #expect(script.takeSent().isEmpty)
        script.session.authenticated(
            SessionScript.identity, sessionID: [9], rooms: [], at: script.now, actions: &script.actions)
        let sent = script.takeSent()
        guard case .welcome(let welcome)? = sent.first, case .timeReply(let reply)? = sent.last else {
            Issue.record("expected welcome and time reply, got \(sent)")
            return
        }
        #expect(welcome.sessionId == [9])
        #expect(welcome.resumeOutcome == .fresh)
        #expect(reply.clientMonoUs == 7)
    }

    @Test("too much before welcome is refused")
    func flood() {
        var script = SessionScript()
        script.send(.hello(Hello(credential: .token("t"))))
        for _ in 0...32 { script.send(.timeRequest(TimeRequest())) }
        #expect(script.closeCodes == [.tooFast])
    }

    @Test(
        "the resume outcome says what was missed",
        arguments: [
            (UInt64(10), UInt64(10), UInt64(1), ResumeOutcome.resumed, UInt32(0)),
            (4, 10, 1, .replayed, 6),
            (4, 10, 8, .lostBefore, 3),
        ])
    func resume(last: UInt64, latest: UInt64, oldest: UInt64, outcome: ResumeOutcome, replayed: UInt32) {
        var script = SessionScript()
        script.send(
            .hello(Hello(credential: .token("t"), resume: Resume(lastEventId: last), watchAlerts: true)))
        var identity = SessionScript.identity
        identity.latestEventID = latest
        identity.oldestEventID = oldest
        script.session.authenticated(
            identity, sessionID: [], rooms: [], at: script.now, actions: &script.actions)
        guard case .welcome(let welcome)? = script.takeSent().first else {
            Issue.record("no welcome")
            return
        }
        #expect(welcome.resumeOutcome == outcome)
        #expect(welcome.replayedEvents == replayed)
    }

    @Test("an unknown body is skipped and counted, a mandatory one refused without closing")
    func unknownBody() {
        var script = SessionScript.welcomed()
        script.send(nil, unknownBody: "#99")
        #expect(script.takeSent().isEmpty)
        #expect(script.session.unknownCount == 1)
        script.send(nil, mustUnderstand: true, unknownBody: "#99")
        let errors = script.takeErrors()
        #expect(errors.map(\.code) == [.unsupported])
        #expect(errors.first?.fatal == false)
        #expect(script.session.isActive)
    }

    @Test("silence beyond two and a half heartbeats ends the session as lost, not as planned")
    func heartbeatLost() {
        var script = SessionScript.welcomed()
        script.advance(37)
        script.tick()
        #expect(script.closeCodes.isEmpty)
        script.advance(1)
        script.tick()
        #expect(script.closeCodes == [.heartbeatLost])
        let planned = script.profileInputs.compactMap {
            if case .detached(let planned) = $0 { planned } else { nil }
        }
        #expect(planned == [false])
    }

    @Test("goodbye makes the loss of the connection a planned leave")
    func goodbye() {
        var script = SessionScript.welcomed()
        script.send(.goodbye(Goodbye(reason: .sleep)))
        var talkative = script
        talkative.send(.timeRequest(TimeRequest()))
        talkative.session.disconnected(at: script.now, actions: &talkative.actions)
        #expect(
            talkative.profileInputs.contains {
                if case .detached(isPlanned: false) = $0 { true } else { false }
            })
        script.session.disconnected(at: script.now, actions: &script.actions)
        let planned = script.profileInputs.compactMap {
            if case .detached(let planned) = $0 { planned } else { nil }
        }
        #expect(planned == [true])
    }

    @Test("an errand begins at the present: what waits for the device waits for its own connection")
    func beside() throws {
        func presence(_ hello: Hello) throws -> SessionPresence {
            var script = SessionScript()
            script.send(.hello(hello))
            var identity = SessionScript.identity
            identity.latestEventID = 9
            identity.acknowledgedEventID = 4
            script.session.authenticated(
                identity, sessionID: [1], rooms: [], at: script.now, actions: &script.actions)
            let attached = script.profileInputs.lazy.compactMap {
                if case .attached(let presence) = $0 { presence } else { nil }
            }.first
            return try #require(attached)
        }
        let own = try presence(Hello(credential: .token("t"), watchAlerts: true))
        #expect(!own.isBeside && own.lastEventID == 4)
        let errand = try presence(Hello(credential: .token("t"), watchAlerts: true, beside: true))
        #expect(errand.isBeside && errand.lastEventID == 9)
    }
}
