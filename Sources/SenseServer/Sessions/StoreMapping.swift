import SenseProtocol
import SessionCore
import Storage

/// Wire messages ↔ stored records. The one place that knows both.
enum StoreMapping {
    /// What the store keeps of one revision of an alert.
    ///
    /// A wall clock that was set back must not make an episode end before it began: then it ended when it began.
    static func update(_ reported: Alert, profileID: String) -> AlertUpdate {
        var alert = reported
        alert.updatedUnixUs = max(alert.updatedUnixUs, alert.startedUnixUs)
        return AlertUpdate(
            alertID: alert.alertId, profileID: profileID, deviceID: alert.deviceId, room: alert.room,
            streamID: Int64(alert.streamId), kind: alert.kind.rawValue, label: alert.label,
            urgency: alert.urgency.rawValue, confidence: Double(alert.confidence),
            startedUs: Int64(clamping: alert.startedUnixUs), updatedUs: Int64(clamping: alert.updatedUnixUs),
            endedUs: alert.state == .ended ? Int64(clamping: alert.updatedUnixUs) : nil,
            endReason: alert.state == .ended ? alert.message : "", haptic: alert.haptic?.serialized() ?? [],
            payload: alert.serialized(),
            isTold: [.confirmed, .updated].contains(alert.state) && alert.heldBack.isEmpty)
    }

    /// The alert as the store now has it.
    static func alert(_ record: AlertRecord, eventID: Int64? = nil) -> Alert? {
        guard var alert = try? Alert.decode(record.latest.payload).message else { return nil }
        alert.revision = UInt32(clamping: record.revision)
        alert.disposition = disposition(record.disposition)
        alert.acknowledgedBy = record.acknowledgedBy
        alert.verdict = Verdict(rawValue: record.verdict.rawValue)
        alert.trueLabel = record.trueLabel
        if let endedUs = record.latest.endedUs, alert.state != .ended {
            alert.state = .ended
            alert.updatedUnixUs = UInt64(clamping: endedUs)
            if alert.message.isEmpty { alert.message = record.latest.endReason }
        }
        if let eventID { alert.eventId = UInt64(clamping: eventID) }
        return alert
    }

    /// One event of the log as it is sent.
    static func alert(_ event: DurableEvent) -> Alert? {
        guard event.kind == .alert, var alert = try? Alert.decode(event.payload).message else { return nil }
        alert.eventId = UInt64(clamping: event.eventID)
        alert.revision = UInt32(clamping: event.revision)
        if let known = event.disposition { alert.disposition = disposition(known) }
        return alert
    }

    /// Payload of an event that the store itself makes (a receipt, an end after a crash).
    static let announcement: AlertAnnouncement = { record in
        StoreMapping.alert(record)?.serialized() ?? record.latest.payload
    }

    static func disposition(_ value: AlertDisposition) -> Disposition {
        switch value {
        case .open: .open
        case .acknowledged: .acknowledged
        case .resolved: .resolved
        case .exhausted: .exhausted
        }
    }

    static func receiptKind(_ kind: ReceiptKind) -> StoredReceiptKind? {
        switch kind {
        case .received: .received
        case .presented: .presented
        case .ackedByHuman: .acknowledgedByHuman
        case .resolved: .resolved
        case .unspecified, .unrecognized: nil
        }
    }

    static func wire(_ receipt: ReceiptRecord) -> Receipt {
        Receipt(
            deviceId: receipt.deviceID, kind: ReceiptKind(rawValue: receipt.kind.rawValue),
            unixUs: UInt64(clamping: receipt.receivedUs), note: receipt.note)
    }

    static func record(_ feedback: AlertFeedback) -> FeedbackRecord {
        FeedbackRecord(
            deviceID: feedback.deviceId, isCorrect: feedback.correct, trueLabel: feedback.trueLabel,
            receivedUs: Int64(clamping: feedback.unixUs))
    }

    static func wire(_ feedback: FeedbackRecord, alertID: String) -> AlertFeedback {
        AlertFeedback(
            alertId: alertID, correct: feedback.isCorrect, trueLabel: feedback.trueLabel,
            deviceId: feedback.deviceID, unixUs: UInt64(clamping: feedback.receivedUs))
    }

    static func record(_ drill: DrillResult) -> DrillRecord {
        DrillRecord(
            room: drill.room, isPassed: drill.isPassed, finishedUs: Int64(clamping: drill.unixUs),
            latencyMs: Int64(drill.latencyMs), heardMs: Int64(drill.heardMs), alertID: drill.alertID,
            deviceName: drill.deviceName, startedBy: drill.startedBy)
    }

    static func drillRoom(_ stored: DrillRoomRecord) -> DrillRoom {
        let passedUnixUs = stored.lastPassedUs.map { UInt64(clamping: $0) }
        let firstUnixUs = stored.firstDay.map {
            UInt64(clamping: $0.multipliedReportingOverflow(by: dayUs).0)
        }
        let failedUnixUs = stored.lastFailedUs.map { UInt64(clamping: $0) }
        return DrillRoom(
            room: stored.room, firstHeardUnixUs: firstUnixUs ?? passedUnixUs ?? failedUnixUs ?? 0,
            lastPassedUnixUs: passedUnixUs, lastFailedUnixUs: failedUnixUs)
    }

    private static var dayUs: Int64 { 86_400_000_000 }

    static func record(_ heard: HeardTime) -> HeardRecord {
        HeardRecord(
            room: heard.room, day: Int64(clamping: heard.day), seconds: Int64(clamping: heard.seconds))
    }

    static func wire(_ tally: FeedbackTally) -> AlertRate {
        AlertRate(
            room: tally.room, label: tally.label, alerts: UInt32(clamping: tally.alerts),
            right: UInt32(clamping: tally.right), wrong: UInt32(clamping: tally.wrong),
            heardS: tally.heardSeconds, wrongPerHour: tally.wrongPerHour() ?? 0)
    }

    static func wire(_ device: DeviceRecord, isOnline: Bool) -> Device {
        Device(
            deviceId: device.deviceID, name: device.name, room: device.room,
            role: Role(rawValue: device.role),
            online: isOnline, lastSeenUnixUs: UInt64(clamping: device.lastSeenUs), batteryPercent: 101,
            revoked: device.revokedUs != nil)
    }

    static func wire(_ settings: StoredSettings) -> SettingsState {
        SettingsState(
            revision: UInt64(clamping: settings.revision),
            settings: settings.settings.compactMap { record in
                record.value.flatMap { value in
                    Setting(
                        key: record.key, value: try? SettingValue.decode(value).message,
                        revision: UInt64(clamping: record.revision),
                        changedUnixUs: UInt64(clamping: record.changedUs), changedByDevice: record.changedBy)
                }
            }, conflictingKeys: settings.conflictingKeys,
            keyRevisions: Dictionary(
                settings.settings.map { ($0.key, UInt64(clamping: $0.revision)) }, uniquingKeysWith: max))
    }

    /// A store's refusal in the words of the wire.
    static func problem(_ error: StorageError, field: String) -> FieldProblem {
        switch error {
        case .notFound(let kind):
            FieldProblem(.notFound, field: field, expected: "a known \(kind.rawValue)", got: "an unknown one")
        case .invalid(let name, let expected, let got):
            FieldProblem(field: "\(field).\(name)", expected: expected, got: got)
        case .pairingRefused(let reason):
            FieldProblem(
                .unauthenticated, field: "hello.pairing_code", expected: "an unused code of this server",
                got: "a code that is \(reason.rawValue)", isFatal: true)
        case .queueFull(let limit):
            FieldProblem(
                .unavailable, field: field, expected: "room in the store", got: "\(limit) requests waiting",
                retryAfterMs: 1000)
        case .alreadyExists(let kind):
            FieldProblem(field: field, expected: "a new \(kind.rawValue)", got: "one that exists")
        case .sqlite, .cannotOpen, .damaged, .notAStore, .newerSchema, .inUse, .closed:
            // What exactly failed is for the log, not for a device.
            FieldProblem(.internal, field: field, expected: "a working store", got: "a fault of the store")
        }
    }
}
