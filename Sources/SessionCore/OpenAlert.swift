import SenseProtocol

/// What raised an alert, so that later observations find it again.
enum AlertSource: Sendable, Hashable {
    case sound(SessionID, streamID: UInt32, episode: UInt64)
    case hearing(HearingLoss, room: String, deviceID: String)
    case drill(room: String, label: String)
    case restored(alertID: String)

    /// What an alert of the store was raised by, if it states what is still so and later observations must find it.
    static func standing(_ alert: Alert) -> AlertSource? {
        guard alert.state != .ended else { return nil }
        switch alert.kind {
        case .cannotHear:
            return .hearing(HearingLoss(label: alert.label), room: alert.room, deviceID: alert.deviceId)
        case .drill: return .drill(room: alert.room, label: alert.label)
        case .sound, .hazard, .device, .digest, .unspecified, .unrecognized: return nil
        }
    }
}

/// One alert from its first sight to its end: acknowledged, resolved or exhausted, never just gone.
struct OpenAlert: Sendable {
    /// The newest revision.
    var alert: Alert
    var source: AlertSource
    var reminders = 0
    /// Server time of the next reminder, or of giving up on a quiet one; nil = nothing is due.
    var dueUs: UInt64?

    var isEnded: Bool { alert.state == .ended }

    /// A human said so.
    var isAnswered: Bool { alert.disposition == .acknowledged || alert.disposition == .resolved }

    /// Nothing more can happen to it.
    var isOver: Bool { isEnded && isSettled }

    /// Nobody needs to be told again: a human answered, or everybody was tried.
    var isSettled: Bool { isAnswered || alert.disposition == .exhausted }

    enum Due: Equatable { case remind, giveUp }

    /// What its clock asks for at `now`; call when `dueUs` has passed.
    mutating func due(_ policy: AlertPolicy, now: Now) -> Due? {
        guard let dueUs, dueUs <= now.serverUs, !isSettled else { return nil }
        guard let interval = policy.reminderUs(alert.urgency), reminders < policy.maxReminders(alert.urgency)
        else {
            self.dueUs = nil
            return .giveUp
        }
        reminders += 1
        self.dueUs = now.serverUs + interval
        return .remind
    }

    /// Sets the clock after a new state.
    mutating func arm(_ policy: AlertPolicy, now: Now) {
        guard !isSettled else {
            dueUs = nil
            return
        }
        if let interval = policy.reminderUs(alert.urgency) {
            // What became more urgent does not wait for the slower clock it began with.
            dueUs = min(dueUs ?? .max, now.serverUs + interval)
        } else {
            dueUs = isEnded ? now.serverUs + policy.quietLifetimeUs : nil
        }
    }
}
