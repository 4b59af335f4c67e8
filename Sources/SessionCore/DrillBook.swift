/// What is known of the tests of one room.
public struct DrillRoom: Sendable, Equatable {
    /// Where.
    public var room: String
    /// Wall-clock microseconds at which it was first heard.
    public var firstHeardUnixUs: UInt64
    /// The last passed drill; nil = none.
    public var lastPassedUnixUs: UInt64?

    /// One room.
    public init(room: String, firstHeardUnixUs: UInt64, lastPassedUnixUs: UInt64? = nil) {
        self.room = room
        self.firstHeardUnixUs = firstHeardUnixUs
        self.lastPassedUnixUs = lastPassedUnixUs
    }
}

/// When each room was last tested, and which tests are overdue. At most `DrillLimits.maxRooms`.
///
/// Wall-clock time, since it counts days over restarts: a clock that was set back makes nothing overdue.
public struct DrillBook: Sendable, Equatable {
    private struct Entry: Equatable {
        var firstHeardUnixUs: UInt64
        var lastPassedUnixUs: UInt64?
        /// This period was announced: once is enough, however long it lasts.
        var isAnnounced = false
    }

    private var entries: [String: Entry] = [:]
    private let limits: DrillLimits

    /// Takes up what the store knows.
    public init(_ rooms: [DrillRoom] = [], limits: DrillLimits = DrillLimits()) {
        self.limits = limits
        for room in rooms.prefix(limits.maxRooms) where !room.room.isEmpty {
            entries[room.room] = Entry(
                firstHeardUnixUs: room.firstHeardUnixUs, lastPassedUnixUs: room.lastPassedUnixUs)
        }
    }

    /// A room is heard; the first time counts. One without a name cannot be asked for, and is not kept.
    public mutating func heard(_ room: String, at now: Now) {
        guard !room.isEmpty, entries[room] == nil, entries.count < limits.maxRooms else { return }
        entries[room] = Entry(firstHeardUnixUs: now.unixUs)
    }

    /// A drill was passed: a new period begins.
    public mutating func passed(_ room: String, unixUs: UInt64) {
        let first = entries[room]?.firstHeardUnixUs ?? unixUs
        entries[room] = Entry(firstHeardUnixUs: first, lastPassedUnixUs: unixUs)
    }

    /// The room's period was announced as overdue.
    public mutating func announced(_ room: String) { entries[room]?.isAnnounced = true }

    /// When the room is overdue, in wall-clock microseconds; nil for one that was never heard.
    public func overdueUnixUs(_ room: String) -> UInt64? {
        guard let entry = entries[room] else { return nil }
        return max(entry.firstHeardUnixUs, entry.lastPassedUnixUs ?? 0) + limits.overdueUs
    }

    /// Rooms of these that are overdue and not announced, sorted.
    public func overdue(among rooms: Set<String>, at now: Now) -> [String] {
        rooms.filter { room in
            guard let dueUnixUs = overdueUnixUs(room), entries[room]?.isAnnounced == false else {
                return false
            }
            return dueUnixUs <= now.unixUs
        }.sorted()
    }

    /// When to look again, in server time; nil where no room can become overdue.
    public func nextCheckUs(among rooms: Set<String>, at now: Now) -> UInt64? {
        let waits = rooms.compactMap { room -> UInt64? in
            guard let dueUnixUs = overdueUnixUs(room), entries[room]?.isAnnounced == false else { return nil }
            return min(dueUnixUs.since(now.unixUs), limits.checkUs)
        }
        return waits.min().map { now.serverUs + $0 }
    }
}
