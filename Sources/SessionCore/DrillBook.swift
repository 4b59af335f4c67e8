/// What is known of the tests of one room.
public struct DrillRoom: Sendable, Equatable {
    /// Where.
    public var room: String
    /// Wall-clock microseconds at which it was first heard.
    public var firstHeardUnixUs: UInt64
    /// The last passed drill; nil = none.
    public var lastPassedUnixUs: UInt64?
    /// The last failed drill; nil = none.
    public var lastFailedUnixUs: UInt64?

    /// One room.
    public init(
        room: String, firstHeardUnixUs: UInt64, lastPassedUnixUs: UInt64? = nil,
        lastFailedUnixUs: UInt64? = nil
    ) {
        self.room = room
        self.firstHeardUnixUs = firstHeardUnixUs
        self.lastPassedUnixUs = lastPassedUnixUs
        self.lastFailedUnixUs = lastFailedUnixUs
    }

    /// The last drill of any result, and whether it was passed; nil = none.
    public var last: (unixUs: UInt64, isPassed: Bool)? {
        guard let latest = [lastPassedUnixUs, lastFailedUnixUs].compactMap(\.self).max() else { return nil }
        return (latest, latest == lastPassedUnixUs)
    }
}

/// When each room was last tested, and which tests are overdue. At most `DrillLimits.maxRooms`.
///
/// Wall-clock time, since it counts days over restarts: a clock that was set back makes nothing overdue.
public struct DrillBook: Sendable, Equatable {
    private struct Entry: Equatable {
        var room: DrillRoom
        /// This period was announced: once is enough, however long it lasts.
        var isAnnounced = false
    }

    private var entries: [String: Entry] = [:]
    private let limits: DrillLimits

    /// Takes up what the store knows.
    public init(_ rooms: [DrillRoom] = [], limits: DrillLimits = DrillLimits()) {
        self.limits = limits
        for room in rooms.prefix(limits.maxRooms) where !room.room.isEmpty {
            entries[room.room] = Entry(room: room)
        }
    }

    /// A room is heard; the first time counts. One without a name cannot be asked for, and is not kept.
    public mutating func heard(_ room: String, at now: Now) {
        guard !room.isEmpty, entries[room] == nil, entries.count < limits.maxRooms else { return }
        entries[room] = Entry(room: DrillRoom(room: room, firstHeardUnixUs: now.unixUs))
    }

    /// What is known of each room, sorted.
    public var rooms: [DrillRoom] { entries.values.map(\.room).sorted { $0.room < $1.room } }

    /// A drill was passed: a new period begins.
    public mutating func passed(_ room: String, unixUs: UInt64) {
        var known = entries[room]?.room ?? DrillRoom(room: room, firstHeardUnixUs: unixUs)
        known.lastPassedUnixUs = unixUs
        entries[room] = Entry(room: known)
    }

    /// A drill failed: the period goes on.
    public mutating func failed(_ room: String, unixUs: UInt64) {
        entries[room, default: Entry(room: DrillRoom(room: room, firstHeardUnixUs: unixUs))]
            .room.lastFailedUnixUs = unixUs
    }

    /// The room's period was announced as overdue.
    public mutating func announced(_ room: String) { entries[room]?.isAnnounced = true }

    /// When the room is overdue, in wall-clock microseconds; nil for one that was never heard.
    public func overdueUnixUs(_ room: String) -> UInt64? {
        guard let known = entries[room]?.room else { return nil }
        return max(known.firstHeardUnixUs, known.lastPassedUnixUs ?? 0) + limits.overdueUs
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
