import SenseProtocol
import SessionCore

/// A session on a manual clock, with everything it asked for kept for the test to look at.
struct SessionScript {
    var session: Session
    var now: Now
    var actions: [SessionAction] = []
    private var seq: UInt64 = 0

    static let identity = Identity(deviceID: "dev1", profileID: "home", role: .subject)

    init(context: SessionContext = SessionContext(serverVersion: "test"), headerToken: String? = nil) {
        now = Now(serverUs: 1_000_000_000, unixUs: 1_700_000_000_000_000)
        session = Session(context: context, headerToken: headerToken, at: now)
    }

    /// A session that was welcomed; its greeting is cleared away.
    static func welcomed(
        hello: Hello = Hello(
            deviceClass: .phone, deviceName: "phone",
            capabilities: Capabilities(screen: true, showsPartials: true),
            credential: .token("t"), room: "hall", watchAlerts: true),
        context: SessionContext = SessionContext(serverVersion: "test")
    ) -> SessionScript {
        var script = SessionScript(context: context)
        script.send(.hello(hello))
        script.session.authenticated(
            identity, sessionID: [1], rooms: [], at: script.now, actions: &script.actions)
        script.actions = []
        return script
    }

    mutating func advance(_ seconds: Double) {
        let us = UInt64(seconds * 1_000_000)
        now = Now(serverUs: now.serverUs + us, unixUs: now.unixUs + us)
    }

    mutating func send(_ body: Envelope.Body?, mustUnderstand: Bool = false, unknownBody: String? = nil) {
        seq += 1
        session.receive(
            Envelope(seq: seq, mustUnderstand: mustUnderstand, body: body), unknownBody: unknownBody, at: now,
            actions: &actions)
    }

    mutating func tick() { session.tick(at: now, actions: &actions) }

    /// Bodies sent since the last look, in order.
    mutating func takeSent() -> [Envelope.Body] {
        defer { actions.removeAll { if case .send = $0 { true } else { false } } }
        return actions.compactMap { if case .send(let envelope, _) = $0 { envelope.body } else { nil } }
    }

    /// Errors among the bodies sent since the last look.
    mutating func takeErrors() -> [ErrorMessage] {
        takeSent().compactMap { if case .error(let error) = $0 { error } else { nil } }
    }

    var closeCodes: [ErrorCode] {
        actions.compactMap { if case .close(let code) = $0 { code } else { nil } }
    }

    var profileInputs: [ProfileInput] {
        actions.compactMap { if case .profile(let input) = $0 { input } else { nil } }
    }
}
