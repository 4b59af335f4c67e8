/// What a device reports about an alert. Raw values are those of the protocol.
public enum StoredReceiptKind: Int32, Sendable {
    /// The device has it.
    case received = 1
    /// The person could notice it.
    case presented = 2
    /// The person answered.
    case acknowledgedByHuman = 3
    /// The cause is dealt with.
    case resolved = 4
}

/// Who was told, and when.
public struct ReceiptRecord: Sendable, Equatable {
    /// What stands for the device where the server itself reports. No device has it: their ids are random.
    public static let serverID = "server"

    /// Device that reports.
    public var deviceID: String
    /// What it reports.
    public var kind: StoredReceiptKind
    /// Unix microseconds at the server.
    public var receivedUs: Int64
    /// Words of the person, at most `StorageLimits.maxTextBytes`.
    public var note: String

    /// All fields.
    public init(deviceID: String, kind: StoredReceiptKind, receivedUs: Int64, note: String = "") {
        self.deviceID = deviceID
        self.kind = kind
        self.receivedUs = receivedUs
        self.note = note
    }
}

/// What became of a receipt.
public struct ReceiptOutcome: Sendable, Equatable {
    /// The alert after it.
    public var alert: AlertRecord
    /// Event that announces the new disposition; nil if the receipt changed none.
    public var eventID: Int64?

    /// All fields.
    public init(alert: AlertRecord, eventID: Int64?) {
        self.alert = alert
        self.eventID = eventID
    }
}
