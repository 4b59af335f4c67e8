import Net
import SenseProtocol
import SessionCore
import Storage
import Synchronization

/// Runs one person's shared state on one loop for life: performs its actions, keeps its clock.
///
/// Isolation: everything but `receive`, `protections` and `isListening` is confined to `loop`.
/// `@unchecked Sendable`: state is touched on the loop only (asserted); the snapshot has its own lock.
final class ProfileHub: @unchecked Sendable {
    let profileID: String
    let loop: EventLoop
    let store: any RecordStore
    let log: Log
    var state: ProfileState
    private var sessions: [SessionID: SessionHandle] = [:]
    private var timer: LoopTimer?
    var tallyRead = TallyRead.none
    private var alertSettings = AlertSettings()
    /// When the time zone was looked up, server time: it changes twice a year.
    private var zoneReadUs: UInt64?
    private let snapshot = Mutex(Snapshot())

    private struct Snapshot {
        var protections: [RoomProtection] = []
        var protectionsVersion: UInt64?
        var openAlerts = 0
        var sessions = 0
        var tallies = FeedbackTallies()
        var drills = DrillBook()
    }

    init(
        profileID: String, state: ProfileState, alertSettings: AlertSettings = AlertSettings(),
        loop: EventLoop, store: any RecordStore, log: Log
    ) {
        self.alertSettings = alertSettings
        self.profileID = profileID
        self.state = state
        self.loop = loop
        self.store = store
        self.log = log
        snapshot.withLock {
            $0.protections = state.protections
            $0.drills = state.drillBook
        }
    }

    /// Starts the clock of what a restart took up again; any thread.
    func start() {
        loop.post { [self] in
            rearm(ServerClock.now())
            refreshTallies()
        }
    }

    // MARK: From any thread

    /// Rooms and whether they are heard, as of the last input.
    var protections: [RoomProtection] { snapshot.withLock { $0.protections } }

    /// Alerts nobody answered, as of the last input.
    var openAlertCount: Int { snapshot.withLock { $0.openAlerts } }

    /// Connected sessions, as of the last input.
    var sessionCount: Int { snapshot.withLock { $0.sessions } }

    /// When each room's alarm was tested, as of the last input.
    var drills: DrillBook { snapshot.withLock { $0.drills } }

    /// What people said of alerts, as last read from the store.
    var tallies: FeedbackTallies { snapshot.withLock { $0.tallies } }

    /// Keeps what was read from the store, and lets open microphones learn from it.
    func keep(_ tallies: FeedbackTallies) {
        snapshot.withLock { $0.tallies = tallies }
        loop.post { [self] in
            var learned = alertSettings
            learned.learn(from: tallies.tallies)
            if learned != alertSettings { tell(learned) }
        }
    }

    /// Hands an input of a session over. Inputs of one session keep their order.
    func receive(_ input: ProfileInput, from session: SessionHandle) {
        if loop.isOnLoop {
            // Later in this turn, so that the session has finished what it does now.
            loop.afterCurrentEvent { [self] in take(input, from: session) }
        } else {
            loop.post { [self] in take(input, from: session) }
        }
    }

    /// Ends the sessions of a device whose token was taken away.
    func revoked(deviceID: String) {
        loop.post { [self] in run { state.revoked(deviceID: deviceID, at: $0, actions: &$1) } }
    }

    /// Some fingerspelling setting changed: connected sessions take it up.
    func signerSettingsChanged() {
        loop.post { [self] in
            for session in sessions.values { session.onLoop { $0.signerSettingsChanged() } }
        }
    }

    /// How the person wants to be told has changed: the profile and its open microphones take it up.
    func alertSettingsChanged() {
        loop.post { [self] in readAlertSettings() }
    }

    /// Some sound that the person taught changed: connected sessions take it up.
    func customSoundsChanged() {
        loop.post { [self] in
            for session in sessions.values { session.onLoop { $0.customSoundsChanged() } }
        }
    }

    /// Whether a device is connected now; `answer` is called on the hub's loop.
    func onlineDevices(_ answer: @escaping @Sendable (Set<String>) -> Void) {
        loop.post { [self] in answer(state.onlineDeviceIDs) }
    }

    // MARK: On the loop

    private func take(_ input: ProfileInput, from session: SessionHandle) {
        loop.assertOnLoop()
        if case .attached = input {
            sessions[session.id] = session
            let settings = alertSettings
            session.onLoop { $0.alertSettingsKnown(settings) }
        }
        run { state.receive(input, from: session.id, at: $0, actions: &$1) }
        if case .detached = input { sessions[session.id] = nil }
    }

    func run(_ body: (Now, inout [ProfileAction]) -> Void) {
        let now = ServerClock.now()
        if zoneReadUs.map({ now.serverUs - $0 > 60_000_000 }) ?? true {
            state.serverOffsetSeconds = ServerClock.utcOffsetSeconds(unixUs: now.unixUs)
            zoneReadUs = now.serverUs
        }
        var actions: [ProfileAction] = []
        body(now, &actions)
        for action in actions { perform(action) }
        rearm(now)
        snapshot.withLock {
            if $0.protectionsVersion != state.protectionsVersion {
                $0.protections = state.protections
                $0.protectionsVersion = state.protectionsVersion
            }
            $0.openAlerts = state.openAlertCount
            $0.sessions = state.sessionCount
            $0.drills = state.drillBook
        }
    }

    private func rearm(_ now: Now) {
        timer?.cancel()
        timer = nil
        guard let deadlineUs = state.nextDeadlineUs else { return }
        let waitUs = deadlineUs > now.serverUs ? deadlineUs - now.serverUs : 0
        timer = loop.schedule(after: .microseconds(Int64(clamping: max(waitUs, 1000)))) { [weak self] in
            self?.tick()
        }
    }

    private func tick() {
        run { state.tick(at: $0, actions: &$1) }
    }

    private func perform(_ action: ProfileAction) {
        switch action {
        case .send(let session, let body, let delivery): sessions[session]?.push(body, delivery)
        case .close(let session, let problem): sessions[session]?.end(problem)
        case .store(let alert): store(alert)
        case .storeReceipt(let receipt, let deviceID, let unixUs, let session, let seq):
            storeReceipt(receipt, deviceID, unixUs, session, seq)
        case .storeFeedback(let feedback, let session, let seq): storeFeedback(feedback, session, seq)
        case .storeHeard(let heard): storeHeard(heard)
        case .storeDrill(let result): storeDrill(result)
        case .resolve(let alertID, let note): resolve(alertID, note)
        case .markExhausted(let alertID, let reason): markExhausted(alertID, reason)
        case .fetchEvents(let session, let after, let limit): fetch(session, after, limit)
        case .saveCursor(let deviceID, let eventID):
            store.ackEvents(upTo: Int64(clamping: eventID), deviceID: deviceID) { [log] result in
                if case .failure(let error) = result {
                    log(.warning, "cursor of \(deviceID) not saved: \(error)")
                }
            }
        case .log(let text): log(.warning, "profile \(profileID): \(text)")
        }
    }

    // MARK: Store

    /// New settings for the profile and for every open session.
    private func tell(_ settings: AlertSettings) {
        alertSettings = settings
        run { _, _ in state.alertSettingsKnown(settings) }
        for session in sessions.values { session.onLoop { $0.alertSettingsKnown(settings) } }
    }

    private func readAlertSettings() {
        store.settings(profileID: profileID, since: 0) { [self] result in
            loop.post { [self] in
                switch result {
                case .success(let stored):
                    var settings = AlertSettings(StoreMapping.wire(stored))
                    settings.learn(from: tallies.tallies)
                    tell(settings)
                case .failure(let error):
                    // What was in force stays so.
                    log(.error, "alert settings of \(profileID) not read: \(error)")
                }
            }
        }
    }

    private func store(_ alert: Alert) {
        store.appendAlertEvents([StoreMapping.update(alert, profileID: profileID)]) { [self] result in
            loop.post { [self] in
                run { now, actions in
                    switch result {
                    case .success(let announced):
                        for item in announced {
                            guard var sent = StoreMapping.alert(item.alert, eventID: item.eventID) else {
                                continue
                            }
                            // What the detector measured in server time is not for the disk, but for the devices.
                            sent.onsetServerUs = alert.onsetServerUs
                            state.stored(sent, at: now, actions: &actions)
                        }
                    case .failure(let error):
                        state.storeFailed(alert, reason: "\(error)", at: now, actions: &actions)
                    }
                }
            }
        }
    }

    private func storeReceipt(
        _ receipt: AlertReceipt, _ deviceID: String, _ unixUs: UInt64, _ session: SessionID, _ seq: UInt64
    ) {
        guard let kind = StoreMapping.receiptKind(receipt.kind) else { return }
        let record = ReceiptRecord(
            deviceID: deviceID, kind: kind, receivedUs: Int64(clamping: unixUs), note: receipt.note)
        store.addReceipt(
            record, alertID: receipt.alertId, profileID: profileID, announce: StoreMapping.announcement
        ) { [self] result in
            loop.post { [self] in
                conclude(result, "alert_receipt", receipt.alertId, session, seq) { wasKnown, now, actions in
                    state.receiptStored(
                        receipt, wasKnown: wasKnown, from: session, seq: seq, at: now, actions: &actions)
                }
            }
        }
    }

    /// Announces what a device's word on an alert has changed and answers it: `answer` says whether the alert is known.
    func conclude(
        _ result: Result<ReceiptOutcome, StorageError>, _ field: String, _ alertID: String,
        _ session: SessionID, _ seq: UInt64, answer: (Bool, Now, inout [ProfileAction]) -> Void
    ) {
        run { now, actions in
            switch result {
            case .success(let outcome):
                announce(outcome, now, &actions)
                answer(true, now, &actions)
            case .failure(.notFound): answer(false, now, &actions)
            case .failure(let error):
                log(.error, "\(field) for \(alertID) not stored: \(error)")
                let problem = StoreMapping.problem(error, field: field)
                actions.append(.send(session, .error(problem.message(inReplyToSeq: seq)), .control))
            }
        }
    }

    private func resolve(_ alertID: String, _ note: String) {
        let record = ReceiptRecord(
            deviceID: ReceiptRecord.serverID, kind: .resolved,
            receivedUs: Int64(clamping: ServerClock.now().unixUs),
            note: note)
        store.addReceipt(
            record, alertID: alertID, profileID: profileID, announce: StoreMapping.announcement
        ) { [self] result in
            loop.post { [self] in
                run { now, actions in
                    switch result {
                    case .success(let outcome): announce(outcome, now, &actions)
                    case .failure(let error): log(.error, "alert \(alertID) not marked resolved: \(error)")
                    }
                }
            }
        }
    }

    private func markExhausted(_ alertID: String, _ reason: String) {
        let nowUs = Int64(clamping: ServerClock.now().unixUs)
        store.markExhausted(
            alertID: alertID, profileID: profileID, nowUs: nowUs, announce: StoreMapping.announcement
        ) { [self] result in
            loop.post { [self] in
                run { now, actions in
                    switch result {
                    case .success(let outcome): announce(outcome, now, &actions)
                    case .failure(let error): log(.error, "alert \(alertID) not marked exhausted: \(error)")
                    }
                }
            }
        }
    }

    func announce(_ outcome: ReceiptOutcome, _ now: Now, _ actions: inout [ProfileAction]) {
        guard let eventID = outcome.eventID, let alert = StoreMapping.alert(outcome.alert, eventID: eventID)
        else { return }
        state.stored(alert, at: now, actions: &actions)
    }

    private func fetch(_ session: SessionID, _ after: UInt64, _ limit: Int) {
        store.eventsAfter(Int64(clamping: after), profileID: profileID, limit: limit) { [self] result in
            loop.post { [self] in
                run { now, actions in
                    switch result {
                    case .success(let events):
                        let lost = events.count { $0.kind == .alert && StoreMapping.alert($0) == nil }
                        if lost > 0 { log(.error, "\(lost) stored events of \(profileID) cannot be read") }
                        state.fetched(
                            events.compactMap(StoreMapping.alert),
                            scannedUpTo: events.last.map { UInt64(clamping: $0.eventID) }, for: session,
                            at: now,
                            actions: &actions)
                    case .failure(let error):
                        log(.error, "events of \(profileID) not read: \(error)")
                        state.fetchFailed(for: session, at: now)
                    }
                }
            }
        }
    }
}
