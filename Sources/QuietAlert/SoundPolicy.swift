/// How much a sound matters. Raw values equal those of the wire enum.
public enum SoundUrgency: Int, Comparable, Sendable {
    case info = 1
    case normal = 2
    case urgent = 3
    /// Never muted, delayed or budgeted.
    case lifeSafety = 4

    /// Ordered by how much they matter.
    public static func < (a: SoundUrgency, b: SoundUrgency) -> Bool { a.rawValue < b.rawValue }
}

/// One vibration and the pause after it; a device maps it to what its actuator can do.
public struct HapticPulse: Equatable, Sendable {
    /// Length of the vibration.
    public var onMs: UInt32
    /// Pause after it.
    public var offMs: UInt32
    /// Strength, 0…1.
    public var intensity: Float
    /// Crispness, 0…1.
    public var sharpness: Float

    /// A pulse.
    public init(onMs: UInt32, offMs: UInt32, intensity: Float, sharpness: Float) {
        self.onMs = onMs
        self.offMs = offMs
        self.intensity = intensity
        self.sharpness = sharpness
    }
}

/// A named sequence of pulses.
public struct SoundHaptic: Equatable, Sendable {
    /// Stable name, so that a device may substitute its own rendering.
    public var patternID: String
    /// At most 16.
    public var pulses: [HapticPulse]
    /// Times to play in all.
    public var repeats: UInt32

    /// Four full pulses, 0.2 s from start to start: the original app's urgent sound.
    public static let urgent = SoundHaptic(
        patternID: "sound.urgent",
        pulses: .init(
            repeating: HapticPulse(onMs: 100, offMs: 100, intensity: 1, sharpness: 1), count: 4),
        repeats: 1)
    /// One soft pulse: the original app's other sounds.
    public static let single = SoundHaptic(
        patternID: "sound.single",
        pulses: [HapticPulse(onMs: 100, offMs: 0, intensity: 0.6, sharpness: 0.4)], repeats: 1)
    /// The urgent pattern, thrice with a pause between, for smoke and carbon monoxide.
    public static let lifeSafety = SoundHaptic(
        patternID: "sound.life_safety",
        pulses: Array(urgent.pulses.dropLast())
            + [HapticPulse(onMs: 100, offMs: 600, intensity: 1, sharpness: 1)], repeats: 3)
    /// Two pulses, as of somebody at the door.
    public static let double = SoundHaptic(
        patternID: "sound.double",
        pulses: [
            HapticPulse(onMs: 120, offMs: 120, intensity: 0.8, sharpness: 0.6),
            HapticPulse(onMs: 120, offMs: 0, intensity: 0.8, sharpness: 0.6),
        ], repeats: 1)
    /// One long soft pulse, as of somebody who calls.
    public static let long = SoundHaptic(
        patternID: "sound.long",
        pulses: [HapticPulse(onMs: 500, offMs: 0, intensity: 0.6, sharpness: 0.2)], repeats: 1)

    /// Patterns that a person may choose for a sound: few enough to be learnt. That of life safety is not among them.
    public static let named: [String: SoundHaptic] = [
        "urgent": urgent, "single": single, "double": double, "long": long,
    ]
}

/// What a label means for the person: the defaults, before their own settings.
public enum SoundPolicy {
    /// Urgency of a confirmed sound.
    public static func urgency(of label: SoundLabel) -> SoundUrgency {
        switch label {
        case .smokeAlarm, .coAlarm: .lifeSafety
        case .cracklingFire, .siren, .glassBreaking: .urgent
        case .dog, .clockAlarm, .cryingBaby, .vacuumCleaner, .handSaw, .doorWoodKnock: .normal
        case .lowBatteryChirp: .info
        }
    }

    /// Haptic pattern of a label.
    public static func haptic(for label: SoundLabel) -> SoundHaptic { haptic(for: urgency(of: label)) }

    /// Haptic pattern of what matters so much.
    public static func haptic(for urgency: SoundUrgency) -> SoundHaptic {
        switch urgency {
        case .lifeSafety: .lifeSafety
        case .urgent: .urgent
        case .normal, .info: .single
        }
    }

    /// Whether a setting, quiet hours, a cooldown or a budget may hold the alert back: never for life safety.
    public static func mayBeSuppressed(_ label: SoundLabel) -> Bool { urgency(of: label) != .lifeSafety }
}
