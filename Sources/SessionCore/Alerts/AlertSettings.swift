public import QuietAlert
public import SenseProtocol

/// How a person wants to be told of sounds, from the settings of their profile.
///
/// Keys begin with ``keyPrefix``; those of one sound are `alerts.LABEL.NAME`, with every character of the label that is
/// not a–z, 0–9 or _ written as _. None of them can hold back smoke or carbon monoxide (PRODUCT 4.7 invariant 1): a patch
/// that tries is refused, and a value that is there all the same is not read.
public struct AlertSettings: Sendable, Equatable {
    /// Beginning of all keys; a change of one of them concerns the profile and its open microphones.
    public static let keyPrefix = "alerts."

    /// What is set for one sound; nil = the default.
    public struct Sound: Sendable, Equatable {
        /// `alerts.LABEL.enabled`: false = never told.
        public var isEnabled = true
        /// `alerts.LABEL.urgency`: "info", "normal" or "urgent".
        public var urgency: Urgency?
        /// `alerts.LABEL.sensitivity`, 0…1, 0.5 = as the model ships.
        public var sensitivity: Float = 0.5
        /// `alerts.LABEL.cooldown_s`, 0…86,400.
        public var cooldownSeconds: UInt64?
        /// `alerts.LABEL.daily_budget`: interruptions a day, 0 = no limit.
        public var dailyBudget = 0
        /// `alerts.LABEL.haptic`: name of a pattern of ``SoundHaptic/named``.
        public var haptic: SoundHaptic?
    }

    /// `alerts.quiet_hours`, "22:00-07:00" of local time; they hold back what is not urgent.
    public var quietHours: QuietHours?
    /// `alerts.daily_budget`: interruptions a day of all sounds that are not urgent together, 0 = no limit.
    public var dailyBudget = 0
    /// `alerts.utc_offset_minutes`, −840…840; nil = the server's own time zone.
    public var utcOffsetMinutes: Int?
    /// `alerts.learn_from_feedback`: whether alerts marked wrong make a sound harder to hear in their room.
    public var learnsFromFeedback = true
    private var sounds: [String: Sound] = [:]
    /// What feedback raises, by room and label; kept beside the settings, never stored among them.
    private var learnedRaises: [String: [String: Float]] = [:]

    /// Nothing is set.
    public init() {}

    /// Picks them out of a profile's settings. A value that a patch would not be allowed to set is left out.
    public init(_ state: SettingsState) {
        for setting in state.settings where Self.problem(setting) == nil { take(setting) }
    }

    /// What is set for a label.
    public subscript(label: String) -> Sound { sounds[Self.slug(label)] ?? Sound() }

    /// Seconds after a sound within which the same sound in the same room goes on instead of starting anew: a dog that
    /// barks for ten minutes is one line. Urgent sounds have none unless it is set.
    public func cooldownUs(_ label: String, _ urgency: Urgency) -> UInt64 {
        let standard: UInt64 = urgency.rank < Urgency.urgent.rank ? Self.standardCooldownSeconds : 0
        return (self[label].cooldownSeconds ?? standard) * .secondUs
    }

    /// Takes up what people said of alerts. Nothing is ever learned about life safety.
    public mutating func learn(from tallies: [FeedbackTally]) {
        learnedRaises = [:]
        for tally in tallies {
            let raise = tally.suggestedRaise()
            if raise > 0 { learnedRaises[tally.room, default: [:]][tally.label] = raise }
        }
    }

    /// How far the presence threshold of a label moves in a room, in logits: the person's sensitivity and what feedback
    /// raises, together at most ±``maxThresholdShift``.
    public func thresholdShift(_ label: String, room: String) -> Float {
        let wished = (0.5 - self[label].sensitivity) * 2 * Self.maxThresholdShift
        let learned = learnsFromFeedback ? learnedRaises[room]?[label] ?? 0 : 0
        return min(max(wished + learned, -Self.maxThresholdShift), Self.maxThresholdShift)
    }

    /// A model's thresholds as they count in a room.
    func thresholds(_ shipped: SoundThresholds, room: String) -> SoundThresholds {
        var moved = shipped
        for label in SoundLabel.networkLabels where SoundPolicy.mayBeSuppressed(label) {
            let shift = thresholdShift(label.rawValue, room: room)
            guard shift != 0 else { continue }
            moved.presenceLogitByLabel[label] =
                (shipped.presenceLogitByLabel[label] ?? shipped.presenceLogit) + shift
        }
        return moved
    }

    /// A minute: longer than a dog pauses, shorter than a second visitor takes.
    static let standardCooldownSeconds: UInt64 = 60
    /// From an odds ratio of 1 : 7 to 7 : 1; beyond it everything or nothing would be heard.
    static let maxThresholdShift: Float = 2

    // MARK: Reading

    /// What is wrong with a setting of ours; nil also for keys of others.
    public static func problem(_ setting: Setting) -> (expected: String, got: String)? {
        guard setting.key.hasPrefix(keyPrefix) else { return nil }
        let parts = setting.key.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        let value = setting.value?.value
        guard parts.count == 3 else { return ownProblem(parts.dropFirst().joined(separator: "."), value) }
        let (label, name) = (parts[1], parts[2])
        if name != "haptic", SoundLabel.isLifeSafety(slug: label) {
            return ("a setting that cannot hold back life safety", "\(label).\(name)")
        }
        return soundProblem(name, value)
    }

    private static func ownProblem(_ name: String, _ value: SettingValue.Value?) -> (String, String)? {
        switch (name, value) {
        case ("quiet_hours", .text(let text)?) where text.isEmpty || QuietHours(text) != nil: nil
        case ("quiet_hours", _): ("text as 22:00-07:00, empty for none", describe(value))
        case ("daily_budget", .integer(0...maxBudget)?): nil
        case ("daily_budget", _): ("an integer, 0…\(maxBudget)", describe(value))
        case ("learn_from_feedback", .flag?): nil
        case ("learn_from_feedback", _): ("a flag", describe(value))
        case ("utc_offset_minutes", .integer(-840...840)?): nil
        case ("utc_offset_minutes", _): ("an integer, -840…840", describe(value))
        default: ("quiet_hours, daily_budget, utc_offset_minutes, learn_from_feedback or LABEL.NAME", name)
        }
    }

    private static func soundProblem(_ name: String, _ value: SettingValue.Value?) -> (String, String)? {
        switch (name, value) {
        case ("enabled", .flag?): nil
        case ("enabled", _): ("a flag", describe(value))
        case ("urgency", .text(let text)?) where urgencies[text] != nil: nil
        case ("urgency", _): ("info, normal or urgent", describe(value))
        case ("sensitivity", .number(0...1)?), ("sensitivity", .integer(0...1)?): nil
        case ("sensitivity", _): ("a number, 0…1", describe(value))
        case ("cooldown_s", .integer(0...86_400)?): nil
        case ("cooldown_s", _): ("an integer, 0…86400", describe(value))
        case ("daily_budget", .integer(0...maxBudget)?): nil
        case ("daily_budget", _): ("an integer, 0…\(maxBudget)", describe(value))
        case ("haptic", .text(let text)?) where SoundHaptic.named[text] != nil: nil
        case ("haptic", _): (SoundHaptic.named.keys.sorted().joined(separator: ", "), describe(value))
        default: ("enabled, urgency, sensitivity, cooldown_s, daily_budget or haptic", name)
        }
    }

    private mutating func take(_ setting: Setting) {
        guard setting.key.hasPrefix(Self.keyPrefix), let value = setting.value?.value else { return }
        let parts = setting.key.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 3 else {
            switch (parts[1], value) {
            case ("quiet_hours", .text(let text)): quietHours = QuietHours(text)
            case ("daily_budget", .integer(let count)): dailyBudget = Int(count)
            case ("learn_from_feedback", .flag(let flag)): learnsFromFeedback = flag
            case ("utc_offset_minutes", .integer(let minutes)): utcOffsetMinutes = Int(minutes)
            default: break
            }
            return
        }
        var sound = sounds[parts[1]] ?? Sound()
        switch (parts[2], value) {
        case ("enabled", .flag(let flag)): sound.isEnabled = flag
        case ("urgency", .text(let text)): sound.urgency = Self.urgencies[text]
        case ("sensitivity", .number(let number)): sound.sensitivity = Float(number)
        case ("sensitivity", .integer(let number)): sound.sensitivity = Float(number)
        case ("cooldown_s", .integer(let seconds)): sound.cooldownSeconds = UInt64(seconds)
        case ("daily_budget", .integer(let count)): sound.dailyBudget = Int(count)
        case ("haptic", .text(let text)): sound.haptic = SoundHaptic.named[text]
        default: break
        }
        sounds[parts[1]] = sound
    }

    /// More than anybody can be told in a day.
    private static let maxBudget: Int64 = 10_000
    private static let urgencies: [String: Urgency] = ["info": .info, "normal": .normal, "urgent": .urgent]

    private static func describe(_ value: SettingValue.Value?) -> String {
        switch value {
        case .flag(let flag)?: "\(flag)"
        case .integer(let number)?: "\(number)"
        case .number(let number)?: "\(number)"
        case .text(let text)?: "\"\(text.prefix(64))\""
        case .blob(let bytes)?: "\(bytes.count) bytes"
        case nil: "none"
        }
    }

    /// A label as it stands in a key.
    static func slug(_ label: String) -> String {
        String(
            label.lowercased().map { character in
                character.isASCII && (character.isLetter || character.isNumber || character == "_")
                    ? character : "_"
            })
    }
}

extension SoundLabel {
    /// Whether a label, as it stands in a key, is one that nothing may hold back.
    static func isLifeSafety(slug: String) -> Bool {
        SoundLabel(rawValue: slug).map { !SoundPolicy.mayBeSuppressed($0) } ?? false
    }
}
