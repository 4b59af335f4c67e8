public import SenseProtocol

extension ProfileState {
    /// The person's settings, at start and whenever they change.
    public mutating func alertSettingsKnown(_ settings: AlertSettings) { gate.settings = settings }

    /// After a restart: budgets go on where they were, and what was held back still comes in a digest.
    ///
    /// - Parameter recent: alerts of the last day, oldest first.
    public mutating func takeUp(_ settings: AlertSettings, recent: [Alert], at now: Now) {
        gate.settings = settings
        let lastDigestUs = recent.last { $0.kind == .digest }?.startedUnixUs ?? 0
        let time = localTime(now.unixUs)
        for alert in recent where alert.kind == .sound {
            switch AlertGate.Reason(rawValue: alert.heldBack) {
            case .quietHours?, .labelBudget?, .budget?:
                if alert.startedUnixUs > lastDigestUs { held.add(alert.label, dueUs: now.serverUs) }
            case .cooldown?: break
            case nil:
                gate.count(alert.label, alert.urgency, at: localTime(alert.startedUnixUs), time: time)
            }
        }
    }

    func localTime(_ unixUs: UInt64) -> LocalTime {
        LocalTime(
            unixUs: unixUs,
            utcOffsetSeconds: gate.settings.utcOffsetMinutes.map { $0 * 60 } ?? serverOffsetSeconds)
    }

    /// Whether a new sound becomes an alert of its own; otherwise it has been dealt with here.
    mutating func admits(
        _ alert: Alert, _ source: AlertSource, _ now: Now, _ actions: inout [ProfileAction]
    ) -> Bool {
        guard alert.urgency.effective != .lifeSafety else { return true }
        if alert.state == .confirmed, goesOn(alert, source, now, &actions) { return false }
        let time = localTime(now.unixUs)
        let verdict = gate.decide(
            alert.label, alert.urgency, room: alert.room, time: time, nowUs: now.serverUs)
        switch verdict {
        case .interrupt: return true
        case .drop: return false
        case .hold(let reason):
            hold(alert, reason, now, &actions)
            switch reason {
            case .cooldown: break  // The person knows.
            case .quietHours:
                let left = gate.settings.quietHours?.secondsLeft(at: time) ?? 0
                held.add(alert.label, dueUs: now.serverUs + UInt64(clamping: left) * .secondUs)
            case .labelBudget, .budget:
                held.add(alert.label, dueUs: now.serverUs + HeldSounds.digestEveryUs)
            }
            return false
        }
    }

    /// The same sound in the same room: heard by a second microphone, or begun again within its cooldown.
    private mutating func goesOn(
        _ alert: Alert, _ source: AlertSource, _ now: Now, _ actions: inout [ProfileAction]
    ) -> Bool {
        let same = open.values.filter {
            $0.alert.kind == .sound && $0.alert.label == alert.label && $0.alert.room == alert.room
        }
        if same.contains(where: { !$0.isEnded && $0.alert.state != .suspected }) { return true }
        let cooldownUs = gate.settings.cooldownUs(alert.label, alert.urgency)
        guard
            var entry = same.filter({ now.unixUs.since($0.alert.updatedUnixUs) < cooldownUs })
                .max(by: { $0.alert.updatedUnixUs < $1.alert.updatedUnixUs })
        else { return false }
        let id = entry.alert.alertId
        entry.source = source
        entry.alert.state = .updated
        entry.alert.updatedUnixUs = now.unixUs
        entry.alert.durationMs = durationMs(from: entry.alert.onsetServerUs, now)
        entry.dueUs = nil
        arm(&entry, now)
        open[id] = entry
        alertBySource[source] = id
        actions.append(.store(entry.alert))
        return true
    }

    /// Keeps the sound in the history, without touching anybody.
    private mutating func hold(
        _ alert: Alert, _ reason: AlertGate.Reason, _ now: Now, _ actions: inout [ProfileAction]
    ) {
        var record = alert
        record.state = .ended
        record.disposition = .resolved
        record.urgency = .info
        record.haptic = nil
        record.heldBack = reason.rawValue
        record.message = "held back: \(reason.rawValue)"
        actions.append(.store(record))
        actions.append(.resolve(alertID: record.alertId, note: record.message))
    }

    /// Tells what was held back, once the quiet hours are over or the digest's time has come.
    mutating func digest(_ now: Now, _ actions: inout [ProfileAction]) {
        guard let dueUs = held.dueUs, dueUs <= now.serverUs else { return }
        let time = localTime(now.unixUs)
        if let quiet = gate.settings.quietHours, quiet.contains(time) {
            held.postpone(to: now.serverUs + UInt64(clamping: quiet.secondsLeft(at: time)) * .secondUs)
            return
        }
        let alert = Alert(
            alertId: makeID(), kind: .digest, state: .ended, urgency: .info, label: "digest", confidence: 1,
            startedUnixUs: now.unixUs, updatedUnixUs: now.unixUs, disposition: .open, message: held.take(),
            onsetServerUs: now.serverUs)
        raise(alert, .restored(alertID: alert.alertId), now, &actions)
    }
}
