public import SenseProtocol

/// How often a person is told again, and when trying ends, by urgency.
///
/// Figures: PRODUCT 3.5 ("unacked life-safety re-push 10 s") and T6 ("at most one reminder per 30 s").
/// Trying must end somewhere (PRODUCT 4.7 invariant 2), and the end is written down.
public struct AlertPolicy: Sendable, Equatable {
    /// Time between reminders of a life-safety alert that nobody acknowledged.
    public var lifeSafetyReminderUs: UInt64 = 10 * .secondUs
    /// The same for urgent alerts.
    public var urgentReminderUs: UInt64 = 30 * .secondUs
    /// Reminders of a life-safety alert before it counts as exhausted: an hour.
    public var lifeSafetyReminders = 360
    /// The same for urgent alerts: half an hour.
    public var urgentReminders = 60
    /// How long a normal or informational alert may stay unacknowledged after its end.
    public var quietLifetimeUs: UInt64 = 600 * .secondUs

    /// The defaults.
    public init() {}

    /// Time to the next reminder, or nil where there is none.
    public func reminderUs(_ urgency: Urgency) -> UInt64? {
        switch urgency.effective {
        case .lifeSafety: lifeSafetyReminderUs
        case .info, .normal: nil
        case .urgent, .unspecified, .unrecognized: urgentReminderUs
        }
    }

    /// Reminders before giving up.
    public func maxReminders(_ urgency: Urgency) -> Int {
        urgency.effective == .lifeSafety ? lifeSafetyReminders : urgentReminders
    }
}
