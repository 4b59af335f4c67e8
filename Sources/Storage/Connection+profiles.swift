extension Connection {
    private static let profileColumns =
        "profile_id, display_name, language, created_us, settings_revision, last_event_id"

    /// Returns the profile as stored; `profile`'s own fields count only if it is new.
    func openOrCreate(_ profile: ProfileRecord) throws(StorageError) -> ProfileRecord {
        try run(
            """
            INSERT INTO profiles (profile_id, display_name, language, created_us) VALUES (?, ?, ?, ?)
            ON CONFLICT DO NOTHING
            """, .text(profile.profileID), .text(profile.displayName), .text(profile.language),
            .integer(profile.createdUs))
        return try self.profile(profile.profileID)
    }

    func profile(_ profileID: String) throws(StorageError) -> ProfileRecord {
        let found = try first(
            "SELECT \(Self.profileColumns) FROM profiles WHERE profile_id = ?", .text(profileID),
            read: Self.readProfile)
        guard let found else { throw .notFound(.profile) }
        return found
    }

    func profiles() throws(StorageError) -> [ProfileRecord] {
        try rows(
            "SELECT \(Self.profileColumns) FROM profiles ORDER BY created_us, profile_id",
            read: Self.readProfile)
    }

    private static func readProfile(_ row: borrowing Row) -> ProfileRecord {
        ProfileRecord(
            profileID: row.text(0), displayName: row.text(1), language: row.text(2), createdUs: row.int64(3),
            settingsRevision: row.int64(4), lastEventID: row.int64(5))
    }
}
