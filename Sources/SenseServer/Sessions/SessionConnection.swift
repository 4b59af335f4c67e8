import HarmoniAI
import Net
import SenseProtocol
import SessionCore

/// One connection's session at the edge: bytes → envelopes → `Session` → actions performed.
///
/// Isolation: the loop of its connection, for life.
final class SessionConnection {
    let services: ServerServices
    let loop: EventLoop
    private(set) var session: Session
    private(set) lazy var handle = SessionHandle(id: id, loop: loop, session: self)
    let id: SessionID
    private let isJSON: Bool
    private weak var transport: (any SessionTransport)?
    private let batcher: LetterBatcher
    private var hub: ProfileHub?
    private var timer: LoopTimer?
    private let peer: SocketAddress?

    /// How often a session looks at its deadlines: a quarter of the shortest announced one.
    static let tickInterval: Duration = .milliseconds(250)

    init(
        services: ServerServices, loop: EventLoop, batcher: LetterBatcher, isJSON: Bool, headerToken: String?,
        peer: SocketAddress?, transport: any SessionTransport
    ) {
        self.services = services
        self.loop = loop
        self.batcher = batcher
        self.isJSON = isJSON
        self.transport = transport
        self.peer = peer
        id = services.nextSessionID()
        session = Session(context: services.context, headerToken: headerToken, at: ServerClock.now())
        armTimer()
    }

    // MARK: From the transport

    /// One message arrived.
    func receive(_ bytes: [UInt8]) {
        services.metrics.received(bytes: bytes.count)
        do throws(WireError) {
            let decoded =
                isJSON
                ? try Envelope.decodeJSON(bytes, limits: session.wireLimits)
                : try Envelope.decode(bytes, limits: session.wireLimits)
            run { now, actions in
                session.receive(
                    decoded.message, unknownFields: decoded.unknownFields,
                    unknownBody: decoded.unknownOutermostField == 0
                        ? nil : Int(decoded.unknownOutermostField),
                    at: now, actions: &actions)
            }
        } catch {
            services.metrics.malformed()
            run { now, actions in
                session.receiveMalformed(
                    error.errorCode, field: error.path.isEmpty ? "message" : error.path,
                    expected: isJSON ? "protobuf JSON of sense.v1" : "protobuf of sense.v1",
                    got: "\(error.fault) at byte \(error.offset)", at: now, actions: &actions)
            }
        }
    }

    /// A message of the wrong kind: text on the binary subprotocol or the other way round.
    func receiveWrongKind(isText: Bool) {
        run { now, actions in
            session.receiveMalformed(
                .malformed, field: "frame",
                expected: isJSON ? "text frames of JSON" : "binary frames of protobuf",
                got: isText ? "a text frame" : "a binary frame", at: now, actions: &actions)
        }
    }

    /// The connection is gone.
    func disconnected() {
        timer?.cancel()
        timer = nil
        run { now, actions in session.disconnected(at: now, actions: &actions) }
        hub = nil
    }

    // MARK: From others, on the loop

    func push(_ body: Envelope.Body, _ delivery: SessionCore.DeliveryClass) {
        run { now, actions in session.push(body, delivery, at: now, actions: &actions) }
    }

    func end(_ problem: FieldProblem) {
        run { now, actions in session.end(problem, at: now, actions: &actions) }
    }

    func fail(_ problem: FieldProblem, seq: UInt64) {
        run { now, actions in session.fail(problem, seq: seq, at: now, actions: &actions) }
    }

    func drain(retryAfterMs: UInt32) {
        run { now, actions in session.drain(retryAfterMs: retryAfterMs, at: now, actions: &actions) }
    }

    func letterScored(_ job: LetterJob, _ probabilities: [Float]?) {
        run { now, actions in
            session.letterScored(job, probabilities: probabilities, at: now, actions: &actions)
        }
    }

    func soundScored(_ job: SoundJob, _ scores: SoundNetworkScores?) {
        run { now, actions in
            session.soundScored(
                job, classLogits: scores?.classLogits, presenceLogit: scores?.presenceLogit ?? 0, at: now,
                actions: &actions)
        }
    }

    func songDecoded(_ job: SongJob, _ result: Result<StemData, HarmoniAIError>) {
        run { now, actions in session.songDecoded(job, result, at: now, actions: &actions) }
    }

    func authenticated(_ identity: Identity, hub: ProfileHub) {
        self.hub = hub
        services.metrics.welcomed()
        run { now, actions in
            session.authenticated(
                identity, sessionID: services.randomBytes(16), rooms: hub.protections, at: now,
                actions: &actions)
        }
    }

    func refused(_ problem: FieldProblem) {
        services.metrics.refusedHello()
        run { now, actions in session.refused(problem, at: now, actions: &actions) }
    }

    // MARK: Actions

    private func run(_ body: (Now, inout [SessionAction]) -> Void) {
        loop.assertOnLoop()
        var actions: [SessionAction] = []
        body(ServerClock.now(), &actions)
        for action in actions { perform(action) }
    }

    private func perform(_ action: SessionAction) {
        switch action {
        case .send(let envelope, let delivery): send(envelope, delivery)
        case .close(let code): transport?.close(code, reason: "\(code)")
        case .authenticate(let credential, let hello):
            services.authenticate(credential, hello, from: peer, for: handle)
        case .scoreLetters(let job): batcher.add(job, for: handle)
        case .scoreSound(let job): services.scoreSound(job, for: handle)
        case .decodeSong(let job): services.decodeSong(job, for: handle)
        case .profile(let input): hub?.receive(input, from: handle)
        case .request(let request, let seq):
            guard let identity = session.knownIdentity, let hub else { return }
            services.answer(request, seq: seq, identity: identity, hub: hub, for: handle)
        }
    }

    private func send(_ envelope: Envelope, _ delivery: SessionCore.DeliveryClass) {
        let bytes: [UInt8]
        if isJSON {
            bytes = envelope.serializedJSON()
        } else {
            bytes = envelope.serialized()
        }
        if bytes.count > session.maxReceiveBytes {
            // A small device would have to drop the connection; it gets told instead.
            let problem = FieldProblem(
                .tooLarge, field: "capabilities.max_frame_bytes",
                expected: "at least \(bytes.count) for this answer",
                got: "\(session.maxReceiveBytes)")
            services.log(.warning, "answer of \(bytes.count) bytes is too large for session \(id.rawValue)")
            if case .error? = envelope.body { return }
            fail(problem, seq: envelope.ack)
            return
        }
        services.metrics.sent(bytes: bytes.count)
        transport?.send(bytes, isText: isJSON, delivery)
    }

    private func armTimer() {
        timer = loop.schedule(after: Self.tickInterval) { [weak self] in
            guard let self else { return }
            run { now, actions in self.session.tick(at: now, actions: &actions) }
            if timer != nil { armTimer() }
        }
    }
}
