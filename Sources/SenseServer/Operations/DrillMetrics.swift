import SessionCore

/// How each room's alarm was last tested, as rows of the metrics page: all people together, no name of any.
struct DrillMetrics {
    struct Row: Equatable {
        /// Whether the last drill was passed; nil = there was none.
        var isPassed: Bool?
        /// Seconds since the last drill; nil = there was none.
        var ageSeconds: Double?
        /// No drill was passed for too long.
        var isOverdue: Bool
    }

    /// By room. A room of two people is one: the newest drill counts, and it is overdue if it is for either.
    private(set) var rows: [String: Row] = [:]

    init(_ books: [DrillBook], nowUnixUs: UInt64) {
        var lasts: [String: (unixUs: UInt64, isPassed: Bool)] = [:]
        for book in books {
            for room in book.rooms {
                let isOverdue = book.overdueUnixUs(room.room).map { $0 <= nowUnixUs } ?? false
                rows[room.room, default: Row(isOverdue: false)].isOverdue =
                    isOverdue || rows[room.room]?.isOverdue == true
                if let last = room.last, last.unixUs >= lasts[room.room]?.unixUs ?? 0 {
                    lasts[room.room] = last
                }
            }
        }
        for (room, last) in lasts {
            rows[room]?.isPassed = last.isPassed
            // A clock that was set back makes no drill to come.
            rows[room]?.ageSeconds = Double(nowUnixUs > last.unixUs ? nowUnixUs - last.unixUs : 0) / 1e6
        }
    }

    /// Sorted by room, what `value` tells of each.
    func values(_ value: (Row) -> Double?) -> [(room: String, value: Double)] {
        rows.sorted { $0.key < $1.key }.compactMap { room, row in value(row).map { (room, $0) } }
    }
}
