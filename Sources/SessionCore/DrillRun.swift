import QuietAlert

/// Times of alarm drills, with their reasons.
public struct DrillLimits: Sendable, Equatable {
    /// From the start to failure: time to fetch a ladder and press the button, and for the slowest pattern of a CO alarm.
    public var timeoutUs: UInt64 = 300 * .secondUs
    /// After the alert is confirmed, how long to wait for the first device to acknowledge it.
    public var deviceUs: UInt64 = 10 * .secondUs
    /// A sound may have begun so long before the start: the button was pressed a little early. What has sounded for
    /// longer proves nothing about now.
    public var earlyUs: UInt64 = 30 * .secondUs
    /// Days without a passed drill after which a room is overdue: a month and some days to find the time.
    public var overdueDays: UInt64 = 35
    /// Rooms whose tests are remembered: as many as a profile may have devices. A further one is never overdue.
    public var maxRooms = 256
    /// Between two looks at what is overdue: the wall clock may be set meanwhile.
    public var checkUs: UInt64 = 3600 * .secondUs

    /// The defaults.
    public init() {}

    /// `overdueDays` in microseconds.
    public var overdueUs: UInt64 { overdueDays * 86_400 * .secondUs }
}

/// How a drill ended.
public struct DrillResult: Sendable, Equatable {
    /// Where.
    public var room: String
    /// The alarm was heard.
    public var isPassed: Bool
    /// From the sound's start until the first device acknowledged the confirmed alert, in server time; without such a
    /// device the same as `heardMs`. 0 if failed.
    public var latencyMs: UInt32
    /// From the sound's start until the alarm was confirmed, in server time. 0 if failed.
    public var heardMs: UInt32
    /// The alert that was raised, or empty.
    public var alertID: String
    /// Name of the device that acknowledged first, or empty.
    public var deviceName: String
    /// Device that started the drill.
    public var startedBy: String
    /// Wall-clock microseconds of the end.
    public var unixUs: UInt64

    /// One sentence for a person.
    public var sentence: String {
        guard isPassed else { return "No smoke or CO alarm was heard in the room \(room)." }
        let heard = "The alarm of the room \(room) was confirmed \(heardMs) ms after its first sound"
        return deviceName.isEmpty
            ? heard + "; no device acknowledged the alert in time."
            : heard + "; \(deviceName) had the alert after \(latencyMs) ms."
    }
}

/// One test of a room's alarm, from its start to its result. It only watches: no alert is held back or changed by it.
public struct DrillRun: Sendable, Equatable {
    private enum Phase: Equatable {
        case waiting
        case heard(alertID: String, onsetUs: UInt64, confirmedUs: UInt64, eventID: UInt64?)
    }

    /// Where.
    public let room: String
    /// Device that started it.
    public let startedBy: String
    /// When it was started.
    public let start: Now
    private let limits: DrillLimits
    private var phase = Phase.waiting

    /// Starts now.
    public init(room: String, startedBy: String, at now: Now, limits: DrillLimits = DrillLimits()) {
        self.room = room
        self.startedBy = startedBy
        self.limits = limits
        start = now
    }

    /// Wall-clock end, for people.
    public var endsUnixUs: UInt64 { start.unixUs + limits.timeoutUs }

    /// When `due` is wanted, in server time.
    public var dueUs: UInt64 {
        switch phase {
        case .waiting: start.serverUs + limits.timeoutUs
        case .heard(_, _, let confirmedUs, _): confirmedUs + limits.deviceUs
        }
    }

    /// An alarm of the room was confirmed. The first one of smoke or CO counts.
    public mutating func confirmed(label: String, alertID: String, onsetServerUs: UInt64, at now: Now) {
        guard case .waiting = phase, let known = SoundLabel(rawValue: label),
            SoundPolicy.urgency(of: known) == .lifeSafety,
            start.serverUs.since(onsetServerUs) <= limits.earlyUs
        else { return }
        phase = .heard(alertID: alertID, onsetUs: onsetServerUs, confirmedUs: now.serverUs, eventID: nil)
    }

    /// The confirmed alert is stored as a durable event.
    public mutating func stored(alertID: String, eventID: UInt64) {
        guard case .heard(alertID, let onsetUs, let confirmedUs, nil) = phase else { return }
        phase = .heard(alertID: alertID, onsetUs: onsetUs, confirmedUs: confirmedUs, eventID: eventID)
    }

    /// A device acknowledged all events up to one; the result, if the alert is among them.
    public func acknowledged(upTo eventID: UInt64, by deviceName: String, at now: Now) -> DrillResult? {
        guard case .heard(_, let onsetUs, _, let wanted?) = phase, eventID >= wanted else { return nil }
        var result = result(isPassed: true, at: now)
        result.deviceName = deviceName
        result.latencyMs = Self.milliseconds(now.serverUs.since(onsetUs))
        return result
    }

    /// The result once its time is over.
    public func due(at now: Now) -> DrillResult? {
        guard now.serverUs >= dueUs else { return nil }
        if case .heard = phase { return result(isPassed: true, at: now) }
        return result(isPassed: false, at: now)
    }

    private func result(isPassed: Bool, at now: Now) -> DrillResult {
        var result = DrillResult(
            room: room, isPassed: isPassed, latencyMs: 0, heardMs: 0, alertID: "", deviceName: "",
            startedBy: startedBy, unixUs: now.unixUs)
        if case .heard(let alertID, let onsetUs, let confirmedUs, _) = phase {
            result.alertID = alertID
            result.heardMs = Self.milliseconds(confirmedUs.since(onsetUs))
            result.latencyMs = result.heardMs
        }
        return result
    }

    private static func milliseconds(_ us: UInt64) -> UInt32 { UInt32(clamping: us / 1000) }
}
