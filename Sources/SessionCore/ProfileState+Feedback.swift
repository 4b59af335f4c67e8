public import SenseProtocol

extension ProfileState {
    mutating func feedback(
        _ feedback: AlertFeedback, _ seq: UInt64, from session: SessionID, _ now: Now,
        _ actions: inout [ProfileAction]
    ) {
        guard let member = members[session] else { return }
        let word = AlertFeedback(
            alertId: feedback.alertId, correct: feedback.correct, trueLabel: feedback.trueLabel,
            deviceId: member.presence.deviceID, unixUs: now.unixUs)
        actions.append(.storeFeedback(word, from: session, seq: seq))
    }

    /// A person's word is on disk, or (`wasKnown` false) its alert is not one of this person. A verdict that changed is
    /// announced by `stored`.
    public mutating func feedbackStored(
        _ feedback: AlertFeedback, wasKnown: Bool, from session: SessionID, seq: UInt64, at now: Now,
        actions: inout [ProfileAction]
    ) {
        guard wasKnown else {
            let problem = FieldProblem(
                .notFound, field: "alert_feedback.alert_id", expected: "the id of an alert of this profile",
                got: feedback.alertId)
            actions.append(.send(session, .error(problem.message(inReplyToSeq: seq)), .control))
            return
        }
        actions.append(.send(session, .alertFeedback(feedback), .durable))
    }

    /// Counts time heard; call after whatever may have changed which rooms are.
    mutating func countHeard(_ now: Now, _ actions: inout [ProfileAction]) {
        guard countedVersion != coverage.version else { return }
        countedVersion = coverage.version
        let change = ledger.advance(to: coverage.heardRooms, at: now)
        for room in change.begun { drillBook.heard(room, at: now) }
        if !change.left.isEmpty { storeHeard(of: change.left, now, &actions) }
        planDrillCheck(now)
    }

    /// - Parameter rooms: nil = all.
    mutating func storeHeard(of rooms: Set<String>? = nil, _ now: Now, _ actions: inout [ProfileAction]) {
        let heard = ledger.take(rooms, at: now)
        if !heard.isEmpty { actions.append(.storeHeard(heard)) }
    }
}
