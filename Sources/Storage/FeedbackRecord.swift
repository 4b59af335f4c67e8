/// What people said of an alert. Raw values are those of the protocol.
public enum AlertVerdict: Int32, Sendable {
    /// Nobody said anything.
    case none = 0
    /// It was what it said.
    case right = 1
    /// It was something else, or nothing.
    case wrong = 2
}

/// What one device said of an alert; a newer word of the same device replaces it.
public struct FeedbackRecord: Sendable, Equatable {
    /// Device of the person who says so.
    public var deviceID: String
    /// The alert was right.
    public var isCorrect: Bool
    /// What it was instead, or empty.
    public var trueLabel: String
    /// Unix microseconds at the server.
    public var receivedUs: Int64

    /// All fields.
    public init(deviceID: String, isCorrect: Bool, trueLabel: String, receivedUs: Int64) {
        self.deviceID = deviceID
        self.isCorrect = isCorrect
        self.trueLabel = trueLabel
        self.receivedUs = receivedUs
    }
}

/// How often one label was reported in one room.
public struct AlertTallyRecord: Sendable, Equatable {
    /// Where.
    public var room: String
    /// What.
    public var label: String
    /// Alerts that began in the time asked for.
    public var alerts: Int
    /// Of them, marked right.
    public var right: Int
    /// Of them, marked wrong.
    public var wrong: Int

    /// All fields.
    public init(room: String, label: String, alerts: Int, right: Int, wrong: Int) {
        self.room = room
        self.label = label
        self.alerts = alerts
        self.right = right
        self.wrong = wrong
    }
}

/// Time that sound of one room reached the detectors, on one day.
public struct HeardRecord: Sendable, Equatable {
    /// Where.
    public var room: String
    /// Days since 1970-01-01 UTC.
    public var day: Int64
    /// Seconds to add.
    public var seconds: Int64

    /// All fields.
    public init(room: String, day: Int64, seconds: Int64) {
        self.room = room
        self.day = day
        self.seconds = seconds
    }
}

/// What is known of the listening in one room.
public struct HeardRoomRecord: Sendable, Equatable {
    /// Where.
    public var room: String
    /// Seconds heard since the day asked for.
    public var seconds: Int64
    /// The first day that is kept, whatever was asked for; days since 1970-01-01 UTC.
    public var firstDay: Int64

    /// All fields.
    public init(room: String, seconds: Int64, firstDay: Int64) {
        self.room = room
        self.seconds = seconds
        self.firstDay = firstDay
    }
}

/// Alerts and listening of a profile since some moment, of one snapshot.
public struct AlertTallies: Sendable, Equatable {
    /// By room and label, most often wrong first.
    public var tallies: [AlertTallyRecord]
    /// By room.
    public var rooms: [HeardRoomRecord]

    /// All fields.
    public init(tallies: [AlertTallyRecord], rooms: [HeardRoomRecord]) {
        self.tallies = tallies
        self.rooms = rooms
    }
}
