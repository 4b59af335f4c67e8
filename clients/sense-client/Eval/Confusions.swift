/// How often each label was answered by which other; `none` where nothing was answered.
struct Confusions {
    static let none = "-"

    private(set) var counts: [String: [String: Int]] = [:]

    mutating func add(_ truth: String, _ answer: String?) {
        counts[truth, default: [:]][answer ?? Self.none, default: 0] += 1
    }

    mutating func add(_ other: Confusions) {
        for (truth, answers) in other.counts {
            for (answer, count) in answers { counts[truth, default: [:]][answer, default: 0] += count }
        }
    }

    var labels: [String] { counts.keys.sorted() }
    func total(_ truth: String) -> Int { counts[truth]?.values.reduce(0, +) ?? 0 }
    func right(_ truth: String) -> Int { counts[truth]?[truth] ?? 0 }

    /// Share of all samples; 0 without any.
    var accuracy: Double {
        let all = labels.reduce(0) { $0 + total($1) }
        return all == 0 ? 0 : Double(labels.reduce(0) { $0 + right($1) }) / Double(all)
    }

    /// Mean over the labels of each one's share.
    var meanRecall: Double {
        labels.isEmpty
            ? 0
            : labels.reduce(0) { $0 + Double(right($1)) / Double(max(1, total($1))) } / Double(labels.count)
    }

    /// One line for each label with its commonest wrong answers.
    func table(_ style: TerminalStyle) -> String {
        let width = (labels.map(\.count).max() ?? 1) + 2
        return labels.map { truth in
            let share = Double(right(truth)) / Double(max(1, total(truth)))
            let wrong = (counts[truth] ?? [:]).filter { $0.key != truth }
                .sorted { ($1.value, $0.key) < ($0.value, $1.key) }.prefix(4)
                .map { "\($0.key == Self.none ? "nothing" : $0.key.printable) \($0.value)" }
            let figures = "\(right(truth)) of \(total(truth))".padded(14)
            let percent = "\((share * 100).fixed(1)) %".paddedLeft(8)
            return
                "  \(truth.printable.padded(width))\(figures)\(percent)  \(style.bar(Float(share), width: 20))  "
                + wrong.joined(separator: ", ")
        }.joined(separator: "\n")
    }

    var json: JSONValue {
        .object(
            labels.map { truth in
                .init(
                    key: truth,
                    value: .object(
                        (counts[truth] ?? [:]).sorted { $0.key < $1.key }.map {
                            .init(key: $0.key, value: .count($0.value))
                        }))
            })
    }
}
