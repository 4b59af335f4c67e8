extension Connection {
    private static let settingColumns = "key, value, revision, changed_us, changed_by"

    /// Settings that changed after `revision`; from 0 on, removed ones are left out.
    func settings(of profileID: String, since revision: Int64) throws(StorageError) -> StoredSettings {
        let profile = try profile(profileID)
        let settings = try rows(
            """
            SELECT \(Self.settingColumns) FROM settings
            WHERE profile_id = ?1 AND revision > ?2 AND (?2 > 0 OR value IS NOT NULL) ORDER BY key
            """, .text(profileID), .integer(revision), read: Self.readSetting)
        return StoredSettings(revision: profile.settingsRevision, settings: settings)
    }

    /// Applies the keys that did not change since the patch's base; the others are named as conflicts.
    func apply(_ edit: SettingsEdit, limits: StorageLimits) throws(StorageError) -> StoredSettings {
        let profile = try profile(edit.profileID)
        guard (0...profile.settingsRevision).contains(edit.baseRevision) else {
            throw .invalid(
                field: "base_revision", expected: "0…\(profile.settingsRevision)", got: "\(edit.baseRevision)"
            )
        }
        let revision = profile.settingsRevision + 1
        var conflicts: [String] = []
        var hasNewKey = false
        for change in edit.changes {
            let known = try setting(edit.profileID, change.key)
            if let known, known.revision > edit.baseRevision, known.value != change.value {
                conflicts.append(change.key)
            } else {
                hasNewKey = hasNewKey || known == nil
                try write(change, of: edit, revision: revision)
            }
        }
        let isChanged = conflicts.count < edit.changes.count
        if isChanged {
            try run(
                "UPDATE profiles SET settings_revision = ? WHERE profile_id = ?", .integer(revision),
                .text(edit.profileID))
            if hasNewKey { try checkCount(edit.profileID, limits) }
        }
        var settings: [SettingRecord] = []
        for change in edit.changes {
            if let current = try setting(edit.profileID, change.key) { settings.append(current) }
        }
        return StoredSettings(
            revision: isChanged ? revision : profile.settingsRevision, settings: settings,
            conflictingKeys: conflicts)
    }

    private func setting(_ profileID: String, _ key: String) throws(StorageError) -> SettingRecord? {
        try first(
            "SELECT \(Self.settingColumns) FROM settings WHERE profile_id = ? AND key = ?", .text(profileID),
            .text(key), read: Self.readSetting)
    }

    private func write(
        _ change: SettingsEdit.Change, of edit: SettingsEdit, revision: Int64
    ) throws(StorageError) {
        try run(
            """
            INSERT INTO settings (profile_id, key, value, revision, changed_us, changed_by)
            VALUES (?, ?, ?, ?, ?, ?)
            ON CONFLICT DO UPDATE SET value = excluded.value, revision = excluded.revision,
            changed_us = excluded.changed_us, changed_by = excluded.changed_by
            """, .text(edit.profileID), .text(change.key), .optional(change.value), .integer(revision),
            .integer(edit.nowUs), .text(edit.deviceID))
    }

    /// Removed keys count too: their rows stay.
    private func checkCount(_ profileID: String, _ limits: StorageLimits) throws(StorageError) {
        let count = try first("SELECT count(*) FROM settings WHERE profile_id = ?", .text(profileID)) {
            $0.int64(0)
        }
        guard (count ?? 0) <= limits.maxSettingsPerProfile else {
            throw .invalid(
                field: "settings", expected: "at most \(limits.maxSettingsPerProfile) keys",
                got: "\(count ?? 0)")
        }
    }

    private static func readSetting(_ row: borrowing Row) -> SettingRecord {
        SettingRecord(
            key: row.text(0), value: row.optionalBlob(1), revision: row.int64(2), changedUs: row.int64(3),
            changedBy: row.text(4))
    }
}
