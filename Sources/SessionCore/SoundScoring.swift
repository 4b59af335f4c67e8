import QuietAlert
import SignalProcessing

/// The steps of one stream on their way through the sound network: in order, one in work at a time.
///
/// When the network does not keep up, the newest step wins: those between are left out, the network begins anew from
/// silence, and nothing is decided until it has heard enough again. What was left out is blind time.
struct SoundScoring: Sendable {
    /// What became of one step.
    struct Outcome: Sendable {
        /// Nil while the network has not heard enough to be believed.
        var decision: SoundDecision?
        var events: [SoundEpisodeEvent]
        /// What of the person's own sounds was heard.
        var own = CustomHearing.Heard()
        var end: UInt64
    }

    /// What to do next.
    enum Next: Sendable {
        /// Ask the network.
        case score(AudioStep, state: [Float], arrivedUs: UInt64)
        /// The step needed no network.
        case judged(Outcome)
    }

    struct Waiting: Sendable {
        var step: AudioStep
        var arrivedUs: UInt64
    }

    /// Steps that may wait: 2.56 s of steps of 0.32 s. A chunk of two seconds, the longest there is, completes seven at once; more than
    /// that is a network that does not keep up. 226 KB.
    static let maxWaitingSteps = 8

    private(set) var waiting: [Waiting] = []
    private(set) var isBusy = false
    private var state: [Float] = []
    private var isLost = false
    private var decisiveFrom = AudioStepper.firstDecisionSamples
    /// Steps that were never judged.
    private(set) var lostSteps: UInt64 = 0

    var isOwed: Bool { isBusy || !waiting.isEmpty }

    /// Whether what the network says of the sound up to `end` may be believed.
    func isDecisive(_ end: UInt64) -> Bool { end >= decisiveFrom }

    /// Adds steps in the order of time; returns how many others were left out for them.
    mutating func offer(_ steps: [AudioStep], atUs: UInt64) -> UInt64 {
        for step in steps {
            if step.isSkipped, waiting.last?.step.isSkipped == true { waiting.removeLast() }
            waiting.append(Waiting(step: step, arrivedUs: atUs))
        }
        let computed = waiting.count { !$0.step.isSkipped }
        guard computed > Self.maxWaitingSteps, let newest = waiting.last(where: { !$0.step.isSkipped }) else {
            return 0
        }
        waiting = [newest]
        isLost = true
        lostSteps &+= UInt64(computed - 1)
        return UInt64(computed - 1)
    }

    /// The step whose turn it is, with the state it meets; nil while one is in work.
    mutating func take() -> (waiting: Waiting, state: [Float])? {
        guard !isBusy, let next = waiting.first else { return nil }
        waiting.removeFirst()
        guard !next.step.isSkipped else { return (next, []) }
        let begins = isLost || next.step.startsFromSilence
        if isLost {
            let start = next.step.endSampleIndex - UInt64(next.step.samples.count)
            decisiveFrom = start + AudioStepper.firstDecisionSamples
            isLost = false
        }
        isBusy = true
        defer { state = [] }
        return (next, begins ? [] : state)
    }

    /// The step in work is done; nil if it failed, and with it what the network knew of the stream.
    mutating func finish(_ state: [Float]?) {
        isBusy = false
        self.state = state ?? []
        guard state == nil else { return }
        isLost = true
        lostSteps &+= 1
    }
}

extension AudioStream {
    var isOwedScores: Bool { scoring.isOwed }

    /// Seconds of the stream that the network did not get to.
    var lostSeconds: Int {
        Int(scoring.lostSteps) * settings.stepSamples / AudioStepper.sampleRateHz
    }

    /// Offers complete steps.
    mutating func offer(_ steps: [AudioStep], at now: Now) {
        guard settings.hasNetwork else {
            // Nothing to wait for: the alarm patterns have seen the samples already.
            if !steps.isEmpty { sound.noteInference(nowUs: now.serverUs) }
            return
        }
        noteLost(scoring.offer(steps, atUs: now.serverUs), at: now)
    }

    private mutating func noteLost(_ steps: UInt64, at now: Now) {
        guard steps > 0 else { return }
        custom?.lose()
        sound.noteLost(samples: steps * UInt64(settings.stepSamples), nowUs: now.serverUs)
    }

    /// What is to be done with the next step; nil while the network has one or none is left.
    mutating func next(at now: Now) -> SoundScoring.Next? {
        guard let (next, state) = scoring.take() else { return nil }
        custom?.begin(next.step)
        guard next.step.isSkipped else {
            return .score(next.step, state: state, arrivedUs: next.arrivedUs)
        }
        // Long silence: nothing is there, and running episodes come to their end.
        let nothing = SoundDecision(presenceLogit: .nan, classLogits: [])
        return .judged(judge(nothing, point: nil, end: next.step.endSampleIndex, at: now))
    }

    /// Turns scores into episode events.
    mutating func scored(
        classLogits: [Float], presenceLogit: Float, point: [Float], state: [Float], end: UInt64, at now: Now
    ) -> SoundScoring.Outcome {
        scoring.finish(state)
        let decision = SoundDecision(
            presenceLogit: presenceLogit, classLogits: classLogits, thresholds: thresholds)
        return judge(decision, point: point, end: end, at: now)
    }

    /// The model failed on a step, or had no room for it.
    mutating func scoringFailed(at now: Now) {
        scoring.finish(nil)
        custom?.lose()
        noteLost(1, at: now)
    }

    private mutating func judge(
        _ decision: SoundDecision, point: [Float]?, end: UInt64, at now: Now
    ) -> SoundScoring.Outcome {
        sound.noteInference(nowUs: now.serverUs, waitingSinceUs: scoring.waiting.first?.arrivedUs)
        let isDecisive = scoring.isDecisive(end)
        // Samples at the wrong speed sound like something else: no label is better than a wrong one.
        // What runs still ends in its time.
        let isTrusted = isDecisive && sound.rate.mismatchRatio == nil
        let trusted = isTrusted ? decision : SoundDecision(presenceLogit: .nan, classLogits: [])
        return SoundScoring.Outcome(
            decision: isDecisive ? decision : nil, events: episodes.receive(trusted, windowEnd: end),
            own: custom?.hear(point, end: end, isTrusted: isTrusted) ?? CustomHearing.Heard(), end: end)
    }
}
