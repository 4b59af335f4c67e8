/// When the first of many deadlines may come: never late, perhaps early.
///
/// A profile has a deadline for each message that awaits its acknowledgement and for each open alert. Looking at them all
/// after each input would cost a household of many devices more than the input itself. So a new deadline only lowers
/// this one, and they are all looked at when it has passed.
struct EarliestDue: Sendable {
    /// Nothing is due before; nil: nothing waits.
    private(set) var us: UInt64?

    /// One more deadline, nil for none.
    mutating func add(_ dueUs: UInt64?) { us = earlier(us, dueUs) }

    /// Whether all have to be looked at.
    func hasPassed(at now: Now) -> Bool { us.map { $0 <= now.serverUs } ?? false }

    /// All were looked at: this is the earliest.
    mutating func settle(_ dueUs: UInt64?) { us = dueUs }
}
