import SenseProtocol
import SessionCore
import Storage

extension ServerServices {
    /// Answers what only the store or the server can; the reply goes to the session that asked.
    func answer(
        _ request: SessionRequest, seq: UInt64, identity: Identity, hub: ProfileHub,
        for session: SessionHandle
    ) {
        let profileID = identity.profileID
        /// Turns a result of the store into a reply.
        @Sendable func reply<Value>(
            _ result: Result<Value, StorageError>, _ field: String, _ body: (Value) -> Envelope.Body
        ) {
            switch result {
            case .success(let value):
                let body = body(value)
                session.onLoop { $0.push(body, .durable) }
            case .failure(let error):
                let problem = StoreMapping.problem(error, field: field)
                if problem.code == .internal { log(.error, "\(field): \(error)") }
                session.onLoop { $0.fail(problem, seq: seq) }
            }
        }
        switch request {
        case .history(let query):
            store.history(filter(query, profileID)) { [store] result in
                guard query.rates else {
                    reply(result, "history_query") { .historyPage(self.page($0, query.queryId)) }
                    return
                }
                store.feedbackTallies(profileID: profileID, nowUnixUs: ServerClock.now().unixUs) { tallies in
                    let both = result.flatMap { page in tallies.map { (page, $0) } }
                    reply(both, "history_query") { page, tallies in
                        .historyPage(self.page(page, query.queryId, tallies))
                    }
                }
            }
        case .profile:
            store.profiles { result in
                reply(result, "profile_request") { profiles in
                    let record = profiles.first { $0.profileID == profileID }
                    return .profile(
                        Profile(
                            profileId: profileID, displayName: record?.displayName ?? "",
                            language: record?.language ?? "",
                            revision: UInt64(clamping: record?.settingsRevision ?? 0)))
                }
            }
        case .settings(let request):
            store.settings(profileID: profileID, since: Int64(clamping: request.sinceRevision)) { result in
                reply(result, "settings_request") { .settingsState(StoreMapping.wire($0)) }
            }
        case .patchSettings(let patch):
            let keys = patch.settings.map(\.key) + patch.removedKeys
            let concernsSigner = keys.contains { $0.hasPrefix(SignerSettings.keyPrefix) }
            let concernsAlerts = keys.contains { $0.hasPrefix(AlertSettings.keyPrefix) }
            let concernsSounds = keys.contains { $0.hasPrefix(CustomSoundSettings.keyPrefix) }
            store.editSettings(edit(patch, identity)) { result in
                reply(result, "settings_patch") { .settingsState(StoreMapping.wire($0)) }
                guard case .success = result else { return }
                if concernsSigner { hub.signerSettingsChanged() }
                if concernsAlerts { hub.alertSettingsChanged() }
                if concernsSounds { hub.customSoundsChanged() }
            }
        case .signer:
            store.settings(profileID: profileID, since: 0) { [log] result in
                switch result {
                case .success(let stored):
                    let settings = SignerSettings(StoreMapping.wire(stored))
                    session.onLoop { $0.signerKnown(settings) }
                case .failure(let error): log(.error, "fingerspelling settings of \(profileID): \(error)")
                }
            }
        case .storeCalibration(let patch, let streamID):
            keep(
                edit(patch, identity), field: "calibration_sample", of: "calibration", seq: seq, session,
                announce: { hub.signerSettingsChanged() },
                then: { session, state in
                    session.calibrationStored(streamID: streamID, state.map { SignerSettings($0) })
                })
        case .customSounds:
            store.settings(profileID: profileID, since: 0) { [log] result in
                switch result {
                case .success(let stored):
                    let settings = CustomSoundSettings(StoreMapping.wire(stored))
                    session.onLoop { $0.customSoundsKnown(settings) }
                case .failure(let error): log(.error, "own sounds of \(profileID): \(error)")
                }
            }
        case .storeCustomSounds(let patch):
            keep(
                edit(patch, identity), field: "sound_example", of: "list of sounds", seq: seq, session,
                announce: { hub.customSoundsChanged() },
                then: { session, state in
                    session.customSoundsStored(state.map { CustomSoundSettings($0) })
                })
        case .pairingCode(let request):
            makeCode(request, identity) { result in
                reply(result, "pairing_code_request") { .pairingCode($0) }
            }
        case .devices(let request):
            store.listDevices(profileID: profileID, includeRevoked: request.includeRevoked) { result in
                hub.onlineDevices { online in
                    reply(result, "device_list_request") { devices in
                        .deviceList(
                            DeviceList(
                                devices: devices.map {
                                    StoreMapping.wire($0, isOnline: online.contains($0.deviceID))
                                }))
                    }
                }
            }
        case .revoke(let revoke):
            self.revoke(revoke, identity, hub) { result in
                reply(result, "revoke_device") { device in
                    .deviceStatus(
                        DeviceStatus(device: StoreMapping.wire(device, isOnline: false), reason: "revoked"))
                }
            }
        case .metrics:
            let text = metricsText()
            session.onLoop { $0.push(.metrics(SenseProtocol.Metrics(prometheusText: text)), .durable) }
        }
    }

    /// Keeps changed settings, then reads back what is in force, for the session that made them (`then`; nil where it
    /// failed, after the error) and for the others (`announce`).
    private func keep(
        _ edit: SettingsEdit, field: String, of what: String, seq: UInt64, _ session: SessionHandle,
        announce: @escaping @Sendable () -> Void,
        then: @escaping @Sendable (SessionConnection, SettingsState?) -> Void
    ) {
        store.editSettings(edit) { [self] result in
            var problem: FieldProblem?
            switch result {
            case .failure(let error):
                problem = StoreMapping.problem(error, field: field)
                if problem?.code == .internal { log(.error, "\(field): \(error)") }
            case .success(let state) where !state.conflictingKeys.isEmpty:
                problem = FieldProblem(
                    .tooFast, field: field, expected: "an unchanged \(what)",
                    got: "one that another device has just changed", retryAfterMs: 1000)
            case .success: break
            }
            if let problem {
                session.onLoop { session in
                    session.fail(problem, seq: seq)
                    then(session, nil)
                }
                return
            }
            store.settings(profileID: edit.profileID, since: 0) { [log] result in
                switch result {
                case .success(let stored):
                    let state = StoreMapping.wire(stored)
                    session.onLoop { then($0, state) }
                    announce()
                case .failure(let error):
                    log(.error, "\(field): \(error)")
                    session.onLoop { then($0, nil) }
                }
            }
        }
    }

    private func filter(_ query: HistoryQuery, _ profileID: String) -> HistoryFilter {
        HistoryFilter(
            profileID: profileID, label: query.label.isEmpty ? nil : query.label,
            kind: query.kind == .unspecified ? nil : query.kind.rawValue,
            fromUs: Int64(clamping: query.fromUnixUs),
            toUs: query.toUnixUs == 0 ? .max : Int64(clamping: query.toUnixUs), pageSize: Int(query.pageSize),
            pageToken: query.pageToken)
    }

    private func page(
        _ page: HistoryRecordPage, _ queryID: UInt32, _ rates: FeedbackTallies? = nil
    ) -> HistoryPage {
        HistoryPage(
            queryId: queryID,
            entries: page.entries.compactMap { entry in
                StoreMapping.alert(entry.alert).map {
                    HistoryEntry(
                        alert: $0, receipts: entry.receipts.map(StoreMapping.wire),
                        feedback: entry.feedback.map {
                            StoreMapping.wire($0, alertID: entry.alert.latest.alertID)
                        })
                }
            }, nextPageToken: page.nextPageToken, rates: rates?.tallies.map(StoreMapping.wire) ?? [],
            ratesDays: rates == nil ? 0 : UInt32(clamping: FeedbackLimits().windowDays))
    }

    private func edit(_ patch: SettingsPatch, _ identity: Identity) -> SettingsEdit {
        SettingsEdit(
            profileID: identity.profileID, baseRevision: Int64(clamping: patch.baseRevision),
            changes: patch.settings.map { SettingsEdit.Change(key: $0.key, value: $0.value?.serialized()) }
                + patch.removedKeys.map { SettingsEdit.Change(key: $0, value: nil) },
            deviceID: identity.deviceID, nowUs: Int64(clamping: ServerClock.now().unixUs))
    }

    private func makeCode(
        _ request: PairingCodeRequest, _ identity: Identity,
        _ done: @escaping @Sendable (Result<PairingCode, StorageError>) -> Void
    ) {
        let nowUs = ServerClock.now().unixUs
        let seconds = request.validSeconds == 0 ? 600 : UInt64(request.validSeconds)
        let expires = nowUs + seconds * 1_000_000
        let code = PairingDesk.makeCode()
        let role: Role = request.role == .unspecified ? .subject : request.role
        store.createPairingCode(
            NewPairingCode(
                codeHash: PairingDesk.hash(ofCode: code), profileID: identity.profileID, role: role.rawValue,
                createdUs: Int64(clamping: nowUs), expiresUs: Int64(clamping: expires))
        ) { result in
            done(result.map { PairingCode(code: code, expiresUnixUs: expires) })
        }
    }

    private func revoke(
        _ revoke: RevokeDevice, _ identity: Identity, _ hub: ProfileHub,
        _ done: @escaping @Sendable (Result<DeviceRecord, StorageError>) -> Void
    ) {
        store.listDevices(profileID: identity.profileID, includeRevoked: true) { [store] result in
            switch result {
            case .failure(let error): done(.failure(error))
            case .success(let devices):
                // Only devices of the same person: an id of another profile is as unknown as any.
                guard devices.contains(where: { $0.deviceID == revoke.deviceId }) else {
                    done(.failure(.notFound(.device)))
                    return
                }
                store.revokeDevice(revoke.deviceId, nowUs: Int64(clamping: ServerClock.now().unixUs)) {
                    result in
                    if case .success = result { hub.revoked(deviceID: revoke.deviceId) }
                    done(result)
                }
            }
        }
    }
}
