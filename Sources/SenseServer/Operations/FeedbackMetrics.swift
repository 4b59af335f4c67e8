import QuietAlert
import SessionCore

/// What people say of alerts, as rows of the metrics page: all people together, no name of any.
struct FeedbackMetrics {
    struct Row: Hashable {
        var room: String
        var label: String
    }

    private(set) var rows: [Row: FeedbackTally] = [:]
    private(set) var heardHours: [String: Double] = [:]

    /// Labels of a person's own sounds are their words, and may be names.
    static let customLabel = "custom"

    init(_ people: [FeedbackTallies]) {
        for person in people {
            for (room, seconds) in person.heardSeconds {
                heardHours[room, default: 0] += Double(seconds) / 3600
            }
            for tally in person.tallies {
                let label = SoundLabel(rawValue: tally.label) == nil ? Self.customLabel : tally.label
                var sum =
                    rows[Row(room: tally.room, label: label)]
                    ?? FeedbackTally(
                        room: tally.room, label: label, alerts: 0, right: 0, wrong: 0, heardSeconds: 0)
                sum.alerts += tally.alerts
                sum.right += tally.right
                sum.wrong += tally.wrong
                rows[Row(room: tally.room, label: label)] = sum
            }
        }
        for row in rows.keys {
            rows[row]?.heardSeconds = UInt64((heardHours[row.room] ?? 0) * 3600)
        }
    }

    /// Sorted by room and label.
    var tallies: [FeedbackTally] {
        rows.values.sorted { ($0.room, $0.label) < ($1.room, $1.label) }
    }
}
