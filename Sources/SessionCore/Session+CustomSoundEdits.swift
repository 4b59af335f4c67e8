import QuietAlert
import SenseProtocol

/// A person's own sounds: listed, renamed, removed, and taken up where they changed.
extension Session {
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
    mutating func patch(for edit: CustomSoundEdit) throws(FieldProblem) -> SettingsPatch? {
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

    mutating func store(
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

    mutating func take(_ settings: CustomSoundSettings) {
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

    func isOurs(_ sound: TaughtSound) -> Bool {
        sound.modelDigest == context.sound.space?.modelDigest
    }

    /// The sound of that name, if it was taught to this server's network.
    func learned(_ label: String) -> TaughtSound? {
        teaching.settings.sounds.values.first { $0.label == label && isOurs($0) }
    }

    mutating func sendCustomSounds(_ now: Now, _ actions: inout [SessionAction]) {
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
