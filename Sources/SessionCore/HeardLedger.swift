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

    /// Rooms that are heard, and since when, or since they were last settled.
    private var sinceUs: [String: UInt64] = [:]
    private var pendingUs: [Key: UInt64] = [:]
    /// When to take what was counted; nil = nothing is counted.
    private(set) var dueUs: UInt64?

    /// Counts what was heard until now; from now on `rooms` are.
    ///
    /// - Returns: rooms that are heard from now on, and those that no longer are.
    @discardableResult
    mutating func advance(to rooms: Set<String>, at now: Now) -> (begun: Set<String>, left: Set<String>) {
        let begun = rooms.filter { sinceUs[$0] == nil }
        let left = Set(sinceUs.keys.filter { !rooms.contains($0) })
        for room in left {
            settle(room, at: now)
            sinceUs[room] = nil
        }
        for room in begun { sinceUs[room] = now.serverUs }
        if dueUs == nil, !rooms.isEmpty { dueUs = now.serverUs + Self.flushUs }
        return (begun, left)
    }

    private mutating func settle(_ room: String, at now: Now) {
        guard let since = sinceUs.updateValue(now.serverUs, forKey: room) else { return }
        pendingUs[Key(room: room, day: now.unixUs / Self.dayUs), default: 0] += now.serverUs.since(since)
    }

    /// What was counted and not taken before, by whole seconds, sorted; the rest of a second is kept while the room is
    /// heard on.
    ///
    /// - Parameter rooms: nil = all, and the next time is `flushUs` away.
    mutating func take(_ rooms: Set<String>? = nil, at now: Now) -> [HeardTime] {
        for room in Array(sinceUs.keys) where rooms?.contains(room) ?? true { settle(room, at: now) }
        var taken: [HeardTime] = []
        for (key, us) in pendingUs where rooms?.contains(key.room) ?? true {
            if us >= .secondUs {
                taken.append(HeardTime(room: key.room, day: key.day, seconds: us / .secondUs))
            }
            let isGoingOn = sinceUs[key.room] != nil && key.day == now.unixUs / Self.dayUs
            pendingUs[key] = isGoingOn ? us % .secondUs : nil
        }
        if rooms == nil || sinceUs.isEmpty { dueUs = sinceUs.isEmpty ? nil : now.serverUs + Self.flushUs }
        return taken.sorted { ($0.room, $0.day) < ($1.room, $1.day) }
    }
}
