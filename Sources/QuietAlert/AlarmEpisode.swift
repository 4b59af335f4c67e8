/// Temporal pattern of an alarm signal.
public enum AlarmPattern: Equatable, Hashable, Sendable {
    /// Three pulses of 0.5 s with pauses of 0.5 s, then 1.5 s of silence: smoke (ISO 8201, NFPA 72).
    case three
    /// Four pulses of 0.1 s with pauses of 0.1 s, then 5 s of silence, later up to 60 s: carbon monoxide (UL 2034).
    case four
    /// One short beep every 30 to 60 s: an alarm whose battery is low. Never suspected, and no danger to life.
    case lowBattery

    /// Label of the alert.
    public var label: SoundLabel {
        switch self {
        case .three: .smokeAlarm
        case .four: .coAlarm
        case .lowBattery: .lowBatteryChirp
        }
    }
}

/// One alarm from its first pulse to its last.
public struct AlarmEpisode: Equatable, Sendable {
    /// Unique within the detector, rising from 1.
    public var number: UInt64
    /// What it says.
    public var pattern: AlarmPattern
    /// False while it is only suspected.
    public var isConfirmed: Bool
    /// Start of the first pulse, as a sample index of the 22,050 Hz stream; within about 50 ms.
    public var onsetSampleIndex: UInt64
    /// End of what has been analysed when it was last heard.
    public var lastHeardSampleIndex: UInt64
    /// Frequency of the pulses, within about 43 Hz.
    public var frequencyHz: Double
    /// How far the pulses stand out from the pauses, dB.
    public var contrastDecibels: Float
    /// 0…1, from contrast and regularity.
    public var confidence: Float

    /// All of it, as a producer or a test has it.
    public init(
        number: UInt64, pattern: AlarmPattern, isConfirmed: Bool, onsetSampleIndex: UInt64,
        lastHeardSampleIndex: UInt64, frequencyHz: Double, contrastDecibels: Float, confidence: Float
    ) {
        self.number = number
        self.pattern = pattern
        self.isConfirmed = isConfirmed
        self.onsetSampleIndex = onsetSampleIndex
        self.lastHeardSampleIndex = lastHeardSampleIndex
        self.frequencyHz = frequencyHz
        self.contrastDecibels = contrastDecibels
        self.confidence = confidence
    }
}

/// What changed.
public enum AlarmEvent: Equatable, Sendable {
    /// The first pulses fit; to be shown, and to be confirmed or withdrawn.
    case suspected(AlarmEpisode)
    /// The pattern repeats. Follows a `suspected` with the same number, or comes alone.
    case confirmed(AlarmEpisode)
    /// It has stopped, or (if it was never confirmed) it was something else.
    case ended(AlarmEpisode)

    /// The episode it is about.
    public var episode: AlarmEpisode {
        switch self {
        case .suspected(let episode), .confirmed(let episode), .ended(let episode): episode
        }
    }
}
