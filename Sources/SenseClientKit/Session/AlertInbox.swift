public import SenseProtocol

/// Durable events on the receiving side: which were seen, and what to acknowledge.
///
/// An alert is known by its id and revision. A server delivers in order and sends again what is not acknowledged,
/// so the highest event id stands for all before it.
public struct AlertInbox: Sendable, Equatable {
    /// The highest durable event that was handled; 0 = none.
    public private(set) var lastEventID: UInt64
    private var revisions: [String: UInt32] = [:]
    private var order: [String] = []
    private let maxAlerts: Int

    /// - Parameters:
    ///   - lastEventID: the highest event handled before, from where it was kept.
    ///   - maxAlerts: alerts remembered; the one longest known is forgotten first.
    public init(lastEventID: UInt64 = 0, maxAlerts: Int = ClientLimits().maxKnownAlerts) {
        self.lastEventID = lastEventID
        self.maxAlerts = max(1, maxAlerts)
    }

    /// Takes an alert; true if this revision is news.
    public mutating func take(_ alert: Alert) -> Bool {
        lastEventID = max(lastEventID, alert.eventId)
        if let known = revisions[alert.alertId] {
            guard alert.revision > known else { return false }
        } else {
            if order.count >= maxAlerts { revisions[order.removeFirst()] = nil }
            order.append(alert.alertId)
        }
        revisions[alert.alertId] = alert.revision
        return true
    }
}
