/// One sound of the network's labels.
public typealias SoundEpisode = Episode<SoundLabel>
/// What changed about one of them.
public typealias SoundEpisodeEvent = EpisodeEvent<SoundLabel>

/// One sound from its start to its end, however many decisions heard it.
public struct Episode<Label: Hashable & Sendable>: Equatable, Sendable {
    /// Unique within the tracker, rising from 1.
    public var number: UInt64
    /// What is heard.
    public var label: Label
    /// Estimated start, as a sample index of the 22,050 Hz stream.
    public var startSampleIndex: UInt64
    /// Where the newest decision that heard it ended.
    public var lastHeardSampleIndex: UInt64
    /// Highest confidence of any decision, 0…1.
    public var peakConfidence: Float
    /// Decisions that heard it.
    public var windowCount: UInt64

    /// All of it, as a producer or a test has it.
    public init(
        number: UInt64, label: Label, startSampleIndex: UInt64, lastHeardSampleIndex: UInt64,
        peakConfidence: Float, windowCount: UInt64
    ) {
        self.number = number
        self.label = label
        self.startSampleIndex = startSampleIndex
        self.lastHeardSampleIndex = lastHeardSampleIndex
        self.peakConfidence = peakConfidence
        self.windowCount = windowCount
    }
}

/// What changed.
public enum EpisodeEvent<Label: Hashable & Sendable>: Equatable, Sendable {
    /// A new episode: alert.
    case started(Episode<Label>)
    /// It goes on; sent at most every ``SoundEpisodeRules/updateEverySamples``.
    case updated(Episode<Label>)
    /// It has not been heard for a while; ended where it was last heard.
    case ended(Episode<Label>)
}

/// When an episode starts and ends.
public struct SoundEpisodeRules: Equatable, Sendable {
    /// From the first decision that hears a label to the one that starts an episode, at least so long. 0 starts at
    /// once.
    public var confirmSamples: UInt64
    /// Decisions that do not hear a label begin its confirmation anew after so long.
    public var pauseSamples: UInt64
    /// How long before the end of the first decision that hears it a sound usually began.
    public var onsetSamples: UInt64
    /// From this confidence on, one decision is enough.
    public var instantConfidence: Float
    /// An episode that runs goes on while a label keeps this confidence, even below the start's threshold: hysteresis.
    public var holdConfidence: Float
    /// Silence after which it ends: longer than a decision looks back, so that one bark is one episode, plus what a
    /// dog may pause.
    public var endAfterSamples: UInt64
    /// How often a running episode is reported.
    public var updateEverySamples: UInt64

    /// Defaults: heard for 0.3 s or once for sure, with a pause of 1 s at most; begun 0.5 s before it was first
    /// heard; 8 s of silence; an update every 10 s.
    public init(
        confirmSamples: UInt64 = 6_615, pauseSamples: UInt64 = 22_050, onsetSamples: UInt64 = 11_025,
        instantConfidence: Float = 0.6, holdConfidence: Float = 0.15,
        endAfterSamples: UInt64 = 22_050 * 8, updateEverySamples: UInt64 = 22_050 * 10
    ) {
        self.confirmSamples = confirmSamples
        self.pauseSamples = pauseSamples
        self.onsetSamples = onsetSamples
        self.instantConfidence = instantConfidence
        self.holdConfidence = holdConfidence
        self.endAfterSamples = endAfterSamples
        self.updateEverySamples = updateEverySamples
    }
}

/// The network's decisions as episodes.
public struct SoundEpisodeTracker: Sendable {
    private var tracker: EpisodeTracker<SoundLabel>

    /// A tracker with nothing heard yet.
    public init(rules: SoundEpisodeRules = SoundEpisodeRules()) { tracker = EpisodeTracker(rules: rules) }

    /// Episodes that run now, oldest first.
    public var runningEpisodes: [SoundEpisode] { tracker.runningEpisodes }

    /// Takes the decision about the sound up to `windowEnd` (a 22,050 Hz sample index).
    public mutating func receive(_ decision: SoundDecision, windowEnd: UInt64) -> [SoundEpisodeEvent] {
        let heard = decision.detections.map { (label: $0.label, confidence: $0.confidence) }
        let traces = zip(SoundLabel.networkLabels, decision.classProbabilities).map {
            (label: $0, confidence: decision.presence * $1)
        }
        return tracker.receive(heard: heard, traces: traces, windowEnd: windowEnd)
    }

    /// Whether another decision like this one would change nothing: what it hears is just what runs.
    public func isSettled(_ decision: SoundDecision) -> Bool {
        Set(decision.detections.map(\.label)) == tracker.runningLabels
    }

    /// Ends every episode, when the stream is over.
    public mutating func finish() -> [SoundEpisodeEvent] { tracker.finish() }
}
