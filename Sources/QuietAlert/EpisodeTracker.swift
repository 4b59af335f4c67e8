/// Joins decisions into episodes: a dog that barks for ten minutes is one. How often decisions come does not matter.
///
/// Bounded: one state for each label. Decisions must come in the order of time; older ones are ignored.
public struct EpisodeTracker<Label: Hashable & Sendable>: Sendable {
    private struct Candidate: Sendable {
        var firstEnd: UInt64
        var lastEnd: UInt64
        var windows: Int
        var peak: Float
    }

    private struct Running: Sendable {
        var episode: Episode<Label>
        var reportedAt: UInt64
    }

    private let rules: SoundEpisodeRules
    private var candidates: [Label: Candidate] = [:]
    private var running: [Label: Running] = [:]
    private var nextNumber: UInt64 = 1
    private var newestEnd: UInt64 = 0

    /// A tracker with nothing heard yet.
    public init(rules: SoundEpisodeRules = SoundEpisodeRules()) { self.rules = rules }

    /// Episodes that run now, oldest first.
    public var runningEpisodes: [Episode<Label>] {
        running.values.map(\.episode).sorted { $0.number < $1.number }
    }

    /// Labels of the episodes that run now.
    var runningLabels: Set<Label> { Set(running.keys) }

    /// Takes what was heard in the sound up to `windowEnd` (a 22,050 Hz sample index).
    /// - Parameters:
    ///   - heard: labels over their thresholds, with confidences 0…1.
    ///   - traces: confidences of labels that may be below; they keep a running episode alive.
    public mutating func receive(
        heard: [(label: Label, confidence: Float)], traces: [(label: Label, confidence: Float)] = [],
        windowEnd: UInt64
    ) -> [EpisodeEvent<Label>] {
        guard windowEnd > newestEnd else { return [] }
        newestEnd = windowEnd
        var events: [EpisodeEvent<Label>] = []
        for (label, confidence) in heard {
            if let event = hear(label, confidence: confidence, windowEnd: windowEnd) { events.append(event) }
        }
        for (label, confidence) in traces where running[label] != nil && confidence >= rules.holdConfidence {
            guard !heard.contains(where: { $0.label == label }) else { continue }
            if let event = keep(label, confidence: confidence, windowEnd: windowEnd) { events.append(event) }
        }
        candidates = candidates.filter { windowEnd - $0.value.lastEnd <= rules.pauseSamples }
        return events + endSilent(at: windowEnd)
    }

    /// Ends every episode, when the stream is over.
    public mutating func finish() -> [EpisodeEvent<Label>] {
        let events = runningEpisodes.map { EpisodeEvent<Label>.ended($0) }
        running = [:]
        candidates = [:]
        return events
    }

    private mutating func hear(
        _ label: Label, confidence: Float, windowEnd: UInt64
    ) -> EpisodeEvent<Label>? {
        if running[label] != nil { return keep(label, confidence: confidence, windowEnd: windowEnd) }
        var candidate =
            candidates[label] ?? Candidate(firstEnd: windowEnd, lastEnd: windowEnd, windows: 0, peak: 0)
        candidate.lastEnd = windowEnd
        candidate.windows += 1
        candidate.peak = max(candidate.peak, confidence)
        guard
            windowEnd - candidate.firstEnd >= rules.confirmSamples
                || confidence >= rules.instantConfidence
        else {
            candidates[label] = candidate
            return nil
        }
        candidates[label] = nil
        let episode = Episode(
            number: nextNumber, label: label,
            startSampleIndex: candidate.firstEnd > rules.onsetSamples
                ? candidate.firstEnd - rules.onsetSamples : 0,
            lastHeardSampleIndex: windowEnd, peakConfidence: candidate.peak,
            windowCount: UInt64(candidate.windows))
        nextNumber += 1
        running[label] = Running(episode: episode, reportedAt: windowEnd)
        return .started(episode)
    }

    private mutating func keep(
        _ label: Label, confidence: Float, windowEnd: UInt64
    ) -> EpisodeEvent<Label>? {
        guard var entry = running[label] else { return nil }
        entry.episode.lastHeardSampleIndex = windowEnd
        entry.episode.peakConfidence = max(entry.episode.peakConfidence, confidence)
        entry.episode.windowCount += 1
        let isDue = windowEnd - entry.reportedAt >= rules.updateEverySamples
        if isDue { entry.reportedAt = windowEnd }
        running[label] = entry
        return isDue ? .updated(entry.episode) : nil
    }

    private mutating func endSilent(at windowEnd: UInt64) -> [EpisodeEvent<Label>] {
        let over = runningEpisodes.filter { windowEnd - $0.lastHeardSampleIndex >= rules.endAfterSamples }
        for episode in over { running[episode.label] = nil }
        return over.map { .ended($0) }
    }
}
