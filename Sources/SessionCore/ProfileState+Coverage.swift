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
            coverage.opened(
                microphone, room: presence.room, deviceID: presence.deviceID, deviceName: presence.deviceName)
            awaitedMicrophones[presence.deviceID] = nil
        } else if coverage.closed(microphone) != nil {
            endSounds(of: session, streamID: streamID, now, &actions)
            endCannotHearUnlessStillDeaf(
                room: presence.room, deviceID: presence.deviceID, "the microphone was closed", now, &actions)
        }
    }

    /// Ends "cannot hear" only if no other microphone of the device in that room is in trouble.
    mutating func endCannotHearUnlessStillDeaf(
        room: String, deviceID: String, _ reason: String, _ now: Now, _ actions: inout [ProfileAction]
    ) {
        guard
            coverage.isHeardWell(room: room, deviceID: deviceID)
                || !coverage.isListening(room: room, deviceID: deviceID)
        else { return }
        endCannotHear(room: room, deviceID: deviceID, reason, now, &actions)
    }

    /// Time for a device to open its microphone again after a newer connection replaced the one that had it open.
    static let reopenUs: UInt64 = 15 * .secondUs

    /// Announces microphones that a newer connection of their device did not open again.
    mutating func missMicrophones(_ now: Now, _ actions: inout [ProfileAction]) {
        for (deviceID, awaited) in awaitedMicrophones where awaited.dueUs <= now.serverUs {
            awaitedMicrophones[deviceID] = nil
            raiseCannotHear(
                room: awaited.room, deviceID: deviceID, streamID: 0,
                message:
                    "\(awaited.deviceName) connected again without its microphone; \(roomPhrase(awaited.room)) cannot hear.",
                now, &actions)
        }
    }

    mutating func health(
        _ streamID: UInt32, _ state: HealthState, _ detail: String, from session: SessionID, _ now: Now,
        _ actions: inout [ProfileAction]
    ) {
        let microphone = RoomCoverage.Microphone(session: session, streamID: streamID)
        guard let source = coverage.health(microphone, state: state, detail: detail) else { return }
        if state == .ok {
            endCannotHearUnlessStillDeaf(
                room: source.room, deviceID: source.deviceID, "hearing again", now, &actions)
        } else {
            raiseCannotHear(
                room: source.room, deviceID: source.deviceID, streamID: streamID,
                message: "\(source.deviceName): \(detail)", now, &actions)
        }
    }
}

extension HapticPattern {
    /// Two long soft pulses: unlike every sound pattern, so that it is learnt as "I cannot hear".
    static let cannotHear = HapticPattern(
        patternId: "cannot_hear", version: 1,
        steps: [
            HapticStep(onMs: 600, offMs: 300, intensity: 0.6, sharpness: 0.1),
            HapticStep(onMs: 600, offMs: 0, intensity: 0.6, sharpness: 0.1),
        ], repeats: 1)
}
