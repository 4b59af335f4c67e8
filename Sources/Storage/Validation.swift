/// Checks of values before they reach a queue; the errors name the field and the range, never the value.
extension StorageLimits {
    func checkID(_ value: String, _ field: String) throws(StorageError) {
        guard (1...maxIDBytes).contains(value.utf8.count) else {
            throw .invalid(field: field, expected: "1…\(maxIDBytes) bytes", got: "\(value.utf8.count) bytes")
        }
        try checkNoNUL(value, field)
    }

    func checkText(_ value: String, _ field: String) throws(StorageError) {
        try check(value.utf8.count, atMost: maxTextBytes, field)
        try checkNoNUL(value, field)
    }

    /// SQL functions stop reading a text at NUL, so that such a text would compare in surprising ways.
    private func checkNoNUL(_ value: String, _ field: String) throws(StorageError) {
        if value.utf8.contains(0) { throw .invalid(field: field, expected: "text without NUL", got: "NUL") }
    }

    func checkPayload(_ value: [UInt8], _ field: String) throws(StorageError) {
        try check(value.count, atMost: maxPayloadBytes, field)
    }

    func checkHash(_ value: [UInt8], _ field: String) throws(StorageError) {
        guard value.count == hashBytes else {
            throw .invalid(field: field, expected: "\(hashBytes) bytes", got: "\(value.count) bytes")
        }
    }

    func check(_ update: AlertUpdate) throws(StorageError) {
        try checkID(update.alertID, "alert_id")
        try checkID(update.profileID, "profile_id")
        try checkText(update.deviceID, "device_id")
        try checkText(update.room, "room")
        try checkText(update.label, "label")
        try checkText(update.endReason, "end_reason")
        try checkPayload(update.haptic, "haptic")
        try checkPayload(update.payload, "payload")
        guard (0...1).contains(update.confidence) else {
            throw .invalid(field: "confidence", expected: "0…1", got: "\(update.confidence)")
        }
        if let endedUs = update.endedUs, endedUs < update.startedUs {
            throw .invalid(field: "ended_us", expected: "at or after started_us", got: "before it")
        }
    }

    func check(_ patch: SettingsEdit) throws(StorageError) {
        try checkID(patch.profileID, "profile_id")
        try checkText(patch.deviceID, "device_id")
        guard (1...maxSettingsPerPatch).contains(patch.changes.count) else {
            throw .invalid(
                field: "settings", expected: "1…\(maxSettingsPerPatch) keys", got: "\(patch.changes.count)")
        }
        for change in patch.changes {
            try checkID(change.key, "key")
            try check(change.value?.count ?? 0, atMost: maxSettingValueBytes, "value")
        }
        guard Set(patch.changes.map(\.key)).count == patch.changes.count else {
            throw .invalid(field: "settings", expected: "each key once", got: "a key twice")
        }
    }

    private func check(_ count: Int, atMost limit: Int, _ field: String) throws(StorageError) {
        guard count <= limit else {
            throw .invalid(field: field, expected: "at most \(limit) bytes", got: "\(count) bytes")
        }
    }
}
