extension Store {
    /// See `RecordStore`.
    public func appendAlertEvents(
        _ updates: [AlertUpdate], completion: @escaping StorageCompletion<[AnnouncedAlert]>
    ) {
        write(
            bytes: updates.reduce(0) { $0 + $1.payload.count + $1.haptic.count },
            check: { () throws(StorageError) in for update in updates { try limits.check(update) } },
            completion: completion
        ) { connection throws(StorageError) in
            var announced: [AnnouncedAlert] = []
            for update in updates { announced.append(try connection.append(update)) }
            return announced
        }
    }

    /// See `RecordStore`.
    public func appendEvent(
        kind: DurableEventKind, subjectID: String, payload: [UInt8], profileID: String, nowUs: Int64,
        completion: @escaping StorageCompletion<Int64>
    ) {
        write(
            bytes: payload.count,
            check: { () throws(StorageError) in
                try limits.checkText(subjectID, "subject_id")
                try limits.checkPayload(payload, "payload")
            }, completion: completion
        ) { connection throws(StorageError) in
            try connection.append(
                kind: kind, subjectID: subjectID, revision: 0, disposition: nil, payload: payload,
                to: profileID, nowUs: nowUs)
        }
    }

    /// See `RecordStore`.
    public func eventsAfter(
        _ eventID: Int64, profileID: String, limit: Int,
        completion: @escaping StorageCompletion<[DurableEvent]>
    ) {
        let count = min(max(limit, 0), limits.maxEventsPerRead)
        read(completion: completion) { connection throws(StorageError) in
            try connection.events(of: profileID, after: eventID, limit: count)
        }
    }

    /// See `RecordStore`.
    public func eventRange(profileID: String, completion: @escaping StorageCompletion<EventRange>) {
        read(completion: completion) { connection throws(StorageError) in
            try connection.eventRange(of: profileID)
        }
    }

    /// See `RecordStore`.
    public func ackEvents(
        upTo eventID: Int64, deviceID: String, completion: @escaping StorageCompletion<Int64>
    ) {
        write(completion: completion) { connection throws(StorageError) in
            try connection.acknowledge(deviceID, upTo: eventID)
        }
    }

    /// See `RecordStore`.
    public func addReceipt(
        _ receipt: ReceiptRecord, alertID: String, profileID: String, announce: @escaping AlertAnnouncement,
        completion: @escaping StorageCompletion<ReceiptOutcome>
    ) {
        write(
            bytes: receipt.note.utf8.count,
            check: { () throws(StorageError) in
                try limits.checkID(alertID, "alert_id")
                try limits.checkText(receipt.deviceID, "device_id")
                try limits.checkText(receipt.note, "note")
            }, completion: completion
        ) { [limits] connection throws(StorageError) in
            try connection.add(receipt, to: alertID, of: profileID, limits: limits, announce: announce)
        }
    }

    /// See `RecordStore`.
    public func markExhausted(
        alertID: String, profileID: String, nowUs: Int64, announce: @escaping AlertAnnouncement,
        completion: @escaping StorageCompletion<ReceiptOutcome>
    ) {
        write(completion: completion) { connection throws(StorageError) in
            try connection.markExhausted(alertID, of: profileID, nowUs: nowUs, announce: announce)
        }
    }

    /// See `RecordStore`.
    public func closeOrphans(
        except kinds: Set<Int32>, reason: String, nowUs: Int64, announce: @escaping AlertAnnouncement,
        completion: @escaping StorageCompletion<[AnnouncedAlert]>
    ) {
        write(
            check: { () throws(StorageError) in try limits.checkText(reason, "reason") },
            completion: completion
        ) { connection throws(StorageError) in
            try connection.closeOrphans(except: kinds, reason: reason, nowUs: nowUs, announce: announce)
        }
    }

    /// See `RecordStore`.
    public func openAlerts(profileID: String, completion: @escaping StorageCompletion<[AlertRecord]>) {
        read(completion: completion) { [limits] connection throws(StorageError) in
            try connection.openAlerts(of: profileID, limit: limits.maxOpenAlertsPerRead)
        }
    }

    /// See `RecordStore`.
    public func alert(
        alertID: String, profileID: String, completion: @escaping StorageCompletion<AlertRecord?>
    ) {
        read(completion: completion) { connection throws(StorageError) in
            try connection.alert(alertID, of: profileID)
        }
    }

    /// See `RecordStore`.
    public func history(
        _ filter: HistoryFilter, completion: @escaping StorageCompletion<HistoryRecordPage>
    ) {
        read(completion: completion) { [limits] connection throws(StorageError) in
            try connection.history(filter, limits: limits)
        }
    }
}
