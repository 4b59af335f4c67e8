/// One setting of a profile. A removed one keeps its row, so that late patches still conflict with it.
public struct SettingRecord: Sendable, Equatable {
    /// Dotted lower-case name.
    public var key: String
    /// The typed value as its encoder wrote it; nil: removed.
    public var value: [UInt8]?
    /// Settings revision of the profile at which the key last changed.
    public var revision: Int64
    /// Unix microseconds.
    public var changedUs: Int64
    /// Device that changed it, or empty.
    public var changedBy: String

    /// All fields.
    public init(key: String, value: [UInt8]?, revision: Int64, changedUs: Int64, changedBy: String) {
        self.key = key
        self.value = value
        self.revision = revision
        self.changedUs = changedUs
        self.changedBy = changedBy
    }
}

/// Changes that a device made while it knew the settings at `baseRevision`.
public struct SettingsEdit: Sendable, Equatable {
    /// One key; a nil value removes it.
    public struct Change: Sendable, Equatable {
        /// Dotted lower-case name.
        public var key: String
        /// New value, or nil.
        public var value: [UInt8]?

        /// A change of one key.
        public init(key: String, value: [UInt8]?) {
            self.key = key
            self.value = value
        }
    }

    /// Whose settings.
    public var profileID: String
    /// Settings revision the device last saw. A key that changed since then conflicts and stays as it is.
    public var baseRevision: Int64
    /// Each key at most once.
    public var changes: [Change]
    /// Device that asks, or empty.
    public var deviceID: String
    /// Unix microseconds.
    public var nowUs: Int64

    /// All fields.
    public init(profileID: String, baseRevision: Int64, changes: [Change], deviceID: String, nowUs: Int64) {
        self.profileID = profileID
        self.baseRevision = baseRevision
        self.changes = changes
        self.deviceID = deviceID
        self.nowUs = nowUs
    }
}

/// Settings of a profile, or what became of a patch.
public struct StoredSettings: Sendable, Equatable {
    /// Settings revision of the profile now.
    public var revision: Int64
    /// Current state of the keys asked for; removed ones have a nil value.
    public var settings: [SettingRecord]
    /// Keys of the patch that were not applied because they changed in between.
    public var conflictingKeys: [String]

    /// All fields.
    public init(revision: Int64, settings: [SettingRecord], conflictingKeys: [String] = []) {
        self.revision = revision
        self.settings = settings
        self.conflictingKeys = conflictingKeys
    }
}
