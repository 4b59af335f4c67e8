import SenseProtocol
import SessionCore

extension ServerServices {
    /// Everything an operator watches, in Prometheus text format. Labels carry model and room names only.
    func metricsText() -> String {
        var text = metrics.prometheusText()
        func gauge(_ name: String, _ help: String, _ rows: [(labels: String, value: Double)]) {
            text += "# HELP \(name) \(help)\n# TYPE \(name) gauge\n"
            for row in rows { text += "\(name)\(row.labels) \(row.value)\n" }
        }
        let pools = [("letters", letters?.counts), ("sounds", sounds?.counts), ("songs", songs.counts)]
            .compactMap { name, counts in counts.map { (name, $0) } }
        gauge(
            "sense_scoring_queue_age_seconds", "Age of the oldest job that waits.",
            pools.map { ("{model=\"\($0)\"}", $1.oldestQueued.seconds) })
        gauge(
            "sense_scoring_queue_rows", "Jobs that wait.",
            pools.map { ("{model=\"\($0)\"}", Double($1.queuedRows)) })
        gauge(
            "sense_scoring_longest_wait_seconds", "Longest that a job has waited.",
            pools.map { ("{model=\"\($0)\"}", $1.longestWait.seconds) })
        gauge("sense_scored_rows", "Jobs scored.", pools.map { ("{model=\"\($0)\"}", Double($1.scored)) })
        gauge(
            "sense_scoring_refused_rows", "Jobs refused.",
            pools.map { ("{model=\"\($0)\"}", Double($1.refused)) })
        gauge(
            "sense_scoring_busy_seconds", "Time spent scoring.",
            pools.map { ("{model=\"\($0)\"}", $1.busy.seconds) })
        let people = hubs.values.sorted { $0.profileID < $1.profileID }
        gauge(
            "sense_sessions", "Connected sessions.", [("", Double(people.reduce(0) { $0 + $1.sessionCount }))]
        )
        gauge(
            "sense_open_alerts", "Alerts that nobody answered.",
            [("", Double(people.reduce(0) { $0 + $1.openAlertCount }))])
        gauge(
            "sense_room_protected", "1 where a healthy microphone is heard, for everyone who has the room.",
            Dictionary(
                people.flatMap(\.protections).map { ($0.room, $0.state == .protected ? 1.0 : 0.0) },
                uniquingKeysWith: min
            ).sorted { $0.key < $1.key }.map { ("{room=\"\(escaped($0.key))\"}", $0.value) })
        let drills = DrillMetrics(people.map(\.drills), nowUnixUs: ServerClock.now().unixUs)
        func drillGauge(_ name: String, _ help: String, _ value: (DrillMetrics.Row) -> Double?) {
            gauge(name, help, drills.values(value).map { ("{room=\"\(escaped($0.room))\"}", $0.value) })
        }
        drillGauge(
            "sense_drill_passed", "1 where the last drill of the room's alarm was passed, 0 where it failed."
        ) {
            $0.isPassed.map { $0 ? 1 : 0 }
        }
        drillGauge(
            "sense_drill_age_seconds", "Time since the last drill of the room's alarm, whatever its result."
        ) {
            $0.ageSeconds
        }
        drillGauge(
            "sense_drill_overdue", "1 where no drill was passed for too long, from the first day heard on."
        ) {
            $0.isOverdue ? 1 : 0
        }
        let feedback = FeedbackMetrics(people.map(\.tallies))
        func labels(_ tally: FeedbackTally) -> String {
            "{room=\"\(escaped(tally.room))\",label=\"\(escaped(tally.label))\"}"
        }
        gauge(
            "sense_heard_hours", "Hours of the last 30 days that sound of the room reached the detectors.",
            feedback.heardHours.sorted { $0.key < $1.key }.map { ("{room=\"\(escaped($0.key))\"}", $0.value) }
        )
        gauge(
            "sense_alerts_marked_wrong", "Alerts of the last 30 days that a person marked wrong.",
            feedback.tallies.map { (labels($0), Double($0.wrong)) })
        gauge(
            "sense_alerts_marked_right", "Alerts of the last 30 days that a person marked right.",
            feedback.tallies.map { (labels($0), Double($0.right)) })
        gauge(
            "sense_false_alarms_per_hour", "Alerts marked wrong in an hour heard, once an hour was heard.",
            feedback.tallies.compactMap { tally in tally.wrongPerHour().map { (labels(tally), $0) } })
        return text
    }

    private func escaped(_ label: String) -> String {
        String(label.flatMap { $0 == "\"" || $0 == "\\" ? ["\\", $0] : $0 == "\n" ? ["\\", "n"] : [$0] })
    }
}

extension Duration {
    /// In seconds.
    var seconds: Double {
        let (seconds, attoseconds) = components
        return Double(seconds) + Double(attoseconds) / 1e18
    }
}
