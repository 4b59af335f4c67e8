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
            endCannotHear(room: presence.room, deviceID: presence.deviceID, "hearing again", now, &actions)
        } else if coverage.closed(microphone) != nil {
            endSounds(of: session, streamID: streamID, now, &actions)
            endCannotHear(
                room: presence.room, deviceID: presence.deviceID, "the microphone was closed", now, &actions)
        }
    }

    mutating func health(
        _ streamID: UInt32, _ state: HealthState, _ detail: String, from session: SessionID, _ now: Now,
        _ actions: inout [ProfileAction]
    ) {
        let microphone = RoomCoverage.Microphone(session: session, streamID: streamID)
        guard let source = coverage.health(microphone, state: state, detail: detail) else { return }
        if state == .ok {
            endCannotHear(room: source.room, deviceID: source.deviceID, "hearing again", now, &actions)
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
