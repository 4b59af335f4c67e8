/// A question about past alerts, answered newest first.
public struct HistoryFilter: Sendable, Equatable {
    /// Whose alerts.
    public var profileID: String
    /// Exact label, or nil for any.
    public var label: String?
    /// `AlertKind`, or nil for any.
    public var kind: Int32?
    /// Alerts that started at or after this moment, Unix microseconds.
    public var fromUs: Int64
    /// Alerts that started before this moment.
    public var toUs: Int64
    /// 1 … `StorageLimits.maxPageSize`; 0 for the default. Larger sizes are cut.
    public var pageSize: Int
    /// Token of the page before, or empty for the first.
    public var pageToken: String

    /// All alerts of a profile unless narrowed.
    public init(
        profileID: String, label: String? = nil, kind: Int32? = nil, fromUs: Int64 = 0,
        toUs: Int64 = .max, pageSize: Int = 0, pageToken: String = ""
    ) {
        self.profileID = profileID
        self.label = label
        self.kind = kind
        self.fromUs = fromUs
        self.toUs = toUs
        self.pageSize = pageSize
        self.pageToken = pageToken
    }
}

/// An alert with everything devices reported about it, oldest receipt first.
public struct HistoryRecord: Sendable, Equatable {
    /// The episode.
    public var alert: AlertRecord
    /// Its receipts.
    public var receipts: [ReceiptRecord]
    /// What devices said of it, oldest first.
    public var feedback: [FeedbackRecord]

    /// All fields.
    public init(alert: AlertRecord, receipts: [ReceiptRecord], feedback: [FeedbackRecord] = []) {
        self.alert = alert
        self.receipts = receipts
        self.feedback = feedback
    }
}

/// One page of history.
public struct HistoryRecordPage: Sendable, Equatable {
    /// Newest first.
    public var entries: [HistoryRecord]
    /// Asks for the next page; empty: this was the last.
    public var nextPageToken: String

    /// All fields.
    public init(entries: [HistoryRecord], nextPageToken: String) {
        self.entries = entries
        self.nextPageToken = nextPageToken
    }
}

/// The last alert of a page: paging continues behind it, whatever was added in between.
struct HistoryCursor: Equatable {
    let startedUs: Int64
    let alertID: String

    init(startedUs: Int64, alertID: String) {
        self.startedUs = startedUs
        self.alertID = alertID
    }

    /// Reads a token.
    ///
    /// - Throws: `invalid` for anything `token` did not make.
    init(token: String, limits: StorageLimits) throws(StorageError) {
        guard let colon = token.firstIndex(of: ":"), let startedUs = Int64(token[..<colon]),
            token[..<colon] == String(startedUs)
        else { throw .invalid(field: "page_token", expected: "a token of this server", got: "another text") }
        let alertID = String(token[token.index(after: colon)...])
        guard !alertID.isEmpty, alertID.utf8.count <= limits.maxIDBytes else {
            throw .invalid(field: "page_token", expected: "a token of this server", got: "another text")
        }
        self.init(startedUs: startedUs, alertID: alertID)
    }

    var token: String { "\(startedUs):\(alertID)" }
}
