/// What the server keeps, whatever keeps it: SQLite now, an SQL server for many machines later.
///
/// Every call returns at once and never waits for a disk; its completion is called exactly once, from a
/// thread of the store (or at once, on the caller's thread, if the request was refused). For a write it is
/// called after the data is durable. Writes take effect in the order of their calls.
public protocol RecordStore: Sendable {
    /// Makes a profile, or returns the one that has the id; then only the id of `profile` counts.
    func openOrCreateProfile(_ profile: ProfileRecord, completion: @escaping StorageCompletion<ProfileRecord>)
    /// All profiles, oldest first.
    func profiles(completion: @escaping StorageCompletion<[ProfileRecord]>)

    /// Stores a pairing code. Fails with `notFound(.profile)`, or `invalid` if too many are unused.
    func createPairingCode(_ code: NewPairingCode, completion: @escaping StorageCompletion<Void>)
    /// Uses up a code and makes its device, both or neither. Fails with `pairingRefused`.
    func redeemPairingCode(
        _ request: PairingRedemption, completion: @escaping StorageCompletion<DeviceRecord>)
    /// The device whose token has this SHA-256, also if revoked (see `revokedUs`); nil if there is none.
    func deviceByTokenHash(_ tokenHash: [UInt8], completion: @escaping StorageCompletion<DeviceRecord?>)
    /// Stores that a device was heard of; the time never goes back.
    func touchDevice(_ deviceID: String, nowUs: Int64, completion: @escaping StorageCompletion<Void>)
    /// Ends a device's access for good; the second time changes nothing.
    func revokeDevice(_ deviceID: String, nowUs: Int64, completion: @escaping StorageCompletion<DeviceRecord>)
    /// Devices of a profile, oldest first.
    func listDevices(
        profileID: String, includeRevoked: Bool, completion: @escaping StorageCompletion<[DeviceRecord]>)

    /// Stores the newest states of episodes and the events that announce them, all or none; results are in
    /// the order of `updates`. Event ids and revisions are allocated here.
    func appendAlertEvents(
        _ updates: [AlertUpdate], completion: @escaping StorageCompletion<[AnnouncedAlert]>)
    /// Appends an event that is not an alert; returns its id.
    func appendEvent(
        kind: DurableEventKind, subjectID: String, payload: [UInt8], profileID: String, nowUs: Int64,
        completion: @escaping StorageCompletion<Int64>)
    /// Events behind `eventID`, oldest first, at most `StorageLimits.maxEventsPerRead`.
    func eventsAfter(
        _ eventID: Int64, profileID: String, limit: Int,
        completion: @escaping StorageCompletion<[DurableEvent]>)
    /// Where the log begins and ends; a device behind `lowestRetained - 1` has lost events.
    func eventRange(profileID: String, completion: @escaping StorageCompletion<EventRange>)
    /// Moves a device's cumulative cursor; returns the cursor. Fails with `invalid` past the last event.
    func ackEvents(upTo eventID: Int64, deviceID: String, completion: @escaping StorageCompletion<Int64>)

    /// Stores a receipt. A human answer or a resolution changes the disposition, which `announce` encodes.
    func addReceipt(
        _ receipt: ReceiptRecord, alertID: String, profileID: String, announce: @escaping AlertAnnouncement,
        completion: @escaping StorageCompletion<ReceiptOutcome>)
    /// Stores what a device says of an alert, in place of its word before. A verdict that changes is announced.
    func addFeedback(
        _ feedback: FeedbackRecord, alertID: String, profileID: String, announce: @escaping AlertAnnouncement,
        completion: @escaping StorageCompletion<ReceiptOutcome>)
    /// Adds to the time that sound of rooms reached the detectors.
    func addHeard(_ heard: [HeardRecord], profileID: String, completion: @escaping StorageCompletion<Void>)
    /// Alerts of one `AlertKind` by room and label that began at or after `fromUs`, and the time heard from that day
    /// on; at most `StorageLimits.maxTalliesPerRead` of each.
    func alertTallies(
        profileID: String, kind: Int32, fromUs: Int64, completion: @escaping StorageCompletion<AlertTallies>)
    /// Stores how a drill ended.
    func addDrill(_ drill: DrillRecord, profileID: String, completion: @escaping StorageCompletion<Void>)
    /// Drills, newest first, at most `StorageLimits.maxPageSize`.
    func drills(profileID: String, completion: @escaping StorageCompletion<[DrillRecord]>)
    /// When each room was first heard, and last passed and failed a drill, sorted; at most
    /// `StorageLimits.maxDevicesPerProfile`.
    func drillRooms(profileID: String, completion: @escaping StorageCompletion<[DrillRoomRecord]>)
    /// Logs that nobody answered; changes nothing if somebody did meanwhile.
    func markExhausted(
        alertID: String, profileID: String, nowUs: Int64, announce: @escaping AlertAnnouncement,
        completion: @escaping StorageCompletion<ReceiptOutcome>)
    /// At start: ends the episodes that a crash left open. They stay unanswered, hence visible.
    ///
    /// - Parameter kinds: `AlertKind`s that a restart does not end: they state what is still so.
    func closeOrphans(
        except kinds: Set<Int32>, reason: String, nowUs: Int64, announce: @escaping AlertAnnouncement,
        completion: @escaping StorageCompletion<[AnnouncedAlert]>)
    /// Alerts that go on or wait for an answer, most urgent first, at most `maxOpenAlertsPerRead`.
    func openAlerts(profileID: String, completion: @escaping StorageCompletion<[AlertRecord]>)
    /// One alert, or nil.
    func alert(
        alertID: String, profileID: String, completion: @escaping StorageCompletion<AlertRecord?>)
    /// Past alerts with their receipts, by page.
    func history(_ filter: HistoryFilter, completion: @escaping StorageCompletion<HistoryRecordPage>)

    /// Settings that changed after `revision`; 0 for all that exist.
    func settings(
        profileID: String, since revision: Int64, completion: @escaping StorageCompletion<StoredSettings>)
    /// Applies the keys nobody else changed since the edit's base; names the others.
    func editSettings(_ edit: SettingsEdit, completion: @escaping StorageCompletion<StoredSettings>)

    /// Deletes a bounded number of rows past their time.
    func applyRetention(nowUs: Int64, completion: @escaping StorageCompletion<RetentionOutcome>)
}

extension RecordStore {
    /// Awaits one call: `try await store.result { store.openAlerts(profileID: id, completion: $0) }`.
    public func result<Value: Sendable>(
        of call: (@escaping StorageCompletion<Value>) -> Void
    ) async throws(StorageError) -> Value {
        let result = await withCheckedContinuation { continuation in
            call { continuation.resume(returning: $0) }
        }
        return try result.get()
    }

    /// Waits for one call, blocking the thread: for start-up and tools, never on a loop or in async code.
    public func wait<Value: Sendable>(
        for call: (@escaping StorageCompletion<Value>) -> Void
    ) throws(StorageError) -> Value {
        let mailbox = Mailbox<Result<Value, StorageError>>(maxElements: 1, maxBytes: 0)
        call { try? mailbox.send($0, bytes: 0) }
        guard let result = mailbox.receive(limit: 1)?.first else { throw .closed }
        return try result.get()
    }
}
