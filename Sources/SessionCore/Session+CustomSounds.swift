public import QuietAlert
import SenseProtocol

extension Session {
    // MARK: Examples

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

    // MARK: Wishes

    mutating func receive(
        _ edit: CustomSoundEdit, _ seq: UInt64, _ now: Now, _ actions: inout [SessionAction]
    ) {
        teaching.isInterested = true
        guard teaching.isKnown else {
            guard teaching.waiting.count < CustomSoundLimits.maxSounds else {
                report(
                    FieldProblem(
                        .tooFast, field: "custom_sound_edit", expected: "the answer to the last wish first",
                        got: "one more", retryAfterMs: 1000), seq: seq, now, &actions)
                return
            }
            teaching.waiting.append((edit, seq))
            if teaching.waiting.count == 1 { actions.append(.request(.customSounds, seq: seq)) }
            return
        }
        do throws(FieldProblem) {
            if let patch = try patch(for: edit) {
                store(patch, seq: seq, now, &actions)
            } else {
                sendCustomSounds(now, &actions)
            }
        } catch {
            report(error, seq: seq, now, &actions)
        }
    }

    /// The change of settings that an edit wishes; nil for none.
    private mutating func patch(for edit: CustomSoundEdit) throws(FieldProblem) -> SettingsPatch? {
        let wishes = [!edit.newLabel.isEmpty, edit.remove, edit.urgency != .unspecified].count { $0 }
        guard wishes > 0 else { return nil }
        guard wishes == 1 else {
            throw FieldProblem(
                field: "custom_sound_edit", expected: "one of new_label, remove, urgency", got: "\(wishes)")
        }
        guard !teaching.isBusy else {
            throw FieldProblem(
                .tooFast, field: "custom_sound_edit", expected: "the answer to the last wish first",
                got: "another", retryAfterMs: 1000)
        }
        let hadExamples = teaching.pending[edit.label] != nil
        guard let key = teaching.settings.key(of: edit.label), var sound = teaching.settings.sounds[key]
        else {
            if edit.remove, hadExamples {
                teaching.pending[edit.label] = nil
                return nil
            }
            throw FieldProblem(
                .notFound, field: "custom_sound_edit.label", expected: "the name of a sound that was taught",
                got: edit.label)
        }
        if edit.remove {
            teaching.pending[edit.label] = nil
            return teaching.settings.removing(key)
        }
        if !edit.newLabel.isEmpty {
            if let problem = nameProblem(edit.newLabel, field: "custom_sound_edit.new_label") {
                throw problem
            }
            guard teaching.settings.key(of: edit.newLabel) == nil else {
                throw FieldProblem(
                    field: "custom_sound_edit.new_label", expected: "a name that is not taken",
                    got: edit.newLabel)
            }
            sound.label = edit.newLabel
        } else {
            guard let urgency = SoundUrgency(taught: edit.urgency) else {
                throw FieldProblem(
                    field: "custom_sound_edit.urgency",
                    expected: "INFO, NORMAL or URGENT (life safety is for alarms known by their pattern)",
                    got: "\(edit.urgency.rawValue)")
            }
            sound.urgency = urgency
        }
        return teaching.settings.keeping(sound, at: key)
    }

    private mutating func store(
        _ patch: SettingsPatch?, seq: UInt64, _ now: Now, _ actions: inout [SessionAction]
    ) {
        guard let patch else {
            report(
                FieldProblem(
                    field: "sound_example.label", expected: "at most \(CustomSoundLimits.maxSounds) sounds",
                    got: "one more"), seq: seq, now, &actions)
            return
        }
        teaching.isBusy = true
        actions.append(.request(.storeCustomSounds(patch), seq: seq))
    }

    // MARK: What is in force

    /// The store has taken changed sounds (or not: nil, and `fail` says why).
    public mutating func customSoundsStored(
        _ settings: CustomSoundSettings?, at now: Now, actions: inout [SessionAction]
    ) {
        guard phase == .active else { return }
        teaching.isBusy = false
        let label = teaching.storing
        teaching.storing = nil
        guard let settings else { return }
        // Examples that were learned are the sound's own now.
        if let label { teaching.pending[label] = nil }
        take(settings)
        sendCustomSounds(now, &actions)
    }

    /// The profile's own sounds, as they are now.
    public mutating func customSoundsKnown(
        _ settings: CustomSoundSettings, at now: Now, actions: inout [SessionAction]
    ) {
        guard phase == .active else { return }
        let isNews =
            (teaching.isKnown || teaching.expectsNews) && settings.sounds != teaching.settings.sounds
        teaching.expectsNews = false
        take(settings)
        teaching.isKnown = true
        let waiting = teaching.waiting
        teaching.waiting = []
        for (edit, seq) in waiting { receive(edit, seq, now, &actions) }
        if isNews, waiting.isEmpty, teaching.isInterested || hello.capabilities?.screen == true {
            sendCustomSounds(now, &actions)
        }
    }

    /// Some sound of the profile changed.
    public mutating func customSoundsChanged(at now: Now, actions: inout [SessionAction]) {
        guard phase == .active else { return }
        // A device that never asked still shows what its person has, if it can.
        guard teaching.isKnown || hello.capabilities?.screen == true else { return }
        teaching.expectsNews = true
        actions.append(.request(.customSounds, seq: 0))
    }

    private mutating func take(_ settings: CustomSoundSettings) {
        teaching.settings = settings
        for id in audio.keys { takeCustomSounds(id) }
    }

    mutating func takeCustomSounds(_ id: UInt32) {
        let sounds = teaching.settings.sounds.values.map { sound in
            var sound = sound
            let logits = alertSettings.thresholdShift(sound.label, room: hello.room)
            sound.threshold = min(max(sound.threshold + logits * Self.similarityPerLogit, 0.05), 0.99)
            return sound
        }
        audio[id]?.custom?.take(sounds)
    }

    /// How far a sensitivity moves the threshold of a person's own sound: a tenth of full similarity at most.
    private static let similarityPerLogit: Float = 0.05

    private func isOurs(_ sound: TaughtSound) -> Bool {
        sound.modelDigest == context.sound.space?.modelDigest
    }

    /// The sound of that name, if it was taught to this server's network.
    private func learned(_ label: String) -> TaughtSound? {
        teaching.settings.sounds.values.first { $0.label == label && isOurs($0) }
    }

    private mutating func sendCustomSounds(_ now: Now, _ actions: inout [SessionAction]) {
        var list: [String: CustomSound] = [:]
        for sound in teaching.settings.sounds.values {
            let model = "\(sound.modelName) \(sound.modelVersion)"
            list[sound.label] = CustomSound(
                label: sound.label, examples: UInt32(clamping: sound.examples.count),
                threshold: isOurs(sound) ? sound.threshold : 0, urgency: sound.urgency.wire,
                teachAgain: !isOurs(sound), model: model)
        }
        for (label, examples) in teaching.pending {
            let stored = learned(label)?.examples.count ?? 0
            var entry =
                list[label] ?? CustomSound(label: label, urgency: SoundUrgency.normal.wire)
            entry.examples = UInt32(clamping: stored + examples.count)
            list[label] = entry
        }
        let sounds = list.values.sorted { $0.label < $1.label }
        send(.customSounds(CustomSounds(sounds: sounds)), .durable, now, &actions)
    }

    // MARK: Checks

    private func unteachable(_ field: String) -> FieldProblem {
        FieldProblem(
            .unavailable, field: field, expected: "a sound model that can be taught sounds",
            got: "a server without one")
    }

    private func nameProblem(_ label: String, field: String) -> FieldProblem? {
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

    private func isModelLabel(_ label: String) -> Bool {
        context.models.contains { $0.name == context.sound.modelName && $0.labels.contains(label) }
    }

    /// Whether one more example of that sound can be taken.
    private func roomProblem(_ label: String, field: String) -> FieldProblem? {
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

extension SoundUrgency {
    /// What a person may give a sound of their own.
    init?(taught wire: Urgency) {
        switch wire {
        case .info: self = .info
        case .normal: self = .normal
        case .urgent: self = .urgent
        case .lifeSafety, .unspecified, .unrecognized: return nil
        }
    }
}

extension FieldProblem {
    /// Why an example or a sound was not taken, in words that say what to do.
    init(_ problem: CustomSoundProblem, of label: String) {
        func decibels(_ value: Float) -> String { "\(Int(max(-999, min(999, value)).rounded())) dBFS" }
        func percent(_ value: Float) -> String { "\(Int((max(-1, min(1, value)) * 100).rounded())) %" }
        let what = "\(label.prefix(40)): "
        let (expected, got): (String, String) =
            switch problem {
            case .silent: ("an example with sound in it", what + "silence")
            case .tooQuiet(let peak):
                (
                    "at least \(decibels(CustomSoundLimits.minLevelDecibels)) at its loudest; go nearer",
                    what + decibels(peak)
                )
            case .tooShort(let ms):
                ("at least \(CustomSoundLimits.minSoundingBlocks * 10) ms of sound", what + "\(ms) ms")
            case .nothingNew:
                ("a sound that begins after the recording", what + "nothing that was not there before")
            case .interrupted:
                ("an example that was heard without a gap; record it again", what + "one with a gap")
            case .unlike(let example, let similarity, let least):
                (
                    "examples at least \(percent(least)) alike; that one was left out",
                    what + "example \(example + 1), \(percent(similarity)) like the others"
                )
            case .tooCommon(let similarity, let strangers):
                (
                    "examples more like each other than everyday sounds are; they were left out",
                    what + "\(percent(similarity)) among them, everyday sounds \(percent(strangers))"
                )
            }
        self.init(
            problem == .interrupted ? .unavailable : .invalidValue, field: "sound_example.recording",
            expected: expected, got: got)
    }
}
