import SenseProtocol

extension ProfileState {
    mutating func observe(
        _ seen: SoundObservation, from session: SessionID, _ now: Now, _ actions: inout [ProfileAction]
    ) {
        guard let member = members[session] else { return }
        let source = AlertSource.sound(session, streamID: seen.streamID, episode: seen.episode)
        if let id = alertBySource[source] {
            advance(id, seen, now, &actions)
            return
        }
        guard seen.step == .suspected || seen.step == .confirmed else {
            gate.note(seen.label, room: member.presence.room, nowUs: now.serverUs)
            return
        }
        let alert = Alert(
            alertId: makeID(), kind: .sound, state: seen.step == .suspected ? .suspected : .confirmed,
            urgency: gate.urgency(seen.urgency, of: seen.label), label: seen.label,
            confidence: seen.confidence, room: member.presence.room,
            deviceId: member.presence.deviceID, streamId: seen.streamID,
            startedUnixUs: now.unixUs.since(now.serverUs.since(seen.onsetServerUs)),
            updatedUnixUs: now.unixUs,
            durationMs: durationMs(from: seen.onsetServerUs, now), haptic: haptic(of: seen),
            disposition: .open,
            message: "", onsetServerUs: seen.onsetServerUs, onsetSampleIndex: seen.onsetSampleIndex)
        guard admits(alert, source, now, &actions) else { return }
        raise(alert, source, now, &actions)
    }

    private func haptic(of seen: SoundObservation) -> HapticPattern {
        seen.step == .suspected ? seen.haptic : gate.settings[seen.label].haptic?.wire ?? seen.haptic
    }

    private mutating func advance(
        _ id: String, _ seen: SoundObservation, _ now: Now, _ actions: inout [ProfileAction]
    ) {
        guard var entry = open[id] else { return }
        gate.note(seen.label, room: entry.alert.room, nowUs: now.serverUs)
        let isNews: Bool
        switch seen.step {
        case .suspected, .continues:
            isNews = false
        case .confirmed:
            isNews = entry.alert.state == .suspected || entry.alert.label != seen.label
            entry.alert.state = entry.alert.state == .suspected ? .confirmed : .updated
        case .ended:
            isNews = true
            if entry.alert.state == .suspected { entry.alert.disposition = .resolved }
            entry.alert.state = .ended
        }
        entry.alert.confidence = max(entry.alert.confidence, seen.confidence)
        entry.alert.durationMs = durationMs(from: entry.alert.onsetServerUs, now)
        entry.alert.updatedUnixUs = now.unixUs
        if isNews, seen.step != .ended {
            entry.alert.label = seen.label
            entry.alert.urgency = gate.urgency(seen.urgency, of: seen.label)
            entry.alert.haptic = haptic(of: seen)
        }
        arm(&entry, now)
        open[id] = entry
        if isNews { actions.append(.store(entry.alert)) }
        if entry.isEnded, entry.alert.disposition == .resolved {
            actions.append(.resolve(alertID: id, note: "it was something else"))
        }
        if entry.isEnded { alertBySource[entry.source] = nil }
        closeIfOver(id)
    }

    /// Ends the sounds of a stream that is gone; without one, of all streams of the session.
    mutating func endSounds(
        of session: SessionID, streamID: UInt32? = nil, _ now: Now, _ actions: inout [ProfileAction]
    ) {
        for (source, id) in alertBySource {
            guard case .sound(session, let heardOn, _) = source, streamID ?? heardOn == heardOn else {
                continue
            }
            end(id, "the stream ended", now, &actions)
        }
    }

    mutating func hazard(
        _ streamID: UInt32, _ label: String, _ message: String, _ haptic: HapticPattern,
        from session: SessionID, _ now: Now, _ actions: inout [ProfileAction]
    ) {
        guard let member = members[session] else { return }
        // The walker's own device got the hazard already, without waiting for the store. This is the record: it asks
        // nobody for an answer and takes no place among the open alerts.
        let alert = Alert(
            alertId: makeID(), kind: .hazard, state: .ended, urgency: .normal, label: label, confidence: 1,
            room: member.presence.room, deviceId: member.presence.deviceID, streamId: streamID,
            startedUnixUs: now.unixUs, updatedUnixUs: now.unixUs, haptic: haptic, disposition: .resolved,
            message: message, onsetServerUs: now.serverUs)
        actions.append(.store(alert))
        actions.append(.resolve(alertID: alert.alertId, note: "told to the walker"))
    }

    mutating func end(
        _ id: String, _ reason: String, _ now: Now, _ actions: inout [ProfileAction]
    ) {
        guard var entry = open[id], !entry.isEnded else { return }
        entry.alert.state = .ended
        entry.alert.updatedUnixUs = now.unixUs
        entry.alert.durationMs = durationMs(from: entry.alert.onsetServerUs, now)
        entry.alert.message =
            entry.alert.message.isEmpty ? reason : entry.alert.message + " Ended: \(reason)."
        // Hearing again answers "I cannot hear" by itself, and a drill what was said about the one before.
        if [.cannotHear, .drill].contains(entry.alert.kind) { entry.alert.disposition = .resolved }
        arm(&entry, now)
        open[id] = entry
        actions.append(.store(entry.alert))
        if entry.alert.disposition == .resolved { actions.append(.resolve(alertID: id, note: reason)) }
        alertBySource[entry.source] = nil
        closeIfOver(id)
    }

    mutating func raise(
        _ alert: Alert, _ source: AlertSource, _ now: Now, _ actions: inout [ProfileAction]
    ) {
        makeRoom(now, &actions)
        var entry = OpenAlert(alert: alert, source: source)
        arm(&entry, now)
        open[alert.alertId] = entry
        if !entry.isEnded { alertBySource[source] = alert.alertId }
        actions.append(.store(alert))
    }

    /// Keeps the number of open alerts bounded: ended before ongoing, less urgent before more urgent, older before
    /// newer, and never a life-safety one. What is dropped is ended and written down first.
    private mutating func makeRoom(_ now: Now, _ actions: inout [ProfileAction]) {
        guard open.count >= limits.maxOpenAlerts else { return }
        let candidates = open.values.filter { $0.alert.urgency.effective != .lifeSafety }
        func rank(_ entry: OpenAlert) -> (Int, Int, UInt64) {
            (entry.isEnded ? 0 : 1, entry.alert.urgency.rank, entry.alert.startedUnixUs)
        }
        guard let id = candidates.min(by: { rank($0) < rank($1) })?.alert.alertId else { return }
        let reason = "more than \(limits.maxOpenAlerts) alerts are open"
        end(id, reason, now, &actions)
        exhaust(id, reason: reason, &actions)
    }

    /// Writes down that nobody answered. The alert stays known while it goes on, so that its end is told too.
    mutating func exhaust(_ id: String, reason: String, _ actions: inout [ProfileAction]) {
        guard var entry = open[id], !entry.isSettled else { return }
        entry.alert.disposition = .exhausted
        entry.dueUs = nil
        open[id] = entry
        actions.append(.markExhausted(alertID: id, reason: reason))
        actions.append(.log("alert \(id) (\(entry.alert.label)) exhausted: \(reason)"))
        closeIfOver(id)
    }

    /// Sets the clock of an alert after a new state.
    mutating func arm(_ entry: inout OpenAlert, _ now: Now) {
        entry.arm(policy, now: now)
        reminderDue.add(entry.dueUs)
    }

    mutating func remind(_ now: Now, _ actions: inout [ProfileAction]) {
        guard reminderDue.hasPassed(at: now) else { return }
        for id in open.keys.sorted() {
            guard var entry = open[id] else { continue }
            let due = entry.due(policy, now: now)
            switch due {
            case .none: continue
            case .remind:
                if !entry.isEnded { entry.alert.state = .updated }
                entry.alert.durationMs =
                    entry.isEnded ? entry.alert.durationMs : durationMs(from: entry.alert.onsetServerUs, now)
                entry.alert.updatedUnixUs = now.unixUs
                open[id] = entry
                actions.append(.store(entry.alert))
            case .giveUp:
                exhaust(id, reason: "nobody acknowledged after \(entry.reminders) reminders", &actions)
            }
        }
        reminderDue.settle(open.values.lazy.compactMap(\.dueUs).min())
    }

    /// An answered and finished alert needs no memory.
    mutating func closeIfOver(_ id: String) {
        guard let entry = open[id], entry.isOver else { return }
        alertBySource[entry.source] = nil
        open[id] = nil
    }

    func durationMs(from onsetServerUs: UInt64, _ now: Now) -> UInt32 {
        UInt32(clamping: now.serverUs.since(onsetServerUs) / 1000)
    }
}
