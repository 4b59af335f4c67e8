import SenseProtocol

extension Session {
    /// Messages that ask for something durable; true if `body` was one of them.
    mutating func handleRequest(
        _ body: Envelope.Body, seq: UInt64, _ now: Now, _ actions: inout [SessionAction]
    ) -> Bool {
        switch body {
        case .eventAck(let ack): actions.append(.profile(.eventAck(ack.eventId)))
        case .alertReceipt(let receipt): handle(receipt, seq, now, &actions)
        case .alertFeedback(let feedback): handle(feedback, seq, now, &actions)
        case .drill(let drill): handle(drill, seq, now, &actions)
        case .historyQuery(let query): handle(query, seq, now, &actions)
        case .profileRequest: actions.append(.request(.profile, seq: seq))
        case .settingsRequest(let request): actions.append(.request(.settings(request), seq: seq))
        case .settingsPatch(let patch): handle(patch, seq, now, &actions)
        case .subscribe(let wish): actions.append(.profile(.subscribe(wish)))
        case .pairingCodeRequest(let request): handle(request, seq, now, &actions)
        case .deviceListRequest(let request): actions.append(.request(.devices(request), seq: seq))
        case .revokeDevice(let revoke): handle(revoke, seq, now, &actions)
        case .metricsRequest: actions.append(.request(.metrics, seq: seq))
        case .heartbeat(let beat): handle(beat, seq, now, &actions)
        case .timeRequest(let request):
            send(
                .timeReply(
                    TimeReply(
                        clientMonoUs: request.clientMonoUs, receivedServerUs: now.serverUs,
                        sentServerUs: now.serverUs, unixUs: now.unixUs)), .control, now, &actions)
        case .goodbye:
            saidGoodbye = true
        default: return false
        }
        return true
    }

    private mutating func handle(
        _ receipt: AlertReceipt, _ seq: UInt64, _ now: Now, _ actions: inout [SessionAction]
    ) {
        var problem: FieldProblem?
        switch receipt.kind {
        case .received, .presented, .ackedByHuman, .resolved: break
        case .unspecified, .unrecognized:
            problem = FieldProblem(
                field: "alert_receipt.kind", expected: "RECEIVED, PRESENTED, ACKED_BY_HUMAN or RESOLVED",
                got: "\(receipt.kind.rawValue)")
        }
        if receipt.alertId.isEmpty || receipt.alertId.utf8.count > limits.maxNameBytes {
            problem = FieldProblem(
                field: "alert_receipt.alert_id", expected: "1…\(limits.maxNameBytes) bytes",
                got: "\(receipt.alertId.utf8.count) bytes")
        }
        if receipt.note.utf8.count > limits.maxNoteBytes {
            problem = FieldProblem(
                field: "alert_receipt.note", expected: "at most \(limits.maxNoteBytes) bytes",
                got: "\(receipt.note.utf8.count) bytes")
        }
        if let problem {
            report(problem, seq: seq, now, &actions)
        } else {
            actions.append(.profile(.receipt(receipt, seq: seq)))
        }
    }

    private mutating func handle(
        _ query: HistoryQuery, _ seq: UInt64, _ now: Now, _ actions: inout [SessionAction]
    ) {
        if query.pageSize > 200 {
            report(
                FieldProblem(field: "history_query.page_size", expected: "0…200", got: "\(query.pageSize)"),
                seq: seq, now, &actions)
        } else if query.toUnixUs != 0, query.fromUnixUs > query.toUnixUs {
            report(
                FieldProblem(
                    field: "history_query.from_unix_us", expected: "at most to_unix_us (\(query.toUnixUs))",
                    got: "\(query.fromUnixUs)"), seq: seq, now, &actions)
        } else if query.label.utf8.count > limits.maxNameBytes
            || query.pageToken.utf8.count > limits.maxNoteBytes
        {
            report(
                FieldProblem(
                    field: "history_query",
                    expected: "label ≤ \(limits.maxNameBytes) bytes, page_token ≤ \(limits.maxNoteBytes)",
                    got: "\(query.label.utf8.count), \(query.pageToken.utf8.count)"), seq: seq, now, &actions)
        } else {
            // An entry with its receipts takes some 700 bytes; a small device gets smaller pages.
            var fitting = query
            let wanted = query.pageSize == 0 ? 50 : query.pageSize
            fitting.pageSize = min(wanted, UInt32(clamping: max(1, maxReceiveBytes / 1024)))
            actions.append(.request(.history(fitting), seq: seq))
        }
    }

    private mutating func handle(
        _ patch: SettingsPatch, _ seq: UInt64, _ now: Now, _ actions: inout [SessionAction]
    ) {
        guard patch.settings.count + patch.removedKeys.count <= 256 else {
            report(
                FieldProblem(
                    field: "settings_patch.settings", expected: "at most 256 keys",
                    got: "\(patch.settings.count + patch.removedKeys.count)"), seq: seq, now, &actions)
            return
        }
        for (i, key) in (patch.settings.map(\.key) + patch.removedKeys).enumerated() where !key.isSettingKey {
            report(
                FieldProblem(
                    field: i < patch.settings.count
                        ? "settings_patch.settings[\(i)].key"
                        : "settings_patch.removed_keys[\(i - patch.settings.count)]",
                    expected: "1…128 of a–z, 0–9, _ and dots", got: key), seq: seq, now, &actions)
            return
        }
        for (i, setting) in patch.settings.enumerated() where setting.value?.value == nil {
            report(
                FieldProblem(
                    field: "settings_patch.settings[\(i)].value", expected: "one value", got: "none"),
                seq: seq,
                now, &actions)
            return
        }
        for (i, setting) in patch.settings.enumerated() {
            guard let problem = AlertSettings.problem(setting) else { continue }
            report(
                FieldProblem(
                    field: "settings_patch.settings[\(i)] (\(setting.key))", expected: problem.expected,
                    got: problem.got), seq: seq, now, &actions)
            return
        }
        actions.append(.request(.patchSettings(patch), seq: seq))
    }

    private mutating func handle(
        _ request: PairingCodeRequest, _ seq: UInt64, _ now: Now, _ actions: inout [SessionAction]
    ) {
        guard mayAdminister("pairing_code_request", seq, now, &actions) else { return }
        switch request.role {
        case .unspecified, .subject, .caregiver: break
        case .admin where identity?.role == .admin: break
        case .admin, .unrecognized:
            report(
                FieldProblem(
                    field: "pairing_code_request.role",
                    expected: "SUBJECT or CAREGIVER, ADMIN from an administrator",
                    got: "\(request.role.rawValue)"), seq: seq, now, &actions)
            return
        }
        guard request.validSeconds == 0 || (30...86_400).contains(request.validSeconds) else {
            report(
                FieldProblem(
                    field: "pairing_code_request.valid_seconds", expected: "0 or 30…86400",
                    got: "\(request.validSeconds)"), seq: seq, now, &actions)
            return
        }
        actions.append(.request(.pairingCode(request), seq: seq))
    }

    /// Only the person and administrators; a role that is missing or not known has no rights.
    private mutating func mayAdminister(
        _ message: String, _ seq: UInt64, _ now: Now, _ actions: inout [SessionAction]
    ) -> Bool {
        if identity?.role == .subject || identity?.role == .admin { return true }
        report(
            FieldProblem(
                .forbidden, field: message, expected: "the person or an administrator",
                got: "a device of role \(identity?.role.rawValue ?? 0)", isFatal: true), seq: seq, now,
            &actions)
        return false
    }

    private mutating func handle(
        _ revoke: RevokeDevice, _ seq: UInt64, _ now: Now, _ actions: inout [SessionAction]
    ) {
        guard mayAdminister("revoke_device", seq, now, &actions) else { return }
        actions.append(.request(.revoke(revoke), seq: seq))
    }

    private mutating func handle(
        _ beat: Heartbeat, _ seq: UInt64, _ now: Now, _ actions: inout [SessionAction]
    ) {
        guard beat.batteryPercent <= 101 else {
            report(
                FieldProblem(
                    field: "heartbeat.battery_percent", expected: "0…101", got: "\(beat.batteryPercent)"),
                seq: seq, now, &actions)
            return
        }
        actions.append(.profile(.heartbeat(beat)))
        send(.heartbeat(Heartbeat(batteryPercent: 101)), .control, now, &actions)
    }
}

extension String {
    /// Dotted lower-case, as settings keys are.
    var isSettingKey: Bool {
        (1...128).contains(utf8.count)
            && utf8.allSatisfy { (97...122).contains($0) || (48...57).contains($0) || $0 == 95 || $0 == 46 }
    }
}
