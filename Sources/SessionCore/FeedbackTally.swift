import QuietAlert

/// When what people say of alerts counts, and how far it may go.
public struct FeedbackLimits: Sendable, Equatable {
    /// How far back alerts and hours count: long enough for a rare label, short enough to follow a changed home.
    public var windowDays: UInt64 = 30
    /// Below an hour heard, a rate an hour says nothing.
    public var minHeardSeconds: UInt64 = 3600
    /// One or two wrong alerts are chance.
    public var minWrong = 3
    /// False alarms of one label in one room that a home puts up with: two a day.
    public var toleratedPerHour = 1.0 / 12
    /// Raise of the presence threshold for each doubling of the rate above that, in units of the logit.
    public var raisePerDoubling: Float = 0.25
    /// The most that feedback may raise a threshold, in units of the logit: a sound of even odds must then be some
    /// 73 % certain. Beyond it a person decides by a setting.
    public var maxRaise: Float = 1

    /// The defaults.
    public init() {}
}

/// How often one label was reported in one room, and what people said of it.
public struct FeedbackTally: Sendable, Equatable {
    /// Where.
    public var room: String
    /// What.
    public var label: String
    /// Alerts told to a person.
    public var alerts: Int
    /// Of them, marked right.
    public var right: Int
    /// Of them, marked wrong.
    public var wrong: Int
    /// Time that sound of the room reached the detectors.
    public var heardSeconds: UInt64

    /// One label in one room.
    public init(room: String, label: String, alerts: Int, right: Int, wrong: Int, heardSeconds: UInt64) {
        self.room = room
        self.label = label
        self.alerts = alerts
        self.right = right
        self.wrong = wrong
        self.heardSeconds = heardSeconds
    }

    /// False alarms an hour: marked wrong, by time heard. Nil while too little was heard.
    public func wrongPerHour(_ limits: FeedbackLimits = FeedbackLimits()) -> Double? {
        guard heardSeconds > 0, heardSeconds >= limits.minHeardSeconds else { return nil }
        return Double(wrong) / (Double(heardSeconds) / 3600)
    }

    /// Whether feedback may ever change how the label is heard: never for life safety, which is marked and counted all
    /// the same.
    public var mayBeLearnedFrom: Bool {
        SoundLabel(rawValue: label).map(SoundPolicy.mayBeSuppressed) ?? true
    }

    /// By how much the label's presence threshold should rise, in units of the logit: 0…`maxRaise`.
    ///
    /// Zero for life safety, while too little was heard or marked, and where people say right at least as often as wrong.
    public func suggestedRaise(_ limits: FeedbackLimits = FeedbackLimits()) -> Float {
        guard mayBeLearnedFrom, wrong >= limits.minWrong, wrong > right,
            let rate = wrongPerHour(limits), limits.toleratedPerHour > 0
        else { return 0 }
        var raise: Float = 0
        var bound = limits.toleratedPerHour
        while rate > bound, raise < limits.maxRaise {
            raise += limits.raisePerDoubling
            bound *= 2
        }
        return min(raise, limits.maxRaise)
    }
}
