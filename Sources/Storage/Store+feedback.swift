extension Store {
    /// See `RecordStore`.
    public func addFeedback(
        _ feedback: FeedbackRecord, alertID: String, profileID: String, announce: @escaping AlertAnnouncement,
        completion: @escaping StorageCompletion<ReceiptOutcome>
    ) {
        write(
            bytes: feedback.trueLabel.utf8.count,
            check: { () throws(StorageError) in
                try limits.checkID(alertID, "alert_id")
                try limits.checkText(feedback.deviceID, "device_id")
                try limits.checkText(feedback.trueLabel, "true_label")
            }, completion: completion
        ) { connection throws(StorageError) in
            try connection.add(feedback, to: alertID, of: profileID, announce: announce)
        }
    }

    /// See `RecordStore`.
    public func addHeard(
        _ heard: [HeardRecord], profileID: String, completion: @escaping StorageCompletion<Void>
    ) {
        write(
            check: { () throws(StorageError) in
                for record in heard {
                    try limits.checkText(record.room, "room")
                    guard (0...86_400 * 366).contains(record.seconds) else {
                        throw .invalid(field: "seconds", expected: "0…a year", got: "\(record.seconds)")
                    }
                }
            }, completion: completion
        ) { connection throws(StorageError) in try connection.add(heard, of: profileID) }
    }

    /// See `RecordStore`.
    public func alertTallies(
        profileID: String, kind: Int32, fromUs: Int64, completion: @escaping StorageCompletion<AlertTallies>
    ) {
        read(completion: completion) { [limits] connection throws(StorageError) in
            try connection.alertTallies(
                of: profileID, kind: kind, fromUs: fromUs, limit: limits.maxTalliesPerRead)
        }
    }
}
