import SenseProtocol

extension WireEnum {
    /// The schema name without its prefix, in lower case: `life_safety` for `URGENCY_LIFE_SAFETY`.
    var word: String {
        guard let name = protoName, let zero = Self.unspecified.protoName else {
            return "unknown_\(rawValue)"
        }
        return name.dropFirst(zero.count - "UNSPECIFIED".count).lowercased()
    }
}

extension Alert {
    /// The keys that scripts get for an alert.
    func json(_ extra: [(String, JSONValue)] = []) -> KeyValuePairs<String, JSONValue> {
        [
            "alert_id": .text(alertId), "event_id": .unsigned(eventId), "revision": .count(revision),
            "kind": .text(kind.word), "state": .text(state.word), "urgency": .text(urgency.effective.word),
            "label": .text(label), "confidence": .number(Double(confidence)), "room": .text(room),
            "device_id": .text(deviceId), "stream_id": .count(streamId),
            "started_unix_us": .unsigned(startedUnixUs), "duration_ms": .count(durationMs),
            "disposition": .text(disposition.word), "acknowledged_by": .text(acknowledgedBy),
            "verdict": .text(verdict == .unspecified ? "" : verdict.word), "true_label": .text(trueLabel),
            "replayed": .flag(replayed), "haptic": .text(haptic?.patternId ?? ""), "message": .text(message),
            "held_back": .text(heldBack),
            "details": .object(extra.map { JSONValue.Member(key: $0.0, value: $0.1) }),
        ]
    }

    /// One line for a person.
    func line(_ style: TerminalStyle, suffix: String = "") -> String {
        let name = urgency.effective.word.replacing("_", with: " ").uppercased()
        let mark = urgency.rank >= 3 ? style.red(name.padded(11)) : style.yellow(name.padded(11))
        let place = room.isEmpty ? "" : " in \(room.printable)"
        let length = durationMs > 0 ? ", \((Double(durationMs) / 1000).fixed(1)) s" : ""
        let owner =
            !acknowledgedBy.isEmpty
            ? ", acknowledged by \(acknowledgedBy.printable)"
            : disposition == .resolved ? ", resolved by the server" : ""
        let said =
            verdict == .unspecified
            ? "" : ", marked \(verdict.word)\(trueLabel.isEmpty ? "" : " (it was \(trueLabel.printable))")"
        let what = style.bold(label.isEmpty ? kind.word : label.printable)
        let sure = kind == .sound ? " \((Double(confidence) * 100).fixed(0)) %" : ""
        let text = message.isEmpty ? "" : " – \(message.printable)"
        return
            "\(mark) \(what) \(state.word)\(sure)\(place)\(length)\(owner)\(said)\(suffix)\(text)  \(style.dim(alertId))"
    }
}

/// Percentiles of a few thousand measurements.
struct Percentiles {
    private(set) var values: [Double] = []

    mutating func add(_ value: Double) { values.append(value) }

    /// The value below which the share `part` lies; nil without values.
    func at(_ part: Double) -> Double? {
        guard !values.isEmpty else { return nil }
        let sorted = values.sorted()
        return sorted[min(sorted.count - 1, Int(Double(sorted.count) * part))]
    }

    /// `p50 … p99 … max …` in milliseconds.
    var line: String {
        guard let p50 = at(0.5), let p99 = at(0.99), let largest = values.max() else { return "none" }
        return "p50 \(p50.fixed(1)) ms, p99 \(p99.fixed(1)) ms, max \(largest.fixed(1)) ms (\(values.count))"
    }

    var json: JSONValue {
        func number(_ value: Double?) -> JSONValue { value.map { .number($0) } ?? .null }
        return .object([
            .init(key: "p50_ms", value: number(at(0.5))), .init(key: "p95_ms", value: number(at(0.95))),
            .init(key: "p99_ms", value: number(at(0.99))),
            .init(key: "max_ms", value: number(values.max())),
            .init(key: "count", value: .count(values.count)),
        ])
    }
}
