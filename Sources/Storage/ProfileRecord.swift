/// One person.
public struct ProfileRecord: Sendable, Equatable {
    /// Chosen by the caller; at most `StorageLimits.maxIDBytes`.
    public var profileID: String
    /// As the person writes it.
    public var displayName: String
    /// BCP 47 tag, or empty.
    public var language: String
    /// Unix microseconds.
    public var createdUs: Int64
    /// Grows by one with each stored settings patch.
    public var settingsRevision: Int64
    /// Highest durable event; events of a profile are numbered 1, 2, 3, … without gaps.
    public var lastEventID: Int64

    /// A profile as the store returns it; a new one has revision and event id 0.
    public init(
        profileID: String, displayName: String, language: String = "", createdUs: Int64,
        settingsRevision: Int64 = 0, lastEventID: Int64 = 0
    ) {
        self.profileID = profileID
        self.displayName = displayName
        self.language = language
        self.createdUs = createdUs
        self.settingsRevision = settingsRevision
        self.lastEventID = lastEventID
    }
}
