import SenseProtocol

extension ProfileState {
    /// Starts or cancels the drill of a room. Alerts go on as always.
    mutating func drill(
        _ wish: Drill, _ seq: UInt64, from session: SessionID, _ now: Now, _ actions: inout [ProfileAction]
    ) {
        guard let member = members[session] else { return }
        if wish.phase == .cancelled {
            guard let run = drills.removeValue(forKey: wish.room) else {
                let problem = FieldProblem(
                    .notFound, field: "drill.room", expected: "a room with a running drill", got: wish.room)
                actions.append(.send(session, .error(problem.message(inReplyToSeq: seq)), .control))
                return
            }
            announce(
                Drill(
                    room: run.room, phase: .cancelled, detail: "The drill was cancelled.", unixUs: now.unixUs),
                &actions)
            return
        }
        let rooms = coverage.roomsWithMicrophone
        guard rooms.contains(wish.room) else {
            let known = rooms.filter { !$0.isEmpty }.sorted().joined(separator: ", ")
            let problem = FieldProblem(
                .unavailable, field: "drill.room",
                expected: "a room with an open microphone (\(known.isEmpty ? "there is none" : known))",
                got: wish.room)
            actions.append(.send(session, .error(problem.message(inReplyToSeq: seq)), .control))
            return
        }
        // Asked again, perhaps after a reconnect: the one that runs goes on.
        if let run = drills[wish.room] {
            actions.append(.send(session, .drill(started(run)), .durable))
            return
        }
        let run = DrillRun(room: wish.room, startedBy: member.presence.deviceID, at: now, limits: drillLimits)
        drills[wish.room] = run
        announce(started(run), &actions)
    }

    private func started(_ run: DrillRun) -> Drill {
        Drill(
            room: run.room, phase: .started, detail: "Press the test button of the alarm now.",
            unixUs: run.start.unixUs, endsUnixUs: run.endsUnixUs)
    }

    private func announce(_ drill: Drill, _ actions: inout [ProfileAction]) {
        for session in members.keys.sorted() { actions.append(.send(session, .drill(drill), .durable)) }
    }

    /// Looks at a sound that was just observed.
    mutating func drillHeard(_ seen: SoundObservation, from session: SessionID, _ now: Now) {
        // A recording that an errand plays proves nothing of a microphone.
        guard seen.step == .confirmed, let presence = members[session]?.presence, !presence.isBeside,
            case let room = presence.room, drills[room] != nil,
            let id = alertBySource[.sound(session, streamID: seen.streamID, episode: seen.episode)]
        else { return }
        drills[room]?.confirmed(
            label: seen.label, alertID: id, onsetServerUs: seen.onsetServerUs, at: now)
    }

    /// Looks at an alert that was just stored.
    mutating func drillStored(_ alert: Alert) {
        guard alert.state != .suspected, drills[alert.room] != nil else { return }
        drills[alert.room]?.stored(alertID: alert.alertId, eventID: alert.eventId)
    }

    /// Looks at what a device has just acknowledged.
    mutating func drillAcknowledged(
        _ eventID: UInt64, from session: SessionID, _ now: Now, _ actions: inout [ProfileAction]
    ) {
        guard !drills.isEmpty, eventID <= latestEventID, let name = members[session]?.presence.deviceName
        else { return }
        for room in drills.keys.sorted() {
            guard let result = drills[room]?.acknowledged(upTo: eventID, by: name, at: now) else { continue }
            conclude(result, &actions)
        }
    }

    /// Ends drills whose time is over, and announces rooms that were not tested for long.
    mutating func drillTick(_ now: Now, _ actions: inout [ProfileAction]) {
        for room in drills.keys.sorted() {
            if let result = drills[room]?.due(at: now) { conclude(result, &actions) }
        }
        guard let drillCheckUs, drillCheckUs <= now.serverUs else { return }
        for room in drillBook.overdue(among: coverage.roomsWithMicrophone, at: now) {
            drillBook.announced(room)
            let source = AlertSource.drill(room: room, label: Self.drillOverdue)
            guard alertBySource[source] == nil else { continue }
            let text =
                "The alarm of the room \(room) was not tested for \(drillLimits.overdueDays) days. Run a drill."
            raise(
                drillAlert(Self.drillOverdue, room: room, .normal, text, at: now), source, now, &actions)
        }
        planDrillCheck(now)
    }

    /// Sets when overdue rooms are looked for: after the rooms, their drills or the time have changed.
    mutating func planDrillCheck(_ now: Now) {
        drillCheckUs = drillBook.nextCheckUs(among: coverage.roomsWithMicrophone, at: now)
    }

    private mutating func conclude(_ result: DrillResult, _ actions: inout [ProfileAction]) {
        drills[result.room] = nil
        actions.append(.storeDrill(result))
    }

    /// A result is on disk, or (`isStored` false) the store failed: it is told all the same.
    public mutating func drillStored(
        _ result: DrillResult, isStored: Bool, at now: Now, actions: inout [ProfileAction]
    ) {
        if !isStored { actions.append(.log("drill of the room \(result.room) could not be stored")) }
        announce(
            Drill(
                room: result.room, phase: result.isPassed ? .passed : .failed, latencyMs: result.latencyMs,
                detail: result.sentence, unixUs: result.unixUs, heardMs: result.heardMs,
                alertId: result.alertID, deviceName: result.deviceName), &actions)
        let failed = AlertSource.drill(room: result.room, label: Self.drillFailed)
        if let id = alertBySource[failed] {
            end(id, result.isPassed ? "the drill was passed" : "the drill failed again", now, &actions)
        }
        guard result.isPassed else {
            drillBook.failed(result.room, unixUs: result.unixUs)
            raise(
                drillAlert(Self.drillFailed, room: result.room, .urgent, result.sentence, at: now), failed,
                now, &actions)
            return
        }
        drillBook.passed(result.room, unixUs: result.unixUs)
        planDrillCheck(now)
        if let id = alertBySource[.drill(room: result.room, label: Self.drillOverdue)] {
            end(id, "the drill was passed", now, &actions)
        }
        // For the history and for devices that were away: it asks nobody for an answer.
        var record = drillAlert(Self.drillPassed, room: result.room, .info, result.sentence, at: now)
        record.state = .ended
        record.disposition = .resolved
        actions.append(.store(record))
        actions.append(.resolve(alertID: record.alertId, note: "passed"))
    }

    static var drillPassed: String { "drill_passed" }
    static var drillFailed: String { "drill_failed" }
    static var drillOverdue: String { "drill_overdue" }

    private mutating func drillAlert(
        _ label: String, room: String, _ urgency: Urgency, _ message: String, at now: Now
    ) -> Alert {
        Alert(
            alertId: makeID(), kind: .drill, state: .confirmed, urgency: urgency, label: label, confidence: 1,
            room: room, startedUnixUs: now.unixUs, updatedUnixUs: now.unixUs, haptic: .drill,
            disposition: .open, message: message, onsetServerUs: now.serverUs)
    }
}

extension HapticPattern {
    /// One long pulse that fades: about the server, not about a sound.
    static let drill = HapticPattern(
        patternId: "drill", version: 1,
        steps: [
            HapticStep(onMs: 400, offMs: 0, intensity: 0.5, sharpness: 0.1),
            HapticStep(onMs: 300, offMs: 0, intensity: 0.25, sharpness: 0.1),
        ], repeats: 1)
}
