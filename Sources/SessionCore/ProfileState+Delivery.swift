public import SenseProtocol

extension ProfileState {
    /// A revision is on disk, its event id and revision given by the store; now it may be sent.
    public mutating func stored(_ alert: Alert, at now: Now, actions: inout [ProfileAction]) {
        latestEventID = max(latestEventID, alert.eventId)
        drillStored(alert)
        if let known = open[alert.alertId]?.alert, known.eventId < alert.eventId {
            open[alert.alertId]?.alert.eventId = alert.eventId
            open[alert.alertId]?.alert.revision = alert.revision
            // The store knows the newest word; later revisions must not lose it.
            open[alert.alertId]?.alert.verdict = alert.verdict
            open[alert.alertId]?.alert.trueLabel = alert.trueLabel
        }
        for session in alertWatchers.ids {
            guard let isDue = members[session]?.delivery?.offer(alert, now: now) else { continue }
            if isDue {
                deliveryDue.add(now.serverUs + limits.firstResendUs)
                send(alert, to: session, now, &actions)
                continue
            }
            // Life safety never waits behind a backlog. Without its event id the device does not acknowledge it out of
            // order; it comes again in its turn and is known by alert id and revision.
            if alert.urgency.effective == .lifeSafety {
                var ahead = alert
                ahead.eventId = 0
                send(ahead, to: session, now, &actions)
            }
            fetchIfBehind(session, now, &actions)
        }
    }

    /// The store could not take a revision. Safety first: it is sent all the same, without an event id, and
    /// the fault is said aloud.
    public mutating func storeFailed(
        _ alert: Alert, reason: String, at now: Now, actions: inout [ProfileAction]
    ) {
        actions.append(.log("alert \(alert.alertId) could not be stored: \(reason)"))
        var unstored = alert
        unstored.revision += 1
        let problem = FieldProblem(
            .internal, field: "alert", expected: "a working store",
            got: "a fault; this alert is not in the history yet")
        for session in alertWatchers.ids {
            send(unstored, to: session, now, &actions)
            actions.append(.send(session, .error(problem.message(inReplyToSeq: 0)), .control))
        }
        if unstoredAlerts.count < limits.maxOpenAlerts {
            unstoredAlerts.append((alert, now.serverUs + .secondUs))
        }
    }

    /// Tries again to store what the store could not take.
    mutating func retryStores(_ now: Now, _ actions: inout [ProfileAction]) {
        let due = unstoredAlerts.filter { $0.dueUs <= now.serverUs }
        unstoredAlerts.removeAll { $0.dueUs <= now.serverUs }
        for (alert, _) in due { actions.append(.store(alert)) }
    }

    /// Durable events read back for a device that is behind.
    /// - Parameter scannedUpTo: the last event id of the page; nil = it was empty.
    public mutating func fetched(
        _ alerts: [Alert], scannedUpTo: UInt64?, for session: SessionID, at now: Now,
        actions: inout [ProfileAction]
    ) {
        let fresh =
            members[session]?.delivery?.fetched(
                alerts, scannedUpTo: scannedUpTo, latest: latestEventID, now: now) ?? []
        if !fresh.isEmpty { deliveryDue.add(now.serverUs + limits.firstResendUs) }
        for var alert in fresh {
            alert.replayed = true
            send(alert, to: session, now, &actions)
        }
        fetchIfBehind(session, now, &actions)
    }

    /// The store could not be read; nothing is skipped.
    public mutating func fetchFailed(for session: SessionID, at now: Now) {
        members[session]?.delivery?.fetchFailed(now: now)
        deliveryDue.add(members[session]?.delivery?.retryAtUs)
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
            // An errand has seen it, the device may not have.
            if !member.presence.isBeside {
                actions.append(.saveCursor(deviceID: member.presence.deviceID, eventID: eventID))
            }
            fetchIfBehind(session, now, &actions)
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

    /// Sends again what was not acknowledged in time, and reads again what could not be read.
    mutating func deliverAgain(_ now: Now, _ actions: inout [ProfileAction]) {
        guard deliveryDue.hasPassed(at: now) else { return }
        for session in alertWatchers.ids {
            for alert in members[session]?.delivery?.overdue(now: now) ?? [] {
                send(alert, to: session, now, &actions)
            }
            fetchIfBehind(session, now, &actions)
        }
        var dueUs: UInt64?
        for session in alertWatchers.ids { dueUs = earlier(dueUs, members[session]?.delivery?.dueUs) }
        deliveryDue.settle(dueUs)
    }

    mutating func fetchIfBehind(_ session: SessionID, _ now: Now, _ actions: inout [ProfileAction]) {
        guard let fetch = members[session]?.delivery?.nextFetch(at: now) else { return }
        actions.append(.fetchEvents(session, after: fetch.after, limit: fetch.limit))
    }

    func send(_ alert: Alert, to session: SessionID, _ now: Now, _ actions: inout [ProfileAction]) {
        var alert = alert
        alert.sentServerUs = now.serverUs
        let actuators = members[session]?.presence.capabilities.actuators ?? []
        if !actuators.isEmpty { alert.haptic = alert.haptic?.fitted(to: actuators) }
        actions.append(.send(session, .alert(alert), .durable))
    }
}
