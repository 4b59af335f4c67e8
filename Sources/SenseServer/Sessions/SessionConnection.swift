import BridgeAI
import HarmoniAI
import Net
import QuietAlert
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
    /// Held until the connection ends.
    private var transport: (any SessionTransport)?
    private let batcher: LetterBatcher
    private var hub: ProfileHub?
    private var timer: LoopTimer?
    private let peer: SocketAddress?
    /// What the device said of itself, once it did.
    private var hello = Hello()
    /// Actions to perform, in order; performing one may add more.
    private var pending: [SessionAction] = []
    private var isPerforming = false
    /// The Welcome could not be sent: nothing but the error that says so may follow.
    private var isMuted = false

    /// What the transport takes beyond the message limit in force, so that the session itself can refuse a message
    /// that is too large and say in which field. It is held for one message, on connections that were welcomed.
    static let slackBytes = 65_536

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
        // A stranger gets no more than a Hello may have.
        transport.setMaxMessageBytes(maxMessageBytes)
        armTimer()
    }

    /// Largest message the codec takes from this device now.
    var maxMessageBytes: Int {
        isJSON ? session.wireLimits.maxJSONBytes : session.wireLimits.maxMessageBytes
    }

    // MARK: From the transport

    /// One message arrived.
    func receive(_ bytes: [UInt8]) {
        services.metrics.received(bytes: bytes.count)
        let now = ServerClock.now()
        var isAdmitted = true
        run(at: now) { now, actions in isAdmitted = session.admitsMessage(at: now, actions: &actions) }
        guard isAdmitted else { return }
        do throws(WireError) {
            let decoded =
                isJSON
                ? try Envelope.decodeJSON(bytes, limits: session.wireLimits)
                : try Envelope.decode(bytes, limits: session.wireLimits)
            run(at: now) { now, actions in
                session.receive(
                    decoded.message, unknownFields: decoded.unknownFields,
                    unknownBody: decoded.unknownBody, at: now, actions: &actions)
            }
        } catch {
            services.metrics.malformed()
            run { now, actions in
                session.receiveMalformed(
                    Self.code(error), field: error.path.isEmpty ? "message" : error.path,
                    expected: isJSON ? "protobuf JSON of sense.v1" : "protobuf of sense.v1",
                    got: "\(error.fault) at byte \(error.offset)", at: now, actions: &actions)
            }
        }
    }

    /// A member of the wrong kind or range is a wrong value in a message, not the lack of one.
    private static func code(_ error: WireError) -> ErrorCode {
        if case .wrongJSONValue = error.fault, !error.path.isEmpty { return .invalidValue }
        return error.errorCode
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
        services.metrics.skipped(session.unknownCount)
        run { now, actions in session.disconnected(at: now, actions: &actions) }
        hub = nil
        transport = nil
        handle.detach()
    }

    /// The transport is about to close for `problem`: the error to send before that; nil if the session has ended.
    func lastWords(_ problem: FieldProblem) -> [UInt8]? {
        loop.assertOnLoop()
        var actions: [SessionAction] = []
        session.end(problem, at: ServerClock.now(), actions: &actions)
        var words: [UInt8]?
        for action in actions {
            switch action {
            case .send(let envelope, _): words = fitting.fitted(envelope)
            case .close: break  // the transport does
            default: pending.append(action)
            }
        }
        performPending()
        return words
    }

    // MARK: From others, on the loop

    func push(_ body: Envelope.Body, _ delivery: DeliveryClass) {
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

    func letterScored(_ job: LetterJob, _ scores: LetterScores?, isFollowed: Bool = false, at now: Now) {
        run(at: now) { now, actions in
            session.letterScored(job, scores: scores, isFollowed: isFollowed, at: now, actions: &actions)
        }
    }

    func soundScored(_ job: SoundJob, _ scores: SoundNetworkScores?) {
        run { now, actions in
            session.soundScored(
                job, classLogits: scores?.classLogits, presenceLogit: scores?.presenceLogit ?? 0,
                point: scores?.point ?? [], state: scores?.state ?? [], at: now, actions: &actions)
        }
    }

    func songDecoded(_ job: SongJob, _ result: Result<StemData, HarmoniAIError>) {
        run { now, actions in session.songDecoded(job, result, at: now, actions: &actions) }
    }

    func calibrationLearned(_ job: CalibrationJob, _ outcome: AdaptationTrainer.Outcome?) {
        run { now, actions in session.calibrationLearned(job, outcome, at: now, actions: &actions) }
    }

    func calibrationStored(streamID: UInt32, _ settings: SignerSettings?) {
        run { now, actions in
            session.calibrationStored(streamID: streamID, settings, at: now, actions: &actions)
        }
    }

    func customSoundLearned(_ job: CustomSoundJob, _ outcome: Result<Float, CustomSoundProblem>?) {
        run { now, actions in session.customSoundLearned(job, outcome, at: now, actions: &actions) }
    }

    func customSoundsStored(_ settings: CustomSoundSettings?) {
        run { now, actions in session.customSoundsStored(settings, at: now, actions: &actions) }
    }

    func customSoundsKnown(_ settings: CustomSoundSettings) {
        run { now, actions in session.customSoundsKnown(settings, at: now, actions: &actions) }
    }

    func customSoundsChanged() {
        run { now, actions in session.customSoundsChanged(at: now, actions: &actions) }
    }

    func signerKnown(_ settings: SignerSettings) {
        run { now, actions in session.signerKnown(settings, at: now, actions: &actions) }
    }

    func alertSettingsKnown(_ settings: AlertSettings) {
        loop.assertOnLoop()
        session.alertSettingsKnown(settings)
    }

    func signerSettingsChanged() {
        run { now, actions in session.signerSettingsChanged(at: now, actions: &actions) }
    }

    func authenticated(_ identity: Identity, hub: ProfileHub) {
        self.hub = hub
        services.metrics.welcomed()
        run { now, actions in
            session.authenticated(
                identity, sessionID: services.randomBytes(16), rooms: hub.protections, at: now,
                actions: &actions)
        }
        if session.isActive { transport?.setMaxMessageBytes(maxMessageBytes + Self.slackBytes) }
    }

    func refused(_ problem: FieldProblem) {
        services.metrics.refusedHello()
        run { now, actions in session.refused(problem, at: now, actions: &actions) }
    }

    // MARK: Actions

    private func run(at now: Now = ServerClock.now(), _ body: (Now, inout [SessionAction]) -> Void) {
        loop.assertOnLoop()
        var actions: [SessionAction] = []
        swap(&actions, &batcher.spareActions)
        body(now, &actions)
        if pending.isEmpty, !isPerforming {
            swap(&actions, &pending)
            performPending()
            swap(&actions, &pending)
        } else if !actions.isEmpty {
            pending += actions
            performPending()
        }
        actions.removeAll(keepingCapacity: true)
        swap(&actions, &batcher.spareActions)
    }

    /// One after the other: what an action leads to comes after the actions before it.
    private func performPending() {
        guard !isPerforming, !pending.isEmpty else { return }
        isPerforming = true
        var next = 0
        while next < pending.count {
            // Moved out, not copied: an envelope holds many references.
            var action = SessionAction.close(.unspecified)
            swap(&action, &pending[next])
            next += 1
            perform(action)
        }
        pending.removeAll(keepingCapacity: true)
        isPerforming = false
    }

    private func perform(_ action: consuming SessionAction) {
        switch consume action {
        case .send(let envelope, let delivery): send(envelope, delivery)
        case .close(let code): transport?.close(code, reason: "\(code)")
        case .authenticate(let credential, let hello):
            self.hello = hello
            self.hello.credential = nil
            services.authenticate(credential, hello, from: peer, for: handle)
        case .scoreLetters(let job): batcher.add(job, for: self)
        case .scoreSound(let job): services.scoreSound(job, for: handle)
        case .decodeSong(let job): services.decodeSong(job, for: handle)
        case .learnCalibration(let job): services.learn(job, for: handle)
        case .learnCustomSound(let job): services.learn(job, for: handle)
        case .profile(let input): hub?.receive(input, from: handle)
        case .request(let request, let seq):
            guard let identity = session.knownIdentity, let hub else { return }
            services.answer(request, seq: seq, identity: identity, hub: hub, for: handle)
        }
    }

    private var fitting: AnswerFitting {
        let declared = hello.capabilities?.maxFrameBytes ?? 0
        return AnswerFitting(
            maxBytes: isJSON && declared == 0 ? session.wireLimits.maxJSONBytes : session.maxReceiveBytes,
            room: hello.room, encode: isJSON ? { $0.serializedJSON() } : { $0.serialized() })
    }

    private func send(_ envelope: Envelope, _ delivery: DeliveryClass) {
        if isMuted {
            guard case .error? = envelope.body else { return }
        }
        if !isJSON {
            // Nearly everything fits as it is.
            let bytes = envelope.serialized()
            if bytes.count <= session.maxReceiveBytes {
                queue(bytes, delivery)
                return
            }
        }
        let fitting = fitting
        guard let bytes = fitting.fitted(envelope) else {
            tooLarge(envelope, delivery, fitting)
            return
        }
        queue(bytes, delivery)
    }

    private func queue(_ bytes: [UInt8], _ delivery: DeliveryClass) {
        services.metrics.sent(bytes: bytes.count)
        transport?.send(bytes, isText: isJSON, delivery)
    }

    /// A message cannot be made to fit the device. It would have to drop the connection; it gets told instead.
    private func tooLarge(
        _ envelope: Envelope, _ delivery: DeliveryClass, _ fitting: AnswerFitting
    ) {
        let bytes = fitting.encode(envelope)
        services.log(.warning, "answer of \(bytes.count) bytes is too large for session \(id.rawValue)")
        let problem = FieldProblem(
            .tooLarge, field: "capabilities.max_frame_bytes",
            expected: "at least \(bytes.count) for this answer", got: "\(fitting.maxBytes)")
        switch envelope.body {
        case .error: break
        case .alert:
            // Only in JSON with a tiny limit. Perhaps the device takes it after all; without it nobody would know.
            queue(bytes, delivery)
        case .welcome:
            isMuted = true
            end(problem)
        default: fail(problem, seq: envelope.ack)
        }
    }

    private func armTimer() {
        timer = loop.schedule(after: Self.tickInterval) { [self] in
            run { now, actions in session.tick(at: now, actions: &actions) }
            if timer != nil { armTimer() }
        }
    }
}
