/// What a durable event tells.
public struct DurableEventKind: RawRepresentable, Sendable, Hashable {
    /// Stored number.
    public let rawValue: Int32

    /// Any number; unknown ones are kept.
    public init(rawValue: Int32) { self.rawValue = rawValue }

    /// A revision of an alert.
    public static let alert = DurableEventKind(rawValue: 1)
    /// A change of settings.
    public static let settings = DurableEventKind(rawValue: 2)
    /// A change of a device.
    public static let device = DurableEventKind(rawValue: 3)
}

/// One entry of a profile's log: stored before it is sent, sent again until acknowledged.
public struct DurableEvent: Sendable, Equatable {
    /// Whose log.
    public var profileID: String
    /// 1, 2, 3, … within the profile, no gaps.
    public var eventID: Int64
    /// What it tells.
    public var kind: DurableEventKind
    /// Alert id, device id, or empty.
    public var subjectID: String
    /// Revision of the subject, 0 if it has none.
    public var revision: Int64
    /// Disposition of the alert at that revision, nil for other kinds.
    public var disposition: AlertDisposition?
    /// Unix microseconds.
    public var recordedUs: Int64
    /// The encoded message.
    public var payload: [UInt8]

    /// All fields.
    public init(
        profileID: String, eventID: Int64, kind: DurableEventKind, subjectID: String, revision: Int64,
        disposition: AlertDisposition?, recordedUs: Int64, payload: [UInt8]
    ) {
        self.profileID = profileID
        self.eventID = eventID
        self.kind = kind
        self.subjectID = subjectID
        self.revision = revision
        self.disposition = disposition
        self.recordedUs = recordedUs
        self.payload = payload
    }
}

/// Where a profile's log begins and ends.
public struct EventRange: Sendable, Equatable {
    /// Lowest event that is kept; `last + 1` if none is.
    public var lowestRetained: Int64
    /// Highest event given out; 0 if none was.
    public var last: Int64

    /// All fields.
    public init(lowestRetained: Int64, last: Int64) {
        self.lowestRetained = lowestRetained
        self.last = last
    }
}
