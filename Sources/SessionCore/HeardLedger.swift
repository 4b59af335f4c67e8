/// Time that sound of a room reached the detectors on one day.
public struct HeardTime: Sendable, Equatable {
    /// Where.
    public var room: String
    /// Days since 1970-01-01 UTC.
    public var day: UInt64
    /// How long.
    public var seconds: UInt64

    /// Some time of one room.
    public init(room: String, day: UInt64, seconds: UInt64) {
        self.room = room
        self.day = day
        self.seconds = seconds
    }
}

/// Counts how long each room is heard, so that false alarms can be told an hour and an untested alarm a month.
///
/// Lengths come from the monotonic clock; the wall clock only says on which day they are counted, and a stretch over
/// midnight (`flushUs` at most) counts for the day of its end. Pure counting: the owner stores what `take` returns.
struct HeardLedger: Sendable {
    /// How much a crash may lose. A row a room each five minutes costs the store nothing.
    static let flushUs: UInt64 = 300 * .secondUs
    /// Microseconds in a day.
    static let dayUs: UInt64 = 86_400 * .secondUs

    private struct Key: Hashable {
        var room: String
        var day: UInt64
    }

    /// Heard since `sinceUs`.
    private(set) var rooms: Set<String> = []
    private var sinceUs: UInt64 = 0
    private var pendingUs: [Key: UInt64] = [:]
    /// When to take what was counted; nil = nothing is counted.
    private(set) var dueUs: UInt64?

    /// Counts what was heard until now; from now on `rooms` are.
    mutating func advance(to rooms: Set<String>, at now: Now) {
        let passedUs = now.serverUs.since(sinceUs)
        for room in self.rooms {
            pendingUs[Key(room: room, day: now.unixUs / Self.dayUs), default: 0] += passedUs
        }
        self.rooms = rooms
        sinceUs = now.serverUs
        if dueUs == nil, !rooms.isEmpty { dueUs = now.serverUs + Self.flushUs }
    }

    /// What was counted and not taken before, by whole seconds, sorted; the rest of a second is kept while the room is
    /// heard on.
    mutating func take(at now: Now) -> [HeardTime] {
        advance(to: rooms, at: now)
        let counted = pendingUs
        pendingUs = [:]
        for room in rooms {
            let key = Key(room: room, day: now.unixUs / Self.dayUs)
            if let us = counted[key] { pendingUs[key] = us % .secondUs }
        }
        dueUs = rooms.isEmpty ? nil : now.serverUs + Self.flushUs
        return counted.filter { $0.value >= .secondUs }.map { key, us in
            HeardTime(room: key.room, day: key.day, seconds: us / .secondUs)
        }.sorted { ($0.room, $0.day) < ($1.room, $1.day) }
    }
}
