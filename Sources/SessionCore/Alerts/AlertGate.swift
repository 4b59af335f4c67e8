import QuietAlert
import SenseProtocol

/// Decides whether a sound interrupts the person, by their settings. Life safety always does (PRODUCT 4.7 invariant 1).
struct AlertGate: Sendable {
    enum Verdict: Equatable, Sendable {
        /// Tell it now.
        case interrupt
        /// The person does not want to know of this sound.
        case drop
        /// Keep it in the history and in the digest.
        case hold(Reason)
    }

    enum Reason: String, Sendable {
        case quietHours = "quiet hours"
        case labelBudget = "the daily budget of this sound is spent"
        case budget = "the daily budget is spent"
        case cooldown = "the same sound a moment ago"
    }

    var settings = AlertSettings()
    private var day: Int64 = .min
    private var spent = 0
    private var spentByLabel: [String: Int] = [:]
    private var lastHeardUs: [Place: UInt64] = [:]

    private struct Place: Hashable, Sendable {
        var label: String
        var room: String
    }

    /// Rooms times labels that are remembered; the one heard longest ago goes first.
    static let maxPlaces = 256

    /// How urgent a sound of this label is to the person.
    func urgency(_ standard: Urgency, of label: String) -> Urgency {
        guard !isLifeSafety(label, standard) else { return standard }
        return settings[label].urgency ?? standard
    }

    /// Decides a new sound, and counts it if it interrupts. `urgency` is the person's own.
    mutating func decide(
        _ label: String, _ urgency: Urgency, room: String, time: LocalTime, nowUs: UInt64
    ) -> Verdict {
        guard !isLifeSafety(label, urgency) else { return .interrupt }
        let sound = settings[label]
        guard sound.isEnabled else { return .drop }
        begin(time.day)
        let last = lastHeardUs[Place(label: label, room: room)]
        note(label, room: room, nowUs: nowUs)
        if let last, nowUs.since(last) < settings.cooldownUs(label, urgency) { return .hold(.cooldown) }
        let isUrgent = urgency.rank >= Urgency.urgent.rank
        if !isUrgent, settings.quietHours?.contains(time) == true { return .hold(.quietHours) }
        if sound.dailyBudget > 0, spentByLabel[label, default: 0] >= sound.dailyBudget {
            return .hold(.labelBudget)
        }
        if !isUrgent, settings.dailyBudget > 0, spent >= settings.dailyBudget { return .hold(.budget) }
        spend(label, urgency)
        return .interrupt
    }

    /// Counts an interruption of before a restart, if it was on the day of `time`.
    mutating func count(_ label: String, _ urgency: Urgency, at then: LocalTime, time: LocalTime) {
        begin(time.day)
        if then.day == time.day, !isLifeSafety(label, urgency) { spend(label, urgency) }
    }

    private mutating func begin(_ today: Int64) {
        guard today != day else { return }
        (day, spent, spentByLabel) = (today, 0, [:])
    }

    private mutating func spend(_ label: String, _ urgency: Urgency) {
        spentByLabel[label, default: 0] += 1
        if urgency.rank < Urgency.urgent.rank { spent += 1 }
    }

    /// A sound of this label went on or ended: its cooldown counts from here.
    mutating func note(_ label: String, room: String, nowUs: UInt64) {
        lastHeardUs[Place(label: label, room: room)] = nowUs
        guard lastHeardUs.count > Self.maxPlaces else { return }
        if let oldest = lastHeardUs.min(by: { $0.value < $1.value })?.key { lastHeardUs[oldest] = nil }
    }

    private func isLifeSafety(_ label: String, _ urgency: Urgency) -> Bool {
        urgency.effective == .lifeSafety || SoundLabel.isLifeSafety(slug: label)
    }
}
