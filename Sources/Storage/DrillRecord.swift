/// How a drill of a room's alarm ended.
public struct DrillRecord: Sendable, Equatable {
    /// Where.
    public var room: String
    /// The alarm was heard.
    public var isPassed: Bool
    /// Unix microseconds of the end.
    public var finishedUs: Int64
    /// From the sound's start until a device had the alert, milliseconds; 0 if failed.
    public var latencyMs: Int64
    /// From the sound's start until the alarm was confirmed, milliseconds; 0 if failed.
    public var heardMs: Int64
    /// The alert that was raised, or empty.
    public var alertID: String
    /// Name of the device that acknowledged it first, or empty.
    public var deviceName: String
    /// Device that started the drill.
    public var startedBy: String

    /// All fields.
    public init(
        room: String, isPassed: Bool, finishedUs: Int64, latencyMs: Int64, heardMs: Int64,
        alertID: String,
        deviceName: String, startedBy: String
    ) {
        self.room = room
        self.isPassed = isPassed
        self.finishedUs = finishedUs
        self.latencyMs = latencyMs
        self.heardMs = heardMs
        self.alertID = alertID
        self.deviceName = deviceName
        self.startedBy = startedBy
    }
}

/// When a room was first heard, and last passed and failed a drill.
public struct DrillRoomRecord: Sendable, Equatable {
    /// Where.
    public var room: String
    /// Days since 1970-01-01 UTC; nil: it was tested but never heard for long enough to be counted.
    public var firstDay: Int64?
    /// Unix microseconds of the last passed drill, or nil.
    public var lastPassedUs: Int64?
    /// Unix microseconds of the last failed drill, or nil.
    public var lastFailedUs: Int64?

    /// All fields.
    public init(room: String, firstDay: Int64?, lastPassedUs: Int64?, lastFailedUs: Int64? = nil) {
        self.room = room
        self.firstDay = firstDay
        self.lastPassedUs = lastPassedUs
        self.lastFailedUs = lastFailedUs
    }
}
