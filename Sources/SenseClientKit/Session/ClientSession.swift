public import SenseProtocol

/// One connection to a server as a state machine without I/O: messages in, messages and events out.
///
/// Contract for the owner:
/// ```swift
/// session.start(atUs: now)
/// for each message received: session.receive(message, atUs: now, events: &events)
/// about every quarter second: session.tick(atUs: now, events: &events)
/// after each call: send everything of session.takeOutput(), in order
/// ```
/// Times are microseconds of a monotonic clock of the device.
///
/// Isolation: its owner. It runs wherever Swift does.
public struct ClientSession: Sendable {
    enum Phase: Sendable, Equatable {
        case idle
        case greeting(sentUs: UInt64)
        case active
        case ended
    }

    let greeting: ClientGreeting
    let limits: ClientLimits
    var phase = Phase.idle
    var inbox: AlertInbox
    var lastHeardUs: UInt64 = 0
    private var resumeFrom: Resume?
    private var output: [[UInt8]] = []
    private var seqOut: UInt64 = 0
    var seqIn: UInt64 = 0
    var nextBeatUs: UInt64 = 0
    var nextClockUs: UInt64 = 0
    var clockRequests = 0
    private var nextStreamID: UInt32 = 1
    private var openIDs: Set<UInt32> = []
    /// How the device is doing, told with each heartbeat.
    public var vitals = Heartbeat(batteryPercent: 101)
    /// What the server said in its welcome; nil before.
    public internal(set) var welcome: Welcome?
    /// The server's clock.
    public internal(set) var clock = ClockFilter()
    /// Media that may be sent.
    public internal(set) var credit = MediaCredit()
    /// Messages of the server that were dropped on its side, told by gaps in its numbering.
    public internal(set) var missedMessages: UInt64 = 0
    /// Messages and fields that this version does not know.
    public internal(set) var unknownCount = 0

    /// - Parameters:
    ///   - greeting: who we are.
    ///   - resumption: what an earlier connection left, for a reconnect.
    public init(
        greeting: ClientGreeting, resumption: ClientResumption? = nil, limits: ClientLimits = ClientLimits()
    ) {
        self.greeting = greeting
        self.limits = limits
        inbox = resumption?.inbox ?? AlertInbox(maxAlerts: limits.maxKnownAlerts)
        resumeFrom = resumption.map { Resume(sessionId: $0.sessionID, lastEventId: $0.inbox.lastEventID) }
    }

    /// Welcomed and not ended.
    public var isActive: Bool { phase == .active }

    /// What the next connection needs.
    public var resumption: ClientResumption {
        ClientResumption(sessionID: welcome?.sessionId ?? resumeFrom?.sessionId ?? [], inbox: inbox)
    }

    /// The transport is open: says hello.
    public mutating func start(atUs now: UInt64) {
        guard phase == .idle else { return }
        phase = .greeting(sentUs: now)
        lastHeardUs = now
        append(.hello(greeting.hello(resume: resumeFrom)), at: now)
    }

    /// Everything to send now, in order.
    public mutating func takeOutput() -> [[UInt8]] {
        guard !output.isEmpty else { return [] }
        defer { output = [] }
        return output
    }

    /// Sends a message.
    /// - Returns: its seq, by which an error refers to it.
    /// - Throws: `notConnected`, or `noCredit` for media beyond the credit; nothing was sent then.
    @discardableResult
    public mutating func send(
        _ body: Envelope.Body, mustUnderstand: Bool = false, atUs now: UInt64
    ) throws(ClientError) -> UInt64 {
        guard phase == .active else { throw .notConnected }
        let cost = MediaCredit.cost(of: body)
        guard credit.spend(cost) else { throw .noCredit(needed: cost, left: credit.leftBytes) }
        append(body, mustUnderstand: mustUnderstand, at: now)
        return seqOut
    }

    /// Opens a stream under an id that is free; the answer is `StreamOpened` or a problem with that stream id.
    public mutating func openStream(
        _ format: OpenStream.Format, name: String = "", atUs now: UInt64
    ) throws(ClientError) -> UInt32 {
        while openIDs.contains(nextStreamID) { nextStreamID = nextStreamID % 65_535 + 1 }
        let id = nextStreamID
        try send(
            .openStream(OpenStream(streamId: id, kind: format.kind, name: name, format: format)), atUs: now)
        nextStreamID = id % 65_535 + 1
        openIDs.insert(id)
        return id
    }

    mutating func closed(stream id: UInt32) { openIDs.remove(id) }

    /// Confirms how far an alert has come on this device.
    public mutating func sendReceipt(
        _ alertID: String, _ kind: ReceiptKind, note: String = "", atUs now: UInt64
    ) throws(ClientError) {
        try send(.alertReceipt(AlertReceipt(alertId: alertID, kind: kind, note: note)), atUs: now)
    }

    /// Takes a planned leave; the transport is closed next. Without it the server announces a loss.
    public mutating func sayGoodbye(_ reason: GoodbyeReason = .userLeft, atUs now: UInt64) {
        if phase == .active { append(.goodbye(Goodbye(reason: reason)), at: now) }
        phase = .ended
    }

    /// The transport ended.
    public mutating func transportEnded(_ error: ClientError?, events: inout [ClientEvent]) {
        end(error, &events)
    }

    /// Runs what is due.
    public mutating func tick(atUs now: UInt64, events: inout [ClientEvent]) {
        switch phase {
        case .greeting(let sentUs):
            if now >= sentUs + limits.welcomeTimeoutUs { end(.timedOut(waitingFor: "welcome"), &events) }
        case .active:
            if now > lastHeardUs, Double(now - lastHeardUs) > limits.silentHeartbeats * Double(heartbeatUs) {
                end(.heartbeatLost, &events)
                return
            }
            if now >= nextBeatUs {
                nextBeatUs = now + heartbeatUs
                append(.heartbeat(vitals), at: now)
            }
            if now >= nextClockUs {
                clockRequests += 1
                nextClockUs =
                    now
                    + (clockRequests < limits.clockBurst
                        ? limits.clockBurstIntervalUs : limits.clockIntervalUs)
                append(.timeRequest(TimeRequest(clientMonoUs: now)), at: now)
            }
        case .idle, .ended: break
        }
    }

    /// The negotiated interval, 1 s…1 h whatever the server says.
    var heartbeatUs: UInt64 { UInt64(min(3600, max(1, welcome?.heartbeatSeconds ?? 15))) * 1_000_000 }

    mutating func end(_ error: ClientError?, _ events: inout [ClientEvent]) {
        guard phase != .ended else { return }
        phase = .ended
        events.append(.ended(error))
    }

    mutating func append(_ body: Envelope.Body, mustUnderstand: Bool = false, at now: UInt64) {
        seqOut += 1
        output.append(
            Envelope(seq: seqOut, ack: seqIn, monoUs: now, mustUnderstand: mustUnderstand, body: body)
                .serialized())
    }
}

extension OpenStream.Format {
    /// The kind of stream a format belongs to.
    public var kind: StreamKind {
        switch self {
        case .audio: .audio
        case .hands: .hands
        case .scene: .scene
        case .question: .question
        case .music: .music
        }
    }
}
