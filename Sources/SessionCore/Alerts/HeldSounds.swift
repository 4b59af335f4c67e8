/// What was held back since the last digest, counted by label. Bounded: ``maxLabels`` labels, the rest as "other sounds".
struct HeldSounds: Sendable, Equatable {
    private(set) var counts: [String: Int] = [:]
    /// When the digest is due, server time; nil = nothing was held back.
    private(set) var dueUs: UInt64?

    /// A digest with more lines would not be read.
    static let maxLabels = 32
    /// When a budget is spent, a digest comes at most so often.
    static let digestEveryUs: UInt64 = 3600 * .secondUs

    mutating func add(_ label: String, dueUs due: UInt64) {
        let known = counts[label] != nil || counts.count < Self.maxLabels
        counts[known ? label : "other sounds", default: 0] += 1
        dueUs = dueUs ?? due
    }

    /// The quiet hours still hold: later, then.
    mutating func postpone(to due: UInt64) { dueUs = dueUs == nil ? nil : due }

    /// The digest's text, most frequent first; begins anew.
    mutating func take() -> String {
        let lines = counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map { label, count in
            "\(count) × \(label)"
        }
        self = HeldSounds()
        return "Held back: \(lines.joined(separator: ", "))."
    }
}
