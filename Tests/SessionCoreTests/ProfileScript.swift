import SenseProtocol
import SessionCore

/// A person's state on a manual clock, with a store that works at once unless told to wait.
struct ProfileScript {
    var state: ProfileState
    var now = Now(serverUs: 1_000_000_000, unixUs: 1_700_000_000_000_000)
    var log: [Alert] = []
    var sent: [SessionID: [Envelope.Body]] = [:]
    var closed: [SessionID: ErrorCode] = [:]
    var exhausted: [String] = []
    var resolved: [String] = []
    var receipts: [AlertReceipt] = []
    var cursors: [String: UInt64] = [:]
    var heard: [HeardTime] = []
    var drills: [DrillResult] = []
    var storeFails = false
    var readFails = false
    private var revisions: [String: UInt32] = [:]

    init(
        rooms: [String: String] = [:], drillRooms: [DrillRoom] = [], openAlerts: [Alert] = [],
        limits: SessionLimits = SessionLimits()
    ) {
        state = ProfileState(
            profileID: "home", idPrefix: "p", rooms: rooms, openAlerts: openAlerts, drillRooms: drillRooms,
            limits: limits, now: now)
    }

    mutating func advance(_ seconds: Double) {
        let us = UInt64(seconds * 1_000_000)
        now = Now(serverUs: now.serverUs + us, unixUs: now.unixUs + us)
    }

    /// Ticks whenever the state asks for it, for some time.
    mutating func run(_ seconds: Double) {
        let end = now.serverUs + UInt64(seconds * 1_000_000)
        while let next = state.nextDeadlineUs, next <= end {
            let step = max(next, now.serverUs + 1) - now.serverUs
            now = Now(serverUs: now.serverUs + step, unixUs: now.unixUs + step)
            tick()
        }
        if now.serverUs < end { advance(Double(end - now.serverUs) / 1_000_000) }
    }

    mutating func tick() {
        var actions: [ProfileAction] = []
        state.tick(at: now, actions: &actions)
        perform(actions)
    }

    mutating func receive(_ input: ProfileInput, from session: UInt64) {
        var actions: [ProfileAction] = []
        state.receive(input, from: SessionID(session), at: now, actions: &actions)
        perform(actions)
    }

    mutating func attach(
        _ session: UInt64, device: String, room: String = "hall", watches: Bool = true, after: UInt64 = 0,
        beside: Bool = false
    ) {
        receive(
            .attached(
                SessionPresence(
                    deviceID: device, deviceName: device, room: room, role: .subject, watchesAlerts: watches,
                    lastEventID: after, capabilities: Capabilities(), isBeside: beside)), from: session)
    }

    /// Opens a microphone and lets the first samples arrive.
    mutating func listen(_ session: UInt64) {
        receive(.listening(streamID: 1, true), from: session)
        receive(.health(streamID: 1, []), from: session)
    }

    mutating func sound(
        _ step: SoundObservation.Step, _ label: String = "siren", urgency: Urgency = .urgent,
        episode: UInt64 = 1, onsetServerUs: UInt64? = nil, from session: UInt64 = 1
    ) {
        receive(
            .sound(
                SoundObservation(
                    streamID: 1, episode: episode, label: label, step: step, confidence: 0.9,
                    onsetServerUs: onsetServerUs ?? now.serverUs, onsetSampleIndex: 0, urgency: urgency,
                    haptic: HapticPattern())),
            from: session)
    }

    mutating func takeAlerts(_ session: UInt64) -> [Alert] {
        defer { sent[SessionID(session)] = nil }
        return (sent[SessionID(session)] ?? []).compactMap {
            if case .alert(let alert) = $0 { alert } else { nil }
        }
    }

    private mutating func perform(_ actions: [ProfileAction]) {
        for action in actions {
            switch action {
            case .send(let session, let body, _): sent[session, default: []].append(body)
            case .close(let session, let problem): closed[session] = problem.code
            case .store(let alert): store(alert)
            case .storeReceipt(let receipt, _, _, let session, let seq):
                receipts.append(receipt)
                var next: [ProfileAction] = []
                state.receiptStored(receipt, wasKnown: true, from: session, seq: seq, at: now, actions: &next)
                perform(next)
            case .storeFeedback(let word, let session, let seq): storeFeedback(word, session, seq)
            case .storeHeard(let times): heard += times
            case .storeDrill(let result):
                drills.append(result)
                var next: [ProfileAction] = []
                state.drillStored(result, isStored: !storeFails, at: now, actions: &next)
                perform(next)
            case .resolve(let id, _): resolved.append(id)
            case .markExhausted(let id, _): exhausted.append(id)
            case .fetchEvents(let session, let after, let limit):
                var next: [ProfileAction] = []
                if readFails {
                    state.fetchFailed(for: session, at: now)
                    continue
                }
                let page = log.filter { $0.eventId > after }.prefix(limit)
                state.fetched(
                    Array(page), scannedUpTo: page.last?.eventId, for: session, at: now, actions: &next)
                perform(next)
            case .saveCursor(let device, let eventID): cursors[device] = eventID
            case .log: break
            }
        }
    }

    /// As the store does: the verdict belongs to the newest revision, and a changed one is announced.
    private mutating func storeFeedback(_ word: AlertFeedback, _ session: SessionID, _ seq: UInt64) {
        var next: [ProfileAction] = []
        let known = log.last { $0.alertId == word.alertId }
        if var alert = known {
            alert.verdict = word.correct ? .right : .wrong
            alert.trueLabel = word.trueLabel
            if alert != known { store(alert) }
        }
        state.feedbackStored(
            word, wasKnown: known != nil, from: session, seq: seq, at: now, actions: &next)
        perform(next)
    }

    private mutating func store(_ alert: Alert) {
        var next: [ProfileAction] = []
        if storeFails {
            state.storeFailed(alert, reason: "disk full", at: now, actions: &next)
        } else {
            var stored = alert
            revisions[alert.alertId, default: 0] += 1
            stored.revision = revisions[alert.alertId] ?? 0
            stored.eventId = UInt64(log.count + 1)
            log.append(stored)
            state.stored(stored, at: now, actions: &next)
        }
        perform(next)
    }
}
