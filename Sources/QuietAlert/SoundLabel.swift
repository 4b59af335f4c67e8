/// What QuietAlert can tell apart. The first nine are the network's, in the order of its logits.
public enum SoundLabel: String, CaseIterable, Equatable, Hashable, Sendable {
    case cracklingFire = "crackling_fire"
    case siren = "siren"
    case dog = "dog"
    case clockAlarm = "clock_alarm"
    case glassBreaking = "glass_breaking"
    case cryingBaby = "crying_baby"
    case vacuumCleaner = "vacuum_cleaner"
    case handSaw = "hand_saw"
    case doorWoodKnock = "door_wood_knock"
    /// Temporal pattern of three (ISO 8201, NFPA 72): decided by ``AlarmPatternDetector``, not by the network.
    case smokeAlarm = "smoke_alarm"
    /// Temporal pattern of four (UL 2034): decided by ``AlarmPatternDetector``, not by the network.
    case coAlarm = "co_alarm"
    /// An alarm asking for a battery, by its chirps: decided by ``AlarmPatternDetector``, not by the network.
    case lowBatteryChirp = "low_battery_chirp"

    /// The labels of the network's logits, in order.
    public static let networkLabels: [SoundLabel] = [
        .cracklingFire, .siren, .dog, .clockAlarm, .glassBreaking, .cryingBaby, .vacuumCleaner, .handSaw,
        .doorWoodKnock,
    ]
}
