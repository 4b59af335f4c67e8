public import SenseProtocol

extension Session {
    mutating func greet(_ envelope: Envelope, _ now: Now, _ actions: inout [SessionAction]) {
        guard case .hello(let hello)? = envelope.body else {
            fatal(
                FieldProblem(
                    .unauthenticated, field: "body", expected: "hello as the first message",
                    got: envelope.body.map { $0.wireName } ?? "nothing"), seq: envelope.seq, now, &actions)
            return
        }
        if let problem = check(hello) {
            fatal(problem, seq: envelope.seq, now, &actions)
            return
        }
        guard let credential = hello.credential ?? headerToken.map({ .token($0) }) else {
            fatal(
                FieldProblem(
                    .unauthenticated, field: "hello.token", expected: "a token or a pairing code",
                    got: "neither"), seq: envelope.seq, now, &actions)
            return
        }
        self.hello = hello
        self.hello.credential = nil
        settleLimits()
        phase = .authenticating
        actions.append(.authenticate(credential, hello))
    }

    private func check(_ hello: Hello) -> FieldProblem? {
        let texts = [
            ("hello.app_version", hello.appVersion), ("hello.device_name", hello.deviceName),
            ("hello.room", hello.room),
        ]
        for (field, text) in texts {
            if let problem = FieldProblem.name(text, field: field, maxBytes: limits.maxNameBytes) {
                return problem
            }
        }
        let range = limits.heartbeatSeconds
        if hello.heartbeatSeconds != 0, !range.contains(hello.heartbeatSeconds) {
            return FieldProblem(
                field: "hello.heartbeat_seconds", expected: "0 or \(range.lowerBound)…\(range.upperBound)",
                got: "\(hello.heartbeatSeconds)")
        }
        let actuators = hello.capabilities?.actuators ?? []
        if actuators.count > 16 {
            return FieldProblem(
                field: "hello.capabilities.actuators", expected: "at most 16", got: "\(actuators.count)")
        }
        for (i, actuator) in actuators.enumerated() where actuator.zones > 64 || actuator.minPulseMs > 1000 {
            return FieldProblem(
                field: "hello.capabilities.actuators[\(i)]", expected: "zones 1…64, min_pulse_ms 1…1000",
                got: "\(actuator.zones), \(actuator.minPulseMs)")
        }
        if hello.features.count > 32 {
            return FieldProblem(
                field: "hello.features", expected: "at most 32", got: "\(hello.features.count)")
        }
        return nil
    }

    mutating func holdBack(
        _ envelope: Envelope, _ unknownBody: String?, _ now: Now, _ actions: inout [SessionAction]
    ) {
        guard heldBack.count < limits.maxEnvelopesBeforeWelcome else {
            fatal(
                FieldProblem(
                    .tooFast, field: "session",
                    expected: "at most \(limits.maxEnvelopesBeforeWelcome) messages before welcome",
                    got: "more"),
                now, &actions)
            return
        }
        heldBack.append((envelope, unknownBody))
    }

    /// The token or code was good.
    /// - Parameter rooms: which rooms are heard right now.
    public mutating func authenticated(
        _ identity: Identity, sessionID: [UInt8], rooms: [RoomProtection], at now: Now,
        actions: inout [SessionAction]
    ) {
        guard phase == .authenticating else { return }
        self.identity = identity
        settleLimits()
        phase = .active
        let from = resumePoint(identity)
        let oldest = identity.oldestEventID
        let isLost = oldest > 0 && from + 1 < oldest && from < identity.latestEventID
        let missed = hello.watchAlerts ? identity.latestEventID.since(max(from, isLost ? oldest - 1 : 0)) : 0
        let outcome: ResumeOutcome =
            isLost ? .lostBefore : missed > 0 ? .replayed : hello.resume == nil ? .fresh : .resumed
        let welcome = Welcome(
            sessionId: sessionID, serverUs: now.serverUs, unixUs: now.unixUs,
            heartbeatSeconds: UInt32(clamping: heartbeatUs / .secondUs),
            offlineAfterSeconds: UInt32(clamping: offlineAfterUs / .secondUs), limits: announcedLimits,
            creditBytes: limits.creditBytes, models: context.models, unavailable: unavailableHere,
            resumeOutcome: outcome, replayedEvents: UInt32(clamping: missed),
            lostBeforeEventId: isLost ? oldest : 0, issuedToken: identity.issuedToken ?? "",
            deviceId: identity.deviceID, profileId: identity.profileID, serverVersion: context.serverVersion,
            rooms: rooms)
        send(.welcome(welcome), .control, now, &actions)
        actions.append(
            .profile(
                .attached(
                    SessionPresence(
                        deviceID: identity.deviceID,
                        deviceName: hello.deviceName.isEmpty ? identity.deviceID : hello.deviceName,
                        room: hello.room, role: identity.role, watchesAlerts: hello.watchAlerts,
                        lastEventID: from, capabilities: hello.capabilities ?? Capabilities(),
                        isBeside: hello.beside))))
        let waiting = heldBack
        heldBack = []
        for (envelope, unknownBody) in waiting where phase == .active {
            dispatch(envelope, unknownBody: unknownBody, now, &actions)
        }
    }

    /// The token or code was not good.
    public mutating func refused(_ problem: FieldProblem, at now: Now, actions: inout [SessionAction]) {
        fatal(problem, now, &actions)
    }

    /// What the device has: its own word if it resumes, else what it once acknowledged, else the present.
    private func resumePoint(_ identity: Identity) -> UInt64 {
        if let resume = hello.resume { return min(resume.lastEventId, identity.latestEventID) }
        // What waits for the device waits for its own connection.
        if hello.beside { return identity.latestEventID }
        if identity.acknowledgedEventID > 0 { return identity.acknowledgedEventID }
        return identity.latestEventID
    }

    var heartbeatUs: UInt64 {
        hello.heartbeatSeconds == 0 ? limits.heartbeatUs : UInt64(hello.heartbeatSeconds) * .secondUs
    }

    /// Two and a half heartbeats (PRODUCT 3.5), but a device that streams is missed after 15 s.
    var offlineAfterUs: UInt64 {
        let patience = heartbeatUs * 5 / 2
        let isListening = streams.contents.contains { $0.kind == .audio }
        return isListening ? min(patience, 15 * .secondUs) : patience
    }

    private var announcedLimits: Limits {
        Limits(
            maxFrameBytes: UInt32(clamping: wireLimits.maxMessageBytes),
            maxStreams: UInt32(clamping: limits.maxStreams),
            maxAudioChunkMs: UInt32(clamping: limits.maxAudioChunkUs / 1000),
            maxHandFramesPerSecond: UInt32(clamping: limits.maxHandFramesPerSecond),
            maxSongBytes: UInt32(clamping: limits.maxSongBytes))
    }

    /// What this device will have to do without.
    private var unavailableHere: [Unavailable] {
        var list = context.unavailable
        let capabilities = hello.capabilities ?? Capabilities()
        if capabilities.actuators.isEmpty {
            list.append(
                Unavailable(
                    feature: "haptics", reason: "the device declares no actuator",
                    fallback: capabilities.screen ? "flash and text" : "none"))
        }
        return list
    }
}
