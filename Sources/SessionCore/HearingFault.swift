public import SenseProtocol

/// Something that is wrong with what a microphone sends, in words for people.
public struct HearingFault: Sendable, Hashable {
    /// What is wrong. `unspecified`: nothing has been heard yet.
    public var state: HealthState
    /// What is wrong and what to do, in whole sentences.
    public var detail: String

    /// One fault.
    public init(_ state: HealthState, _ detail: String) {
        self.state = state
        self.detail = detail
    }
}

/// How much of the hearing is lost. Each is told as an alert of its own: who has answered that a microphone is overdriven
/// has not answered that it is muted.
enum HearingLoss: CaseIterable, Sendable, Hashable {
    /// Nothing is recognised, or only alarms.
    case deaf
    /// Sound reaches the detectors, though not at its best.
    case reduced

    /// The alert's label.
    var label: String {
        switch self {
        case .deaf: "cannot_hear"
        case .reduced: "hearing_reduced"
        }
    }

    /// Deaf asks for an answer until there is one; reduced is said once.
    var urgency: Urgency {
        switch self {
        case .deaf: .urgent
        case .reduced: .normal
        }
    }

    var haptic: HapticPattern {
        switch self {
        case .deaf: .cannotHear
        case .reduced: .hearingReduced
        }
    }

    /// What an alert of the store says, by its label; an older server told both as `cannot_hear`.
    init(label: String) { self = label == Self.reduced.label ? .reduced : .deaf }

    /// Whether a fault is a loss of this kind. A microphone that has not been heard yet is neither.
    func covers(_ state: HealthState) -> Bool {
        switch self {
        case .deaf: !state.isStillHeard && state != .unspecified
        case .reduced: state.isStillHeard && state != .ok
        }
    }

    /// `phone cannot hear: …`
    func message(_ deviceName: String, _ details: [String]) -> String {
        let what =
            switch self {
            case .deaf: "cannot hear"
            case .reduced: "hears less well"
            }
        return "\(deviceName) \(what): \(details.joined(separator: " "))"
    }
}

extension HapticPattern {
    /// Two long soft pulses: unlike every sound pattern, so that it is learnt as "I cannot hear".
    static let cannotHear = HapticPattern(
        patternId: "cannot_hear", version: 1,
        steps: [
            HapticStep(onMs: 600, offMs: 300, intensity: 0.6, sharpness: 0.1),
            HapticStep(onMs: 600, offMs: 0, intensity: 0.6, sharpness: 0.1),
        ], repeats: 1)

    /// One of them, softer.
    static let hearingReduced = HapticPattern(
        patternId: "hearing_reduced", version: 1,
        steps: [HapticStep(onMs: 600, offMs: 0, intensity: 0.4, sharpness: 0.1)], repeats: 1)
}
