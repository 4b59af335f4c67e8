import SenseProtocol

extension ProfileState {
    mutating func listening(
        _ streamID: UInt32, _ isOpen: Bool, from session: SessionID, _ now: Now,
        _ actions: inout [ProfileAction]
    ) {
        guard let member = members[session] else { return }
        let microphone = RoomCoverage.Microphone(session: session, streamID: streamID)
        let presence = member.presence
        if isOpen {
            // What an errand plays is told like any sound, but a recording protects no room.
            guard !presence.isBeside else { return }
            coverage.opened(
                microphone, room: presence.room, deviceID: presence.deviceID, deviceName: presence.deviceName)
            awaitedMicrophones[presence.deviceID] = nil
            return
        }
        endSounds(of: session, streamID: streamID, now, &actions)
        if coverage.closed(microphone) != nil {
            judgeHearing(
                room: presence.room, deviceID: presence.deviceID, "the microphone was closed", now, &actions)
        }
    }

    /// Tells what holds of a device's microphones in a room, and what no longer does.
    /// - Parameter reason: why something ends.
    mutating func judgeHearing(
        room: String, deviceID: String, _ reason: String, _ now: Now, _ actions: inout [ProfileAction]
    ) {
        let here = coverage.microphones(room: room, deviceID: deviceID)
        for loss in HearingLoss.allCases {
            let lost = here.filter { $0.source.faults.contains { loss.covers($0.state) } }
            if let first = lost.first {
                var details: [String] = []
                for fault in lost.flatMap(\.source.faults)
                where loss.covers(fault.state) && !details.contains(fault.detail) {
                    details.append(fault.detail)
                }
                raiseLoss(
                    loss, room: room, deviceID: deviceID, streamID: first.microphone.streamID,
                    message: loss.message(first.source.deviceName, details), now, &actions)
            } else if here.allSatisfy({ $0.source.state != .unspecified }) {
                // One that has not been heard yet would be no all-clear.
                endLoss(loss, room: room, deviceID: deviceID, reason, now, &actions)
            }
        }
    }

    mutating func raiseLoss(
        _ loss: HearingLoss, room: String, deviceID: String, streamID: UInt32, message: String, _ now: Now,
        _ actions: inout [ProfileAction]
    ) {
        let source = AlertSource.hearing(loss, room: room, deviceID: deviceID)
        if alertBySource[source] == nil || damper.isSettling(source) { damper.raised(source, now: now) }
        if let id = alertBySource[source], var entry = open[id] {
            guard entry.alert.message != message else { return }
            entry.alert.message = message
            entry.alert.state = .updated
            entry.alert.updatedUnixUs = now.unixUs
            open[id] = entry
            actions.append(.store(entry.alert))
            return
        }
        let alert = Alert(
            alertId: makeID(), kind: .cannotHear, state: .confirmed, urgency: loss.urgency,
            label: loss.label, confidence: 1, room: room, deviceId: deviceID, streamId: streamID,
            startedUnixUs: now.unixUs, updatedUnixUs: now.unixUs, haptic: loss.haptic, disposition: .open,
            message: message, onsetServerUs: now.serverUs)
        raise(alert, source, now, &actions)
    }

    mutating func endLoss(
        _ loss: HearingLoss, room: String, deviceID: String, _ reason: String, _ now: Now,
        _ actions: inout [ProfileAction]
    ) {
        let source = AlertSource.hearing(loss, room: room, deviceID: deviceID)
        guard let id = alertBySource[source], damper.recovered(source, now: now) else { return }
        end(id, reason, now, &actions)
    }

    /// Ends what stayed open because the input came and went, and has now been good for long enough.
    mutating func settleLosses(_ now: Now, _ actions: inout [ProfileAction]) {
        for source in damper.settled(now: now) {
            guard let id = alertBySource[source] else { continue }
            end(id, "hearing again", now, &actions)
        }
    }

    /// Time for a device to open its microphone again after a newer connection replaced the one that had it open.
    static let reopenUs: UInt64 = 15 * .secondUs

    /// Announces microphones that a newer connection of their device did not open again.
    mutating func missMicrophones(_ now: Now, _ actions: inout [ProfileAction]) {
        for (deviceID, awaited) in awaitedMicrophones where awaited.dueUs <= now.serverUs {
            awaitedMicrophones[deviceID] = nil
            raiseLoss(
                .deaf, room: awaited.room, deviceID: deviceID, streamID: 0,
                message:
                    "\(awaited.deviceName) connected again without its microphone; \(roomPhrase(awaited.room)) cannot hear.",
                now, &actions)
        }
    }

    mutating func health(
        _ streamID: UInt32, _ faults: [HearingFault], from session: SessionID, _ now: Now,
        _ actions: inout [ProfileAction]
    ) {
        let microphone = RoomCoverage.Microphone(session: session, streamID: streamID)
        guard let source = coverage.health(microphone, faults) else { return }
        judgeHearing(room: source.room, deviceID: source.deviceID, "hearing again", now, &actions)
    }
}
