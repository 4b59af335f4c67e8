/// What became of an alert. Raw values are those of the protocol.
public enum AlertDisposition: Int32, Sendable {
    /// Nobody answered yet.
    case open = 1
    /// A person saw it.
    case acknowledged = 2
    /// The cause is dealt with.
    case resolved = 3
    /// Nobody answered although everybody was asked; a later answer still counts.
    case exhausted = 4
}

/// The newest knowledge of one alert episode, as the detector reports it.
public struct AlertUpdate: Sendable, Equatable {
    /// One episode keeps one id.
    public var alertID: String
    /// Whom it is for.
    public var profileID: String
    /// Device that heard or saw it, or empty.
    public var deviceID: String
    /// Where, or empty.
    public var room: String
    /// Stream of the device, 0 if none.
    public var streamID: Int64
    /// `AlertKind` of the protocol.
    public var kind: Int32
    /// Class label such as `siren`.
    public var label: String
    /// `Urgency` of the protocol.
    public var urgency: Int32
    /// 0 … 1
    public var confidence: Double
    /// Unix microseconds.
    public var startedUs: Int64
    /// Unix microseconds of this update.
    public var updatedUs: Int64
    /// When the episode ended; nil while it goes on.
    public var endedUs: Int64?
    /// Why it ended, or empty.
    public var endReason: String
    /// Encoded haptic pattern, or empty.
    public var haptic: [UInt8]
    /// The encoded message for the devices, without event id, revision and disposition: those are allocated
    /// by the store and filled in when it is sent.
    public var payload: [UInt8]
    /// It is told to a person, not only suspected or held back.
    public var isTold: Bool

    /// All fields.
    public init(
        alertID: String, profileID: String, deviceID: String, room: String, streamID: Int64, kind: Int32,
        label: String, urgency: Int32, confidence: Double, startedUs: Int64, updatedUs: Int64,
        endedUs: Int64? = nil, endReason: String = "", haptic: [UInt8] = [], payload: [UInt8],
        isTold: Bool = true
    ) {
        self.alertID = alertID
        self.profileID = profileID
        self.deviceID = deviceID
        self.room = room
        self.streamID = streamID
        self.kind = kind
        self.label = label
        self.urgency = urgency
        self.confidence = confidence
        self.startedUs = startedUs
        self.updatedUs = updatedUs
        self.endedUs = endedUs
        self.endReason = endReason
        self.haptic = haptic
        self.payload = payload
        self.isTold = isTold
    }
}

/// An alert episode as stored.
public struct AlertRecord: Sendable, Equatable {
    /// The newest update.
    public var latest: AlertUpdate
    /// Grows by one with each update and each change of disposition.
    public var revision: Int64
    /// Never goes back to open.
    public var disposition: AlertDisposition
    /// Name of the device (its id, if it has none) of the person who answered first, or empty: also where the server
    /// itself resolved it. As it was then; the receipt keeps the id.
    public var acknowledgedBy: String
    /// Unix microseconds of that answer.
    public var acknowledgedUs: Int64?
    /// The newest word of people on it.
    public var verdict: AlertVerdict
    /// What it was instead, or empty.
    public var trueLabel: String
    /// Some revision of it was told to a person.
    public var wasTold: Bool

    /// All fields.
    public init(
        latest: AlertUpdate, revision: Int64, disposition: AlertDisposition, acknowledgedBy: String = "",
        acknowledgedUs: Int64? = nil, verdict: AlertVerdict = .none, trueLabel: String = "",
        wasTold: Bool = true
    ) {
        self.latest = latest
        self.revision = revision
        self.disposition = disposition
        self.acknowledgedBy = acknowledgedBy
        self.acknowledgedUs = acknowledgedUs
        self.verdict = verdict
        self.trueLabel = trueLabel
        self.wasTold = wasTold
    }
}

/// An alert together with the event that announces its newest revision.
public struct AnnouncedAlert: Sendable, Equatable {
    /// The alert after the change.
    public var alert: AlertRecord
    /// Event id of the announcement.
    public var eventID: Int64

    /// All fields.
    public init(alert: AlertRecord, eventID: Int64) {
        self.alert = alert
        self.eventID = eventID
    }
}

/// Encodes the payload of the event that announces a change the store itself makes to an alert. Runs on the
/// writer thread inside of the transaction; the result is also kept as the alert's newest payload.
public typealias AlertAnnouncement = @Sendable (AlertRecord) -> [UInt8]
