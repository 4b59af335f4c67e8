import SenseProtocol

/// Delivery of durable events to one device: at least once, in order, bounded, until acknowledged.
///
/// Events beyond `limit` in flight are not queued here; the cursor turns `isBehind` and the store is asked
/// again once there is room, so that a device that never acknowledges costs a fixed amount of memory.
struct DeliveryCursor: Sendable {
    struct InFlight: Sendable {
        var alert: Alert
        var resendAtUs: UInt64
        var intervalUs: UInt64
    }

    private(set) var acknowledged: UInt64
    private(set) var sent: UInt64
    private(set) var inFlight: [InFlight] = []
    private(set) var isBehind: Bool
    private var isFetching = false
    /// When to ask the store again after it failed.
    private(set) var retryAtUs: UInt64?
    let limits: SessionLimits

    init(after eventID: UInt64, latest: UInt64, limits: SessionLimits) {
        acknowledged = eventID
        sent = eventID
        isBehind = eventID < latest
        self.limits = limits
    }

    /// A new event was stored. Returns whether to send it now.
    mutating func offer(_ alert: Alert, now: Now) -> Bool {
        guard alert.eventId > sent else { return false }
        // A newer revision says everything the older one said: reminders of one alert take one place.
        inFlight.removeAll { $0.alert.alertId == alert.alertId }
        guard !isBehind, inFlight.count < limits.maxEventsInFlight else {
            isBehind = true
            return false
        }
        push(alert, now: now)
        return true
    }

    /// Where to read on in the store, when there is need and room.
    mutating func nextFetch(at now: Now) -> (after: UInt64, limit: Int)? {
        let room = limits.maxEventsInFlight - inFlight.count
        guard isBehind, !isFetching, room > 0, (retryAtUs ?? 0) <= now.serverUs else { return nil }
        retryAtUs = nil
        isFetching = true
        return (sent, room)
    }

    /// Events came from the store. Returns those to send.
    /// - Parameter scannedUpTo: the last event id of the page, even of one that could not be read; nil = the page
    ///   was empty, so what lay between was pruned.
    mutating func fetched(_ alerts: [Alert], scannedUpTo: UInt64?, latest: UInt64, now: Now) -> [Alert] {
        isFetching = false
        var fresh: [Alert] = []
        for alert in alerts where alert.eventId > sent && inFlight.count < limits.maxEventsInFlight {
            push(alert, now: now)
            fresh.append(alert)
        }
        guard let scannedUpTo else {
            isBehind = false
            return fresh
        }
        if fresh.count == alerts.count { sent = max(sent, scannedUpTo) }
        isBehind = sent < latest
        return fresh
    }

    /// The store could not be read: nothing is skipped, it is asked again in a second.
    mutating func fetchFailed(now: Now) {
        isFetching = false
        retryAtUs = now.serverUs + .secondUs
    }

    /// Cumulative acknowledgement. Returns whether it was news.
    mutating func acknowledge(_ eventID: UInt64) -> Bool {
        guard eventID > acknowledged, eventID <= sent else { return false }
        acknowledged = eventID
        inFlight.removeAll { $0.alert.eventId <= eventID }
        return true
    }

    /// When something has to be sent again, or the store to be asked again.
    var dueUs: UInt64? { earlier(inFlight.lazy.map(\.resendAtUs).min(), retryAtUs) }

    /// Events whose acknowledgement is overdue, each marked as sent again.
    mutating func overdue(now: Now) -> [Alert] {
        var due: [Alert] = []
        for i in inFlight.indices where inFlight[i].resendAtUs <= now.serverUs {
            inFlight[i].intervalUs = min(inFlight[i].intervalUs * 2, limits.maxResendUs)
            inFlight[i].resendAtUs = now.serverUs + inFlight[i].intervalUs
            var alert = inFlight[i].alert
            alert.replayed = true
            due.append(alert)
        }
        return due
    }

    private mutating func push(_ alert: Alert, now: Now) {
        sent = alert.eventId
        inFlight.append(
            InFlight(
                alert: alert, resendAtUs: now.serverUs + limits.firstResendUs,
                intervalUs: limits.firstResendUs))
    }
}
