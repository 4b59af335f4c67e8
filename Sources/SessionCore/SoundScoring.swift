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

    /// A step whose turn it is.
    enum Turn: Sendable {
        /// The network shall run on it, from this state.
        case compute(Waiting, state: [Float])
        /// It is like all that the network remembers: the answer would be the last one again.
        case repeats(Waiting)
        /// It is silence, and so is all before it.
        case silent(Waiting)
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
        /// The gate has let it pass.
        var isAdmitted = false
    }

    /// What the network said last.
    struct Answer: Sendable {
        var classLogits: [Float]
        var presenceLogit: Float
    }

    /// Steps that may wait: 2.56 s of steps of 0.32 s. A chunk of two seconds, the longest there is, completes seven at once; more than
    /// that is a network that does not keep up. 226 KB.
    static let maxWaitingSteps = 8

    private(set) var waiting: [Waiting] = []
    private(set) var isBusy = false
    private var state: [Float] = []
    private var gate: SteadyGate
    /// The step in work was judged before; it leads in the next one.
    private(set) var isLeadIn = false
    private(set) var answer: Answer?
    private var isLost = false
    private var decisiveFrom = AudioStepper.firstDecisionSamples
    /// Steps that were never judged.
    private(set) var lostSteps: UInt64 = 0

    init(stepSamples: Int = AudioStepper.stepSamples) { gate = SteadyGate(stepSamples: stepSamples) }

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

    /// The step whose turn it is; nil while one is in work. With `maySkip`, steps of steady background need no network.
    mutating func takeTurn(maySkip: Bool) -> Turn? {
        guard !isBusy, var next = waiting.first else { return nil }
        waiting.removeFirst()
        guard !next.step.isSkipped else {
            gate.forget()
            return .silent(next)
        }
        let begins = isLost || next.step.startsFromSilence
        if begins { gate.forget() }
        if isLost {
            let start = next.step.endSampleIndex - UInt64(next.step.samples.count)
            decisiveFrom = start + AudioStepper.firstDecisionSamples
            isLost = false
        }
        isLeadIn = false
        if !next.isAdmitted {
            switch gate.pass(next.step, maySkip: maySkip && answer != nil) {
            case .skip: return .repeats(next)
            case .compute(let step, let leadIn):
                next.step = step
                next.isAdmitted = true
                if let leadIn {
                    waiting.insert(next, at: 0)
                    next.step = leadIn
                    isLeadIn = true
                }
            }
        }
        isBusy = true
        defer { state = [] }
        return .compute(next, state: begins ? [] : state)
    }

    /// The network has answered the step in work.
    mutating func finish(_ answer: Answer, state: [Float]) {
        isBusy = false
        self.state = state
        if !isLeadIn { self.answer = answer }
    }

    /// The network has failed on the step in work, and with it goes what it knew of the stream.
    mutating func fail() {
        isBusy = false
        state = []
        answer = nil
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
        guard let turn = scoring.takeTurn(maySkip: maySkip) else { return nil }
        switch turn {
        case .compute(let next, let state):
            custom?.begin(next.step)
            return .score(next.step, state: state, arrivedUs: next.arrivedUs)
        case .repeats(let next):
            // Nothing of the person's own is new in it either.
            return .judged(judge(lastDecision, point: nil, end: next.step.endSampleIndex, at: now))
        case .silent(let next):
            custom?.begin(next.step)
            // Long silence: nothing is there, and running episodes come to their end.
            let nothing = SoundDecision(presenceLogit: .nan, classLogits: [])
            return .judged(judge(nothing, point: nil, end: next.step.endSampleIndex, at: now))
        }
    }

    /// Whether the network's last answer may be repeated for steps that sound alike: not while an example is being
    /// recorded, and not while a sound waits for its confirmation or its end.
    private var maySkip: Bool {
        settings.skipsSteadySound && custom?.recording == nil && episodes.isSettled(lastDecision)
    }

    private var lastDecision: SoundDecision { decision(scoring.answer) }

    private func decision(_ answer: SoundScoring.Answer?) -> SoundDecision {
        SoundDecision(
            presenceLogit: answer?.presenceLogit ?? .nan, classLogits: answer?.classLogits ?? [],
            thresholds: thresholds)
    }

    /// Turns scores into episode events; nil if they were of a step that was judged before.
    mutating func scored(
        _ answer: SoundScoring.Answer, point: [Float], state: [Float], end: UInt64, at now: Now
    ) -> SoundScoring.Outcome? {
        scoring.finish(answer, state: state)
        guard !scoring.isLeadIn else {
            _ = custom?.hear(point, end: end, isTrusted: false)
            return nil
        }
        return judge(decision(answer), point: point, end: end, at: now)
    }

    /// The model failed on a step, or had no room for it.
    mutating func scoringFailed(at now: Now) {
        scoring.fail()
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
