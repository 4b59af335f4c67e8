import SenseProtocol

/// How often each label was wrong in each room, as `history` tells it.
struct RateTable {
    var rates: [AlertRate]
    var days: UInt32

    /// False alarms an hour; nil while less than an hour was heard.
    static func perHour(_ rate: AlertRate) -> Double? { rate.heardS >= 3600 ? rate.wrongPerHour : nil }

    var json: JSONValue {
        .list(
            rates.map { rate in
                .object([
                    .init(key: "room", value: .text(rate.room)),
                    .init(key: "label", value: .text(rate.label)),
                    .init(key: "alerts", value: .count(rate.alerts)),
                    .init(key: "right", value: .count(rate.right)),
                    .init(key: "wrong", value: .count(rate.wrong)),
                    .init(key: "heard_s", value: .unsigned(rate.heardS)),
                    .init(
                        key: "wrong_per_hour",
                        value: Self.perHour(rate).map { .number($0, places: 4) } ?? .null),
                ])
            })
    }

    /// A table for a person; empty without alerts.
    func lines(_ style: TerminalStyle) -> [String] {
        guard !rates.isEmpty else { return [] }
        let rooms = rates.map { $0.room.isEmpty ? "(no room)" : $0.room.printable }
        let labels = rates.map(\.label.printable)
        let roomWidth = max(4, rooms.map(\.count).max() ?? 0)
        let labelWidth = max(5, labels.map(\.count).max() ?? 0)
        let head =
            "room".padded(roomWidth) + "  " + "label".padded(labelWidth)
            + "  alerts  right  wrong  hours heard  wrong per hour"
        let rows = rates.indices.map { index in
            let rate = rates[index]
            let hours = (Double(rate.heardS) / 3600).fixed(1)
            let perHour = Self.perHour(rate).map { $0.fixed(3) } ?? "too little heard"
            let wrong = String(rate.wrong).paddedLeft(5)
            return rooms[index].padded(roomWidth) + "  " + labels[index].padded(labelWidth) + "  "
                + String(rate.alerts).paddedLeft(6) + "  " + String(rate.right).paddedLeft(5) + "  "
                + (rate.wrong > 0 ? style.yellow(wrong) : wrong) + "  " + hours.paddedLeft(11) + "  "
                + perHour.paddedLeft(14)
        }
        return ["", style.bold("Right and wrong in the last \(days) days"), style.dim(head)] + rows
    }
}
