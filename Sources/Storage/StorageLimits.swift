/// Every bound of the store, with its reason. `Storage` never queues, stores or returns more than this.
public struct StorageLimits: Sendable, Equatable {
    /// Requests that wait for the writer; at about 20,000 writes a second this is a fifth of a second of work.
    public var maxQueuedWrites = 4_096
    /// Requests that wait for the reader.
    public var maxQueuedReads = 1_024
    /// Bytes of payload that wait for the writer, so that a stalled disk costs memory once, not per session.
    public var maxQueuedBytes = 16 << 20
    /// Requests that share one commit; keeps the latency of the first of them bounded.
    public var maxRequestsPerCommit = 512
    /// How long SQLite waits for a lock held by another process, such as a backup tool.
    public var busyTimeoutMs = 5_000
    /// Size at which writes fail with `SQLITE_FULL`, so that the store cannot fill the machine's disk.
    public var maxStoreBytes = 8 << 30
    /// Size to which the write-ahead log is cut back after a checkpoint.
    public var maxIdleLogBytes = 4 << 20
    /// Findings of the integrity check that an error carries; one is enough to refuse, a few help to judge.
    public var maxCheckFindings = 4

    /// Ids of profiles, devices and alerts; ids are ours and far shorter.
    public var maxIDBytes = 128
    /// Names, labels, rooms, languages and reasons.
    public var maxTextBytes = 256
    /// One stored event or haptic pattern; equals the frame limit of the protocol.
    public var maxPayloadBytes = 65_536
    /// Token and pairing code hashes are SHA-256.
    public var hashBytes = 32

    /// Devices of one profile that are not revoked.
    public var maxDevicesPerProfile = 256
    /// Unused pairing codes of one profile that devices asked for, so that guessing stays hopeless. The start code,
    /// of which there is one, is not among them.
    public var maxOpenPairingCodes = 16
    /// Receipts of one alert: 256 devices would be 4 each; a flooding device is refused.
    public var maxReceiptsPerAlert = 1_024
    /// Keys of one profile.
    public var maxSettingsPerProfile = 1_024
    /// Changed and removed keys in one patch.
    public var maxSettingsPerPatch = 256
    /// Value of one setting.
    public var maxSettingValueBytes = 16_384

    /// Events one read returns; the caller asks again from the last one.
    public var maxEventsPerRead = 1_000
    /// Alerts one read of open alerts returns, most urgent and newest first.
    public var maxOpenAlertsPerRead = 1_000
    /// Entries of one page of history, and the size if none is asked for.
    public var maxPageSize = 200
    /// Page size when the query says 0.
    public var defaultPageSize = 50

    /// Rooms with their labels that one read of tallies returns, most often wrong first.
    public var maxTalliesPerRead = 200

    /// Days an event stays for devices that were away.
    public var eventRetentionDays = 30
    /// Events of one profile that stay, whatever their age.
    public var maxEventsPerProfile = 100_000
    /// Days an answered alert stays in the history. Unanswered alerts stay until somebody answers.
    public var alertRetentionDays = 400
    /// Rows one retention pass deletes before it lets alerts through.
    public var maxDeletesPerPass = 2_000

    /// The defaults above.
    public init() {}
}
