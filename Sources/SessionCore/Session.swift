public import SenseProtocol

/// One connection's session: greeting, streams, clocks, health and endings, over the four modules.
///
/// Sans-IO. The owner decodes envelopes, passes both clocks in, performs actions in order, and answers
/// `authenticate`, score and store actions by calling back. Nothing a peer sends traps; what cannot be taken
/// becomes an `Error` that names the field, and the session lives on where it can.
///
/// Isolation: the loop that owns the connection.
public struct Session: Sendable {
    enum Phase: Sendable, Equatable {
        case awaitingHello(deadlineUs: UInt64)
        case authenticating
        case active
        case ended
    }

    let context: SessionContext
    let headerToken: String?
    var phase: Phase
    var identity: Identity?
    var hello = Hello()
    var heldBack: [(envelope: Envelope, unknownBody: String?)] = []
    var streams = StreamTable<OpenedStream>()
    var audio: [UInt32: AudioStream] = [:]
    var hands = StreamTable<HandStream>()
    var scenes: [UInt32: SceneStream] = [:]
    var music: [UInt32: MusicStream] = [:]
    /// What the profile's settings say about fingerspelling; asked for when a hand stream opens.
    var signer = SignerSettings()
    var alertSettings = AlertSettings()
    /// The person's own sounds, and those being taught.
    var teaching = SoundTeaching()
    var generations: UInt32 = 0
    var seqOut: UInt64 = 0
    var seqIn: UInt64 = 0
    var lastHeardUs: UInt64
    var creditUsed: UInt64 = 0
    var creditLeft: UInt64
    var saidGoodbye = false
    var pace: InboundPace
    /// Since when media has come without credit.
    var overdrawnSinceUs: UInt64?
    /// What the codec takes from this device: the default until it has said what it is.
    public private(set) var wireLimits = WireLimits.default
    /// Largest frame the device takes: as it said, else as its class can (PRODUCT 5.3 rule 12).
    public private(set) var maxReceiveBytes = WireLimits.default.maxMessageBytes
    /// Envelopes and fields that this version does not know, skipped.
    public private(set) var unknownCount: UInt64 = 0

    var limits: SessionLimits { context.limits }

    /// - Parameters:
    ///   - context: what the server is and can do.
    ///   - headerToken: a bearer token of the upgrade request, used where Hello has none.
    ///   - now: when the connection was upgraded; the Hello timeout starts here.
    public init(context: SessionContext, headerToken: String? = nil, at now: Now) {
        self.context = context
        self.headerToken = headerToken
        phase = .awaitingHello(deadlineUs: now.serverUs + context.limits.helloTimeoutUs)
        lastHeardUs = now.serverUs
        creditLeft = context.limits.creditBytes
        pace = InboundPace(limits: context.limits, at: now)
    }

    /// Welcomed and not yet ended.
    public var isActive: Bool { phase == .active }

    /// Who the session is, once welcomed.
    public var knownIdentity: Identity? { identity }

    /// Whether a message that has just arrived may be decoded. If not it is left out, and the device is told once a
    /// second; one that floods on is ended.
    public mutating func admitsMessage(at now: Now, actions: inout [SessionAction]) -> Bool {
        let verdict = pace.admit(at: now)
        if verdict == .taken { return true }
        guard phase != .ended, verdict != .dropped(isNews: false) else { return false }
        lastHeardUs = now.serverUs
        let problem = FieldProblem(
            .tooFast, field: "message", expected: "at most \(limits.maxMessagesPerSecond) messages a second",
            got: "more", retryAfterMs: 1000)
        if verdict == .ended {
            fatal(problem, now, &actions)
        } else {
            report(problem, seq: 0, now, &actions)
        }
        return false
    }

    /// Takes one decoded envelope.
    /// - Parameters:
    ///   - unknownFields: how many fields the decoder skipped.
    ///   - unknownBody: `#NUMBER` or JSON name of the body, if this version does not know it.
    public mutating func receive(
        _ envelope: Envelope, unknownFields: Int = 0, unknownBody: String? = nil, at now: Now,
        actions: inout [SessionAction]
    ) {
        guard phase != .ended else { return }
        lastHeardUs = now.serverUs
        unknownCount &+= UInt64(clamping: unknownFields)
        seqIn = max(seqIn, envelope.seq)
        // A device that goes on talking after its goodbye has not left.
        saidGoodbye = false
        switch phase {
        case .awaitingHello: greet(envelope, now, &actions)
        case .authenticating: holdBack(envelope, unknownBody, now, &actions)
        case .active: dispatch(envelope, unknownBody: unknownBody, now, &actions)
        case .ended: break
        }
    }

    /// What came could not be decoded. A value out of place or a message too large is reported and the session lives
    /// on; anything else means that the peer speaks something else, and ends it.
    public mutating func receiveMalformed(
        _ code: ErrorCode, field: String, expected: String, got: String, at now: Now,
        actions: inout [SessionAction]
    ) {
        guard phase != .ended else { return }
        lastHeardUs = now.serverUs
        let problem = FieldProblem(code, field: field, expected: expected, got: got)
        let isBearable = code == .tooLarge || code == .invalidValue
        if phase == .active, isBearable {
            report(problem, seq: 0, now, &actions)
        } else {
            fatal(problem, now, &actions)
        }
    }

    /// The connection is gone, for whatever reason.
    public mutating func disconnected(at now: Now, actions: inout [SessionAction]) {
        guard phase != .ended else { return }
        let wasActive = phase == .active
        phase = .ended
        dropStreams()
        if wasActive { actions.append(.profile(.detached(isPlanned: saidGoodbye))) }
    }

    /// The server stops: says so and closes (4503); the device comes back by itself.
    public mutating func drain(retryAfterMs: UInt32, at now: Now, actions: inout [SessionAction]) {
        fatal(
            FieldProblem(
                .draining, field: "session", expected: "a reconnect", got: "server restart",
                retryAfterMs: retryAfterMs), now, &actions)
    }

    /// Ends the session with an error that its person's state decided on.
    public mutating func end(_ problem: FieldProblem, at now: Now, actions: inout [SessionAction]) {
        fatal(problem, now, &actions)
    }

    /// Sends a body that came from elsewhere (the person's state, the store).
    public mutating func push(
        _ body: Envelope.Body, _ delivery: DeliveryClass, at now: Now, actions: inout [SessionAction]
    ) {
        guard phase == .active else { return }
        send(body, delivery, now, &actions)
    }

    /// A request was refused.
    public mutating func fail(
        _ problem: FieldProblem, seq: UInt64, at now: Now, actions: inout [SessionAction]
    ) {
        guard phase == .active else { return }
        report(problem, seq: seq, now, &actions)
    }

    /// Runs what is due; call about every quarter second.
    public mutating func tick(at now: Now, actions: inout [SessionAction]) {
        switch phase {
        case .awaitingHello(let deadlineUs):
            if now.serverUs >= deadlineUs {
                fatal(
                    FieldProblem(
                        .helloTimeout, field: "hello",
                        expected: "within \(limits.helloTimeoutUs / .secondUs) s", got: "nothing"),
                    now, &actions)
            }
        case .active:
            if now.serverUs.since(lastHeardUs) > offlineAfterUs {
                fatal(
                    FieldProblem(
                        .heartbeatLost, field: "heartbeat",
                        expected: "something every \(heartbeatUs / .secondUs) s",
                        got: "nothing for \(offlineAfterUs / .secondUs) s"), now, &actions)
                return
            }
            tickStreams(now, &actions)
            growCredit(now, &actions)
        case .authenticating, .ended: break
        }
    }

    // MARK: Sending

    mutating func send(
        _ body: Envelope.Body, _ delivery: DeliveryClass, _ now: Now, _ actions: inout [SessionAction]
    ) {
        seqOut += 1
        actions.append(
            .send(Envelope(seq: seqOut, ack: seqIn, monoUs: now.serverUs, body: body), delivery))
    }

    mutating func report(
        _ problem: FieldProblem, seq: UInt64, _ now: Now, _ actions: inout [SessionAction]
    ) {
        if problem.isFatal {
            fatal(problem, seq: seq, now, &actions)
        } else {
            send(.error(problem.message(inReplyToSeq: seq)), .control, now, &actions)
        }
    }

    mutating func fatal(
        _ problem: FieldProblem, seq: UInt64 = 0, _ now: Now, _ actions: inout [SessionAction]
    ) {
        guard phase != .ended else { return }
        var problem = problem
        problem.isFatal = true
        send(.error(problem.message(inReplyToSeq: seq)), .control, now, &actions)
        actions.append(.close(problem.code))
        let wasActive = phase == .active
        phase = .ended
        dropStreams()
        // The person's state hears of it as of any loss; a server that stops on purpose is no loss.
        if wasActive {
            let isPlanned = saidGoodbye || problem.code == .draining || problem.code == .superseded
            actions.append(.profile(.detached(isPlanned: isPlanned)))
        }
    }

    private mutating func dropStreams() {
        streams.removeAll()
        audio = [:]
        hands.removeAll()
        scenes = [:]
        music = [:]
    }

    /// Takes over what hello and identity say about sizes. Stored, as both are asked for with each message.
    mutating func settleLimits() {
        wireLimits = identity != nil ? WireLimits.forClass(hello.deviceClass) : .default
        let declared = Int(hello.capabilities?.maxFrameBytes ?? 0)
        maxReceiveBytes = declared > 0 ? max(declared, 512) : wireLimits.maxMessageBytes
    }

    mutating func countUnknown() { unknownCount &+= 1 }
}
