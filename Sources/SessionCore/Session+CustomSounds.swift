public import QuietAlert
import SenseProtocol

/// Examples of a person's own sound: recorded, added, learned.
extension Session {
    mutating func receive(
        _ example: SoundExample, _ seq: UInt64, _ now: Now, _ actions: inout [SessionAction]
    ) {
        let id = example.streamId
        guard isOpen(id, .audio, "sound_example", seq, now, &actions) else { return }
        teaching.isInterested = true
        guard let stream = audio[id], let custom = stream.custom else {
            report(unteachable("sound_example"), stream: id, seq: seq, now, &actions)
            return
        }
        if example.recording {
            let problem =
                custom.recording != nil
                ? FieldProblem(
                    field: "sound_example.recording", expected: "one example at a time",
                    got: "a second before the end of the first")
                : nameProblem(example.label, field: "sound_example.label")
                    ?? roomProblem(example.label, field: "sound_example.label")
            if let problem {
                report(problem, stream: id, seq: seq, now, &actions)
            } else {
                audio[id]?.custom?.recording = CustomHearing.Recording(
                    label: example.label, fromSample: stream.sound.endSampleIndex,
                    recorder: ExampleRecorder(stepSamples: custom.space.stepSamples))
            }
        } else if custom.recording == nil {
            report(
                FieldProblem(
                    field: "sound_example.recording", expected: "true, to begin an example", got: "false"),
                stream: id, seq: seq, now, &actions)
        } else {
            audio[id]?.custom?.recording?.endedBySeq = seq
            finishExampleIfHeard(id, now, &actions)
        }
    }

    /// The stream is to be finished, and with it the example that is being recorded.
    mutating func endExample(_ id: UInt32, seq: UInt64) {
        guard audio[id]?.custom?.recording?.endedBySeq == nil else { return }
        audio[id]?.custom?.recording?.endedBySeq = seq
    }

    /// Takes an example that has ended, once all of it was judged.
    mutating func finishExampleIfHeard(_ id: UInt32, _ now: Now, _ actions: inout [SessionAction]) {
        guard let stream = audio[id], !stream.isOwedScores, let recording = stream.custom?.recording,
            let seq = recording.endedBySeq
        else { return }
        audio[id]?.custom?.recording = nil
        do throws(CustomSoundProblem) {
            let example = try recording.recorder.finish()
            add(example, to: recording.label, stream: id, seq: seq, now, &actions)
        } catch {
            report(FieldProblem(error, of: recording.label), stream: id, seq: seq, now, &actions)
        }
    }

    private mutating func add(
        _ example: CustomSoundExample, to label: String, stream: UInt32, seq: UInt64, _ now: Now,
        _ actions: inout [SessionAction]
    ) {
        let problem =
            teaching.isKnown && !teaching.isBusy
            ? roomProblem(label, field: "sound_example.label")
            : FieldProblem(
                .tooFast, field: "sound_example.recording", expected: "the answer to the last wish first",
                got: "another", retryAfterMs: 1000)
        if let problem {
            report(problem, stream: stream, seq: seq, now, &actions)
            return
        }
        teaching.pending[label, default: []].append(example)
        let known = learned(label)
        let examples = (known?.examples ?? []) + (teaching.pending[label] ?? [])
        guard examples.count >= CustomSoundLimits.examples.lowerBound, let space = context.sound.space else {
            sendCustomSounds(now, &actions)
            return
        }
        let urgency = teaching.settings.sounds.values.first { $0.label == label }?.urgency ?? .normal
        teaching.isBusy = true
        actions.append(
            .learnCustomSound(
                CustomSoundJob(
                    sound: TaughtSound(
                        label: label, urgency: urgency, modelName: context.sound.modelName,
                        modelVersion: context.sound.modelVersion, modelDigest: space.modelDigest,
                        examples: examples, threshold: 0), seq: seq)))
    }

    /// What came of the examples.
    /// - Parameter outcome: the threshold, or why there is none; nil if nobody had time for it.
    public mutating func customSoundLearned(
        _ job: CustomSoundJob, _ outcome: Result<Float, CustomSoundProblem>?, at now: Now,
        actions: inout [SessionAction]
    ) {
        guard phase == .active else { return }
        let label = job.sound.label
        teaching.isBusy = false
        switch outcome {
        case .success(let threshold)?:
            var sound = job.sound
            sound.threshold = threshold
            teaching.storing = label
            store(teaching.settings.keeping(sound), seq: job.seq, now, &actions)
        case .failure(let problem)?:
            forgetExamples(of: label, because: problem)
            report(FieldProblem(problem, of: label), seq: job.seq, now, &actions)
        case nil:
            _ = teaching.pending[label]?.popLast()
            report(
                FieldProblem(
                    .unavailable, field: "sound_example.recording", expected: "a free worker",
                    got: "a busy server", retryAfterMs: 1000), seq: job.seq, now, &actions)
        }
    }

    /// An example that does not fit is not kept. Of a sound that is too common none are.
    private mutating func forgetExamples(of label: String, because problem: CustomSoundProblem) {
        let stored = learned(label)?.examples.count ?? 0
        guard case .unlike(let example, _, _) = problem, let pending = teaching.pending[label]?.count,
            pending > 0
        else {
            teaching.pending[label] = nil
            return
        }
        let place = example - stored
        teaching.pending[label]?.remove(at: (0..<pending).contains(place) ? place : pending - 1)
    }

    // MARK: Checks

    func unteachable(_ field: String) -> FieldProblem {
        FieldProblem(
            .unavailable, field: field, expected: "a sound model that can be taught sounds",
            got: "a server without one")
    }

    func nameProblem(_ label: String, field: String) -> FieldProblem? {
        if let problem = FieldProblem.name(label, field: field, maxBytes: CustomSoundLimits.maxNameBytes) {
            return problem
        }
        let isBlank = label.allSatisfy(\.isWhitespace)
        // Names are told apart as settings are: a sound called "Smoke alarm" could never be set.
        let slug = AlertSettings.slug(label)
        guard !isBlank, SoundLabel(rawValue: slug) == nil, !isModelLabel(slug) else {
            return FieldProblem(
                field: field, expected: "a name of its own", got: isBlank ? "an empty name" : label)
        }
        return nil
    }

    func isModelLabel(_ label: String) -> Bool {
        context.models.contains { $0.name == context.sound.modelName && $0.labels.contains(label) }
    }

    /// Whether one more example of that sound can be taken.
    func roomProblem(_ label: String, field: String) -> FieldProblem? {
        let count = (learned(label)?.examples.count ?? 0) + (teaching.pending[label]?.count ?? 0)
        if count >= CustomSoundLimits.examples.upperBound {
            return FieldProblem(
                field: field,
                expected: "at most \(CustomSoundLimits.examples.upperBound) examples of a sound",
                got: "one more")
        }
        let names = Set(teaching.settings.sounds.values.map(\.label)).union(teaching.pending.keys)
        if !names.contains(label), names.count >= CustomSoundLimits.maxSounds {
            return FieldProblem(
                field: field, expected: "at most \(CustomSoundLimits.maxSounds) sounds", got: "one more")
        }
        return nil
    }
}
