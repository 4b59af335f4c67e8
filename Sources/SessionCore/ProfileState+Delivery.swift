public import SenseProtocol

extension ProfileState {
    /// A revision is on disk, its event id and revision given by the store; now it may be sent.
    public mutating func stored(_ alert: Alert, at now: Now, actions: inout [ProfileAction]) {
        latestEventID = max(latestEventID, alert.eventId)
        if let known = open[alert.alertId]?.alert, known.eventId < alert.eventId {
            open[alert.alertId]?.alert.eventId = alert.eventId
            open[alert.alertId]?.alert.revision = alert.revision
        }
        for session in members.keys.sorted() {
            let isDue = members[session]?.delivery?.offer(alert, now: now) ?? false
            if isDue {
                send(alert, to: session, now, &actions)
            } else {
                fetchIfBehind(session, &actions)
            }
        }
    }

    /// The store could not take a revision. Safety first: it is sent all the same, without an event id, and
    /// the fault is said aloud.
    public mutating func storeFailed(
        _ alert: Alert, reason: String, at now: Now, actions: inout [ProfileAction]
    ) {
        actions.append(.log("alert \(alert.alertId) could not be stored: \(reason)"))
        for (session, member) in members where member.delivery != nil {
            send(alert, to: session, now, &actions)
        }
    }

    /// Durable events read back for a device that is behind.
    public mutating func fetched(
        _ alerts: [Alert], for session: SessionID, at now: Now, actions: inout [ProfileAction]
    ) {
        let fresh = members[session]?.delivery?.fetched(alerts, latest: latestEventID, now: now) ?? []
        for var alert in fresh {
            alert.replayed = true
            send(alert, to: session, now, &actions)
        }
        fetchIfBehind(session, &actions)
    }

    /// A receipt is on disk, or (`wasKnown` false) its alert is not one of this person. What the receipt changed
    /// is announced by `stored`.
    public mutating func receiptStored(
        _ receipt: AlertReceipt, wasKnown: Bool, from session: SessionID, seq: UInt64, at now: Now,
        actions: inout [ProfileAction]
    ) {
        guard wasKnown else {
            let problem = FieldProblem(
                .notFound, field: "alert_receipt.alert_id", expected: "the id of an alert of this profile",
                got: receipt.alertId)
            actions.append(.send(session, .error(problem.message(inReplyToSeq: seq)), .control))
            return
        }
        actions.append(
            .send(
                session, .receiptStored(ReceiptStored(alertId: receipt.alertId, kind: receipt.kind)), .durable
            ))
    }

    mutating func acknowledge(
        _ eventID: UInt64, from session: SessionID, _ now: Now, _ actions: inout [ProfileAction]
    ) {
        guard let member = members[session] else { return }
        guard eventID <= latestEventID else {
            let problem = FieldProblem(
                field: "event_ack.event_id", expected: "at most \(latestEventID), the newest event",
                got: "\(eventID)")
            actions.append(.send(session, .error(problem.message(inReplyToSeq: 0)), .control))
            return
        }
        if members[session]?.delivery?.acknowledge(eventID) == true {
            actions.append(.saveCursor(deviceID: member.presence.deviceID, eventID: eventID))
            fetchIfBehind(session, &actions)
        }
    }

    mutating func receipt(
        _ receipt: AlertReceipt, _ seq: UInt64, from session: SessionID, _ now: Now,
        _ actions: inout [ProfileAction]
    ) {
        guard let member = members[session] else { return }
        actions.append(
            .storeReceipt(
                receipt, deviceID: member.presence.deviceID, unixUs: now.unixUs, from: session, seq: seq))
        guard var entry = open[receipt.alertId] else { return }
        switch receipt.kind {
        case .ackedByHuman:
            entry.alert.disposition = .acknowledged
            entry.alert.acknowledgedBy = member.presence.deviceName
        case .resolved:
            entry.alert.disposition = .resolved
            entry.alert.acknowledgedBy = member.presence.deviceName
        case .received, .presented, .unspecified, .unrecognized: return
        }
        entry.dueUs = nil
        open[receipt.alertId] = entry
        closeIfOver(receipt.alertId)
    }

    mutating func fetchIfBehind(_ session: SessionID, _ actions: inout [ProfileAction]) {
        guard let fetch = members[session]?.delivery?.nextFetch() else { return }
        actions.append(.fetchEvents(session, after: fetch.after, limit: fetch.limit))
    }

    func send(_ alert: Alert, to session: SessionID, _ now: Now, _ actions: inout [ProfileAction]) {
        var alert = alert
        alert.sentServerUs = now.serverUs
        actions.append(.send(session, .alert(alert), .durable))
    }
}
