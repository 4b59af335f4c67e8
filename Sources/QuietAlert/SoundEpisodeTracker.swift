/// One sound from its start to its end, however many decisions heard it.
public struct SoundEpisode: Equatable, Sendable {
    /// Unique within the tracker, rising from 1.
    public var number: UInt64
    /// What is heard.
    public var label: SoundLabel
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
        number: UInt64, label: SoundLabel, startSampleIndex: UInt64, lastHeardSampleIndex: UInt64,
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
public enum SoundEpisodeEvent: Equatable, Sendable {
    /// A new episode: alert.
    case started(SoundEpisode)
    /// It goes on; sent at most every ``SoundEpisodeRules/updateEverySamples``.
    case updated(SoundEpisode)
    /// It has not been heard for a while; ended where it was last heard.
    case ended(SoundEpisode)
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

/// Joins decisions into episodes: a dog that barks for ten minutes is one. How often decisions come does not matter.
///
/// Bounded: one state for each label. Decisions must come in the order of time; older ones are ignored.
public struct SoundEpisodeTracker: Sendable {
    private struct Candidate: Sendable {
        var firstEnd: UInt64
        var lastEnd: UInt64
        var windows: Int
        var peak: Float
    }

    private struct Running: Sendable {
        var episode: SoundEpisode
        var reportedAt: UInt64
    }

    private let rules: SoundEpisodeRules
    private var candidates: [SoundLabel: Candidate] = [:]
    private var running: [SoundLabel: Running] = [:]
    private var nextNumber: UInt64 = 1
    private var newestEnd: UInt64 = 0

    /// A tracker with nothing heard yet.
    public init(rules: SoundEpisodeRules = SoundEpisodeRules()) { self.rules = rules }

    /// Episodes that run now, oldest first.
    public var runningEpisodes: [SoundEpisode] {
        running.values.map(\.episode).sorted { $0.number < $1.number }
    }

    /// Takes the decision about the sound up to `windowEnd` (a 22,050 Hz sample index).
    public mutating func receive(_ decision: SoundDecision, windowEnd: UInt64) -> [SoundEpisodeEvent] {
        guard windowEnd > newestEnd else { return [] }
        newestEnd = windowEnd
        var events: [SoundEpisodeEvent] = []
        for detection in decision.detections {
            if let event = hear(detection, windowEnd: windowEnd) { events.append(event) }
        }
        for (index, label) in SoundLabel.networkLabels.enumerated() where running[label] != nil {
            guard index < decision.classProbabilities.count,
                !decision.detections.contains(where: { $0.label == label })
            else { continue }
            let confidence = decision.presence * decision.classProbabilities[index]
            guard confidence >= rules.holdConfidence else { continue }
            if let event = keep(label, confidence: confidence, windowEnd: windowEnd) { events.append(event) }
        }
        candidates = candidates.filter { windowEnd - $0.value.lastEnd <= rules.pauseSamples }
        return events + endSilent(at: windowEnd)
    }

    /// Ends every episode, when the stream is over.
    public mutating func finish() -> [SoundEpisodeEvent] {
        let events = runningEpisodes.map { SoundEpisodeEvent.ended($0) }
        running = [:]
        candidates = [:]
        return events
    }

    private mutating func hear(_ detection: SoundDetection, windowEnd: UInt64) -> SoundEpisodeEvent? {
        let label = detection.label
        if running[label] != nil {
            return keep(label, confidence: detection.confidence, windowEnd: windowEnd)
        }
        var candidate =
            candidates[label] ?? Candidate(firstEnd: windowEnd, lastEnd: windowEnd, windows: 0, peak: 0)
        candidate.lastEnd = windowEnd
        candidate.windows += 1
        candidate.peak = max(candidate.peak, detection.confidence)
        guard
            windowEnd - candidate.firstEnd >= rules.confirmSamples
                || detection.confidence >= rules.instantConfidence
        else {
            candidates[label] = candidate
            return nil
        }
        candidates[label] = nil
        let episode = SoundEpisode(
            number: nextNumber, label: label,
            startSampleIndex: candidate.firstEnd > rules.onsetSamples
                ? candidate.firstEnd - rules.onsetSamples : 0,
            lastHeardSampleIndex: windowEnd, peakConfidence: candidate.peak,
            windowCount: UInt64(candidate.windows))
        nextNumber += 1
        running[label] = Running(episode: episode, reportedAt: windowEnd)
        return .started(episode)
    }

    private mutating func keep(_ label: SoundLabel, confidence: Float, windowEnd: UInt64)
        -> SoundEpisodeEvent?
    {
        guard var entry = running[label] else { return nil }
        entry.episode.lastHeardSampleIndex = windowEnd
        entry.episode.peakConfidence = max(entry.episode.peakConfidence, confidence)
        entry.episode.windowCount += 1
        let isDue = windowEnd - entry.reportedAt >= rules.updateEverySamples
        if isDue { entry.reportedAt = windowEnd }
        running[label] = entry
        return isDue ? .updated(entry.episode) : nil
    }

    private mutating func endSilent(at windowEnd: UInt64) -> [SoundEpisodeEvent] {
        let over = runningEpisodes.filter { windowEnd - $0.lastHeardSampleIndex >= rules.endAfterSamples }
        for episode in over { running[episode.label] = nil }
        return over.map { .ended($0) }
    }
}
