import QuietAlert

/// A person's own sounds on one stream: what is new in each step, what of it is theirs, and the example that is being
/// recorded.
struct CustomHearing: Sendable {
    /// What a step brought.
    struct Heard: Sendable {
        var matches: [CustomSoundMatcher.Match] = []
        var events: [EpisodeEvent<String>] = []
    }

    /// An example from its announcement on.
    struct Recording: Sendable {
        var label: String
        var fromSample: UInt64
        var recorder: ExampleRecorder
        /// The message that ended it, which the answer is for; nil while it goes on.
        var endedBySeq: UInt64?
    }

    let space: SoundSpace
    private var matcher: CustomSoundMatcher
    private var trail: NoveltyTrail
    private var episodes: EpisodeTracker<String>
    /// Levels of the step in work, while an example is recorded.
    private var levels: [Float] = []
    var recording: Recording?

    init(_ space: SoundSpace, rules: SoundEpisodeRules) {
        self.space = space
        matcher = CustomSoundMatcher([], in: space)
        trail = NoveltyTrail(lagSteps: space.lagSteps)
        episodes = EpisodeTracker(rules: rules)
    }

    mutating func take(_ sounds: [TaughtSound]) { matcher = CustomSoundMatcher(sounds, in: space) }

    func urgency(of label: String) -> SoundUrgency? { matcher.urgency(of: label) }

    /// A step begins its way; its samples leave for the network.
    mutating func begin(_ step: AudioStep) {
        if step.startsFromSilence { trail.begin(at: space.silence) }
        levels = recording == nil || step.isSkipped ? [] : ExampleRecorder.levels(step.samples)
    }

    /// A step was judged: its point in the space, or nil if it was silence that needed no network.
    mutating func hear(_ point: [Float]?, end: UInt64, isTrusted: Bool) -> Heard {
        let novelty = point.flatMap { $0.isEmpty ? nil : trail.follow($0) }
        if let fromSample = recording?.fromSample, end > fromSample {
            recording?.recorder.take(levels: point == nil ? [] : levels, novelty: novelty)
        }
        let matches = isTrusted ? novelty.map { matcher.match($0) } ?? [] : []
        let events = episodes.receive(
            heard: matches.filter(\.isHeard).map { ($0.label, $0.confidence) },
            traces: matches.map { ($0.label, $0.confidence) }, windowEnd: end)
        return Heard(matches: matches, events: events)
    }

    /// Steps were lost.
    mutating func lose() {
        trail.breakOff()
        recording?.recorder.interrupt()
    }

    /// The stream is over.
    mutating func finish() -> [EpisodeEvent<String>] { episodes.finish() }
}
