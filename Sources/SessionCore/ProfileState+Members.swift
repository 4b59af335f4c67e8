import SenseProtocol

extension ProfileState {
    mutating func attach(
        _ presence: SessionPresence, _ session: SessionID, _ now: Now, _ actions: inout [ProfileAction]
    ) {
        if !presence.isBeside { supersede(presence.deviceID, by: session, now, &actions) }
        guard !revokedDevices.contains(presence.deviceID) else {
            actions.append(.close(session, Self.revokedProblem))
            return
        }
        guard members.count < limits.maxSessionsPerProfile else {
            actions.append(
                .close(
                    session,
                    FieldProblem(
                        .tooFast, field: "hello",
                        expected: "at most \(limits.maxSessionsPerProfile) sessions a profile",
                        got: "one more", isFatal: true, retryAfterMs: 30_000)))
            return
        }
        // A session that says hello again begins anew.
        forget(session)
        var member = Member(presence: presence)
        if presence.watchesAlerts {
            member.delivery = DeliveryCursor(
                after: min(presence.lastEventID, latestEventID), latest: latestEventID, limits: limits)
            alertWatchers.insert(session)
        }
        members[session] = member
        if !presence.isBeside, let left = coverage.placed(deviceID: presence.deviceID, room: presence.room) {
            for loss in HearingLoss.allCases {
                endLoss(
                    loss, room: left, deviceID: presence.deviceID, "\(presence.deviceName) moved", now,
                    &actions)
            }
        }
        fetchIfBehind(session, now, &actions)
        announceDevice(session, isOnline: true, reason: "connected", now, &actions)
    }

    /// Ends an older connection of the same device: the newer one speaks for it.
    private mutating func supersede(
        _ deviceID: String, by session: SessionID, _ now: Now, _ actions: inout [ProfileAction]
    ) {
        for (other, member) in members where member.presence.deviceID == deviceID && other != session {
            guard !member.presence.isBeside else { continue }
            actions.append(
                .close(
                    other,
                    FieldProblem(
                        .superseded, field: "hello.token", expected: "one connection a device",
                        got: "a newer connection of the same device", isFatal: true)))
            // A loss only if the newer one does not open the microphone again.
            if !coverage.microphones(of: other).isEmpty {
                awaitedMicrophones[deviceID] = AwaitedMicrophone(
                    room: member.presence.room, deviceName: member.presence.deviceName,
                    dueUs: now.serverUs + Self.reopenUs)
            }
            detach(other, isPlanned: true, now, &actions)
        }
    }

    mutating func detach(
        _ session: SessionID, isPlanned: Bool, _ now: Now, _ actions: inout [ProfileAction]
    ) {
        guard members[session] != nil else { return }
        endSounds(of: session, now, &actions)
        for microphone in coverage.microphones(of: session) {
            guard let source = coverage.closed(microphone) else { continue }
            guard !isPlanned else {
                judgeHearing(room: source.room, deviceID: source.deviceID, "microphone left", now, &actions)
                continue
            }
            // Nothing is left of it to hear less well.
            endLoss(
                .reduced, room: source.room, deviceID: source.deviceID, "connection lost", now, &actions)
            raiseLoss(
                .deaf, room: source.room, deviceID: source.deviceID, streamID: microphone.streamID,
                message: "\(source.deviceName) lost its connection; \(roomPhrase(source.room)) cannot hear.",
                now, &actions)
        }
        announceDevice(
            session, isOnline: false, reason: isPlanned ? "left" : "connection lost", now, &actions)
        forget(session)
    }

    private mutating func forget(_ session: SessionID) {
        members[session] = nil
        alertWatchers.remove(session)
        deviceWatchers.remove(session)
    }

    /// "the kitchen" or "the server", for sentences.
    func roomPhrase(_ room: String) -> String { room.isEmpty ? "the server" : "the room \(room)" }

    mutating func heartbeat(
        _ beat: Heartbeat, from session: SessionID, _ now: Now, _ actions: inout [ProfileAction]
    ) {
        guard members[session] != nil else { return }
        members[session]?.battery = beat.batteryPercent
    }

    func device(_ session: SessionID, isOnline: Bool, _ now: Now) -> Device? {
        guard let member = members[session] else { return nil }
        return Device(
            deviceId: member.presence.deviceID, name: member.presence.deviceName, room: member.presence.room,
            role: member.presence.role, online: isOnline, lastSeenUnixUs: now.unixUs,
            batteryPercent: member.battery)
    }

    func announceDevice(
        _ session: SessionID, isOnline: Bool, reason: String, _ now: Now, _ actions: inout [ProfileAction]
    ) {
        // Its errands do not make a device come and go.
        guard !deviceWatchers.ids.isEmpty, members[session]?.presence.isBeside == false,
            let device = device(session, isOnline: isOnline, now)
        else { return }
        for other in deviceWatchers.ids where other != session {
            actions.append(.send(other, .deviceStatus(DeviceStatus(device: device, reason: reason)), .lossy))
        }
    }

    mutating func subscribe(
        _ wish: Subscribe, from session: SessionID, _ now: Now, _ actions: inout [ProfileAction]
    ) {
        guard members[session] != nil else { return }
        for profile in wish.profileIds where profile != profileID {
            let problem = FieldProblem(
                .forbidden, field: "subscribe.profile_ids", expected: "the device's own profile", got: profile
            )
            actions.append(.send(session, .error(problem.message(inReplyToSeq: 0)), .control))
            return
        }
        if wish.devices { deviceWatchers.insert(session) } else { deviceWatchers.remove(session) }
        if wish.alerts, members[session]?.delivery == nil {
            members[session]?.delivery = DeliveryCursor(
                after: latestEventID, latest: latestEventID, limits: limits)
            alertWatchers.insert(session)
        }
        actions.append(.send(session, .snapshot(snapshot(now)), .durable))
    }

    func snapshot(_ now: Now) -> Snapshot {
        Snapshot(
            lastEventId: latestEventID,
            devices: members.keys.sorted().filter { members[$0]?.presence.isBeside == false }
                .compactMap { device($0, isOnline: true, now) },
            openAlerts: openAlerts, rooms: protections)
    }
}

extension ProfileState {
    /// Devices that are connected now.
    public var onlineDeviceIDs: Set<String> { Set(members.values.map(\.presence.deviceID)) }

    static var revokedProblem: FieldProblem {
        FieldProblem(
            .forbidden, field: "hello.token", expected: "a token in force", got: "one that was revoked",
            isFatal: true)
    }

    /// A device's token was taken away: its sessions end at once (T40).
    public mutating func revoked(deviceID: String, at now: Now, actions: inout [ProfileAction]) {
        revokedDevices.insert(deviceID)
        for (session, member) in members where member.presence.deviceID == deviceID {
            actions.append(.close(session, Self.revokedProblem))
            detach(session, isPlanned: false, now, &actions)
        }
        countHeard(now, &actions)
    }
}
