public import SenseProtocol

/// The shared state of one person: who is connected, which alerts are open, which rooms are heard, what plays.
///
/// Sans-IO: inputs come with both clocks, actions go to the owner, one loop owns one profile for life.
/// Alerts are stored before they are sent, sent to every watching device until acknowledged, and end as
/// acknowledged, resolved or exhausted (PRODUCT 4.7 invariants 1–3, 5).
public struct ProfileState: Sendable {
    /// A microphone that should open again soon.
    struct AwaitedMicrophone: Sendable {
        var room: String
        var deviceName: String
        var dueUs: UInt64
    }

    /// One connected device.
    struct Member: Sendable {
        var presence: SessionPresence
        var delivery: DeliveryCursor?
        var battery: UInt32 = 101
        var music: [UInt32: MusicFormat] = [:]
    }

    /// The person.
    public let profileID: String
    let limits: SessionLimits
    let policy: AlertPolicy
    /// Makes ids unique over restarts: random, from the owner.
    let idPrefix: String
    var nextID: UInt64 = 1
    var members: [SessionID: Member] = [:]
    /// Members with a `delivery`.
    var alertWatchers = SessionOrder()
    /// Members that want to hear of the other devices.
    var deviceWatchers = SessionOrder()
    /// Resends and repeated readings of all members.
    var deliveryDue = EarliestDue()
    /// Reminders of all open alerts.
    var reminderDue = EarliestDue()
    var open: [String: OpenAlert] = [:]
    var alertBySource: [AlertSource: String] = [:]
    var latestEventID: UInt64
    var coverage: RoomCoverage
    var damper = FlapDamper()
    /// Revisions that the store could not take, and when to try again; at most `maxOpenAlerts`.
    var unstoredAlerts: [(alert: Alert, dueUs: UInt64)] = []
    /// Devices whose newer connection has not opened its microphone again, though the older one had it open.
    var awaitedMicrophones: [String: AwaitedMicrophone] = [:]
    /// Devices whose token was taken away while this process lives.
    var revokedDevices: Set<String> = []
    var music = MusicRoom()
    /// `coverage.version` that the ledger has taken up.
    var countedVersion: UInt64?
    var gate = AlertGate()
    var held = HeldSounds()
    /// The server's own time zone, seconds east of UTC; counts where the settings name none.
    public var serverOffsetSeconds = 0
    var ledger = HeardLedger()
    let drillLimits: DrillLimits
    /// Drills that run, by room.
    var drills: [String: DrillRun] = [:]
    /// When each room's alarm was tested.
    public internal(set) var drillBook: DrillBook
    /// When to look for rooms whose drill is overdue; `countHeard` and the drills keep it.
    var drillCheckUs: UInt64?

    /// - Parameters:
    ///   - idPrefix: at least 64 random bits in hexadecimal.
    ///   - latestEventID: the newest durable event in the store.
    ///   - rooms: room of each paired device, by device id.
    ///   - drillRooms: when each room was first heard and last tested.
    ///   - openAlerts: alerts that the store still holds open, taken up again after a restart.
    public init(
        profileID: String, idPrefix: String, latestEventID: UInt64 = 0, rooms: [String: String] = [:],
        openAlerts: [Alert] = [], drillRooms: [DrillRoom] = [], limits: SessionLimits = SessionLimits(),
        drillLimits: DrillLimits = DrillLimits(),
        policy: AlertPolicy = AlertPolicy(),
        now: Now
    ) {
        self.profileID = profileID
        self.idPrefix = idPrefix
        self.latestEventID = latestEventID
        self.limits = limits
        self.policy = policy
        self.drillLimits = drillLimits
        drillBook = DrillBook(drillRooms, limits: drillLimits)
        coverage = RoomCoverage(rooms: rooms)
        for alert in openAlerts {
            let standing = AlertSource.standing(alert)
            var entry = OpenAlert(alert: alert, source: standing ?? .restored(alertID: alert.alertId))
            arm(&entry, now)
            open[alert.alertId] = entry
            if let standing { alertBySource[standing] = alert.alertId }
        }
    }

    /// Nobody is connected and nothing is open: the owner may drop the state.
    public var isIdle: Bool { members.isEmpty && open.isEmpty && held.dueUs == nil }

    /// Rooms and whether they are heard.
    public var protections: [RoomProtection] { coverage.protections() }

    /// Changes whenever `protections` may have changed: a household of a thousand rooms is not listed at every input.
    public var protectionsVersion: UInt64 { coverage.version }

    /// Alerts that nobody has answered.
    public var openAlerts: [Alert] { open.values.map(\.alert).sorted { $0.eventId < $1.eventId } }

    /// How many alerts are still known: unanswered or going on.
    public var openAlertCount: Int { open.count }

    /// Sessions now connected.
    public var sessionCount: Int { members.count }

    /// Takes one input of one session.
    public mutating func receive(
        _ input: ProfileInput, from session: SessionID, at now: Now, actions: inout [ProfileAction]
    ) {
        switch input {
        case .attached(let presence): attach(presence, session, now, &actions)
        case .detached(let isPlanned): detach(session, isPlanned: isPlanned, now, &actions)
        case .sound(let observation):
            observe(observation, from: session, now, &actions)
            drillHeard(observation, from: session, now)
        case .hazard(let streamID, let label, let message, let haptic):
            hazard(streamID, label, message, haptic, from: session, now, &actions)
        case .health(let streamID, let faults):
            health(streamID, faults, from: session, now, &actions)
        case .listening(let streamID, let isOpen):
            listening(streamID, isOpen, from: session, now, &actions)
        case .eventAck(let eventID):
            acknowledge(eventID, from: session, now, &actions)
            drillAcknowledged(eventID, from: session, now, &actions)
        case .receipt(let receipt, let seq): self.receipt(receipt, seq, from: session, now, &actions)
        case .drill(let wish, let seq): drill(wish, seq, from: session, now, &actions)
        case .feedback(let feedback, let seq): self.feedback(feedback, seq, from: session, now, &actions)
        case .heartbeat(let beat): heartbeat(beat, from: session, now, &actions)
        case .subscribe(let wish): subscribe(wish, from: session, now, &actions)
        case .musicOpened(let streamID, let format):
            musicOpened(streamID, format, from: session, now, &actions)
        case .musicClosed(let streamID): members[session]?.music[streamID] = nil
        case .song(let streamID, let songID, let stems):
            song(streamID, songID, stems, from: session, now, &actions)
        case .playback(let control, let seq): playback(control, seq, from: session, now, &actions)
        }
        countHeard(now, &actions)
    }

    /// Runs everything that is due. Call when `nextDeadlineUs` has passed.
    public mutating func tick(at now: Now, actions: inout [ProfileAction]) {
        deliverAgain(now, &actions)
        settleLosses(now, &actions)
        missMicrophones(now, &actions)
        retryStores(now, &actions)
        if let dueUs = ledger.dueUs, dueUs <= now.serverUs { storeHeard(now, &actions) }
        drillTick(now, &actions)
        remind(now, &actions)
        digest(now, &actions)
        musicTick(now, &actions)
    }

    /// When `tick` is wanted next, in server time; it may find nothing due then. Costs the same for any number of
    /// devices and rooms.
    public var nextDeadlineUs: UInt64? {
        var next = earlier(earlier(music.nextDeadlineUs, damper.nextDeadlineUs), ledger.dueUs)
        next = earlier(next, held.dueUs)
        next = earlier(next, reminderDue.us)
        next = earlier(next, deliveryDue.us)
        next = earlier(next, earlier(drills.values.lazy.map(\.dueUs).min(), drillCheckUs))
        for store in unstoredAlerts { next = earlier(next, store.dueUs) }
        for awaited in awaitedMicrophones.values { next = earlier(next, awaited.dueUs) }
        return next
    }

    mutating func makeID() -> String {
        defer { nextID += 1 }
        return "\(idPrefix)-\(nextID)"
    }
}

func earlier(_ a: UInt64?, _ b: UInt64?) -> UInt64? {
    guard let a else { return b }
    guard let b else { return a }
    return min(a, b)
}
