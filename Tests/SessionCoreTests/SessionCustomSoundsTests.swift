import QuietAlert
import SenseProtocol
import SessionCore
import Testing

@Suite("A person's own sounds in a session")
struct SessionCustomSoundsTests {
    static let digest = [UInt8](repeating: 7, count: 32)

    /// A network whose embedding is the point itself; strangers lie on the third axis.
    static func context(digest: [UInt8] = digest) -> SessionContext {
        var sound = SoundSettings()
        sound.space = SoundSpace(
            modelDigest: digest, embeddingWidth: 3, width: 3, lagSteps: 2, stepSamples: 7056,
            rule: ThresholdRule(strangerMargin: 0.05, spreadShare: 0.5, leastThreshold: 0.5),
            silence: [0, 0, 0], map: [1, 0, 0, 0, 1, 0, 0, 0, 1], strangers: [0, 0, 1])
        sound.modelName = "quietalert"
        sound.modelVersion = "9"
        return SessionContext(
            serverVersion: "test",
            models: [ModelInfo(name: "quietalert", version: "9", labels: ["dog", "cat"])], sound: sound)
    }

    static func opened(_ settings: CustomSoundSettings = CustomSoundSettings()) -> SessionScript {
        var script = SessionScript.welcomed(context: context())
        script.send(
            .openStream(
                OpenStream(
                    streamId: 1,
                    format: .audio(AudioFormat(encoding: .pcmS16le, sampleRateHz: 16_000, channels: 1)))))
        script.session.customSoundsKnown(settings, at: script.now, actions: &script.actions)
        script.actions = []
        return script
    }

    /// Streams a second of quiet, `seconds` of a tone whose steps lie at `point`, and quiet again.
    static func sound(
        _ script: inout SessionScript, at point: [Float], from start: Double, seconds: Double = 1.3
    ) {
        var t = start
        while t < start + 4 - 0.01 {
            let isOn = t >= start + 1 && t < start + 1 + seconds
            script.send(
                .audioChunk(
                    AudioChunk(
                        streamId: 1, firstSampleIndex: UInt64((t * 16_000).rounded()),
                        monoUs: UInt64((t * 1e6).rounded()) + 1,
                        samples: SessionAudioTests.pcm(0.1, from: t) { time in
                            (isOn ? 0.3 : 0.0005)
                                * ((time * 440).truncatingRemainder(dividingBy: 1) < 0.5 ? 1 : -1)
                        })))
            script.advance(0.1)
            t += 0.1
            answer(&script) { isOn ? point : [0, 0, 0] }
        }
    }

    static func answer(_ script: inout SessionScript, _ point: () -> [Float]) {
        var jobs = SessionAudioTests.takeJobs(&script)
        while !jobs.isEmpty {
            for job in jobs {
                script.session.soundScored(
                    job, classLogits: [Float](repeating: 0, count: 9), presenceLogit: -9, point: point(),
                    state: [1], at: script.now, actions: &script.actions)
            }
            jobs = SessionAudioTests.takeJobs(&script)
        }
    }

    /// Teaches one example; answers a wish to learn, and stores what comes of it.
    static func teach(
        _ script: inout SessionScript, _ label: String, at point: [Float], from start: Double,
        learned: Result<Float, CustomSoundProblem>? = .success(0.8)
    ) {
        script.send(.soundExample(SoundExample(streamId: 1, label: label, recording: true)))
        sound(&script, at: point, from: start)
        script.send(.soundExample(SoundExample(streamId: 1, recording: false)))
        for action in script.actions {
            if case .learnCustomSound(let job) = action {
                script.session.customSoundLearned(job, learned, at: script.now, actions: &script.actions)
            }
        }
        store(&script)
    }

    /// Performs the wish to store as the server does.
    static func store(_ script: inout SessionScript) {
        for action in script.actions {
            if case .request(.storeCustomSounds(let patch), _) = action {
                let state = SettingsState(revision: patch.baseRevision + 1, settings: patch.settings)
                script.session.customSoundsStored(
                    CustomSoundSettings(state), at: script.now, actions: &script.actions)
            }
        }
        script.actions.removeAll {
            switch $0 {
            case .request(.storeCustomSounds, _), .learnCustomSound: true
            default: false
            }
        }
    }

    static func takeSounds(_ script: inout SessionScript) -> [CustomSounds] {
        script.takeSent().compactMap { if case .customSounds(let sounds) = $0 { sounds } else { nil } }
    }

    static func taught() -> SessionScript {
        var script = opened()
        for index in 0..<3 {
            teach(&script, "my kettle", at: [1, 0.1 * Float(index), 0], from: Double(index) * 4)
        }
        return script
    }

    @Test("three examples become a sound that is heard and told with its own name")
    func teachAndHear() throws {
        var script = Self.opened()
        for index in 0..<3 {
            Self.teach(&script, "my kettle", at: [1, 0.1 * Float(index), 0], from: Double(index) * 4)
            let answer = try #require(Self.takeSounds(&script).last?.sounds.first)
            #expect(answer.label == "my kettle" && answer.examples == UInt32(index + 1))
            #expect(answer.threshold == (index == 2 ? 0.8 : 0))
            #expect(!answer.teachAgain && answer.urgency == .normal)
        }
        script.actions = []
        Self.sound(&script, at: [0, 0, 1], from: 12)
        #expect(SessionAudioTests.observations(script).isEmpty)
        Self.sound(&script, at: [2, 0.1, 0], from: 16)
        let seen = SessionAudioTests.observations(script)
        #expect(seen.first?.label == "my kettle" && seen.first?.step == .confirmed)
        #expect(seen.first?.urgency == .normal && seen.first?.haptic.patternId == "sound.single")
        let scores = script.takeSent().compactMap { body -> Float? in
            guard case .soundScores(let scores) = body else { return nil }
            return scores.scores.first { $0.label == "my kettle" }?.score
        }
        #expect(scores.max() ?? 0 > 0.9)
    }

    @Test("list, rename, urgency and remove are answered with what is in force")
    func edits() throws {
        var script = Self.taught()
        script.actions = []
        script.send(.customSoundEdit(CustomSoundEdit()))
        #expect(Self.takeSounds(&script).last?.sounds.map(\.label) == ["my kettle"])
        script.send(.customSoundEdit(CustomSoundEdit(label: "my kettle", newLabel: "the kettle")))
        Self.store(&script)
        #expect(Self.takeSounds(&script).last?.sounds.map(\.label) == ["the kettle"])
        script.send(.customSoundEdit(CustomSoundEdit(label: "the kettle", urgency: .urgent)))
        Self.store(&script)
        let urgent = try #require(Self.takeSounds(&script).last?.sounds.first)
        #expect(urgent.urgency == .urgent && urgent.examples == 3 && urgent.threshold == 0.8)
        Self.sound(&script, at: [2, 0.1, 0], from: 12)
        #expect(SessionAudioTests.observations(script).first?.urgency == .urgent)
        script.send(.customSoundEdit(CustomSoundEdit(label: "the kettle", remove: true)))
        Self.store(&script)
        #expect(Self.takeSounds(&script).last?.sounds == [])
    }

    @Test("what cannot be taken is refused with its field")
    func refusals() {
        var script = Self.taught()
        script.actions = []
        func refusal(_ body: Envelope.Body, _ field: String, _ code: ErrorCode = .invalidValue) {
            script.send(body)
            let errors = script.takeErrors()
            #expect(errors.first?.field == field && errors.first?.code == code, "\(body)")
            #expect(errors.count == 1)
        }
        func example(_ label: String, recording: Bool = true, stream: UInt32 = 1) -> Envelope.Body {
            .soundExample(SoundExample(streamId: stream, label: label, recording: recording))
        }
        refusal(example("x", stream: 5), "sound_example.stream_id", .notFound)
        refusal(example(""), "sound_example.label")
        refusal(example("  "), "sound_example.label")
        refusal(example("smoke_alarm"), "sound_example.label")
        refusal(example("cat"), "sound_example.label")
        refusal(example("a\u{0}b"), "sound_example.label")
        refusal(example(String(repeating: "x", count: 65)), "sound_example.label")
        refusal(example("", recording: false), "sound_example.recording")
        func edit(_ edit: CustomSoundEdit) -> Envelope.Body { .customSoundEdit(edit) }
        refusal(edit(CustomSoundEdit(label: "no", remove: true)), "custom_sound_edit.label", .notFound)
        refusal(edit(CustomSoundEdit(remove: true)), "custom_sound_edit.label", .notFound)
        refusal(
            edit(CustomSoundEdit(label: "my kettle", newLabel: "x", remove: true)), "custom_sound_edit")
        refusal(
            edit(CustomSoundEdit(label: "my kettle", newLabel: "co_alarm")), "custom_sound_edit.new_label")
        refusal(
            edit(CustomSoundEdit(label: "my kettle", newLabel: "my kettle")), "custom_sound_edit.new_label")
        refusal(
            edit(CustomSoundEdit(label: "my kettle", urgency: .lifeSafety)), "custom_sound_edit.urgency")
        // One example at a time.
        script.send(example("two"))
        refusal(example("two"), "sound_example.recording")
    }

    @Test("an example without sound is refused, and one that is unlike the others is left out")
    func badExamples() throws {
        var script = Self.opened()
        script.send(.soundExample(SoundExample(streamId: 1, label: "a", recording: true)))
        script.send(.soundExample(SoundExample(streamId: 1, recording: false)))
        #expect(script.takeErrors().first?.field == "sound_example.recording")
        for index in 0..<2 { Self.teach(&script, "a", at: [1, 0, 0], from: Double(index) * 4) }
        script.actions = []
        Self.teach(
            &script, "a", at: [0, 1, 0], from: 8,
            learned: .failure(.unlike(example: 2, similarity: 0.1, least: 0.5)))
        let error = try #require(script.takeErrors().first)
        #expect(error.code == .invalidValue && error.devMessage.contains("example 3"))
        script.send(.customSoundEdit(CustomSoundEdit()))
        #expect(Self.takeSounds(&script).last?.sounds.first?.examples == 2)
        // Too common: all are forgotten, and so is the name.
        Self.teach(
            &script, "a", at: [1, 0, 0], from: 12,
            learned: .failure(.tooCommon(similarity: 0.5, strangers: 0.9)))
        script.actions = []
        script.send(.customSoundEdit(CustomSoundEdit()))
        #expect(Self.takeSounds(&script).last?.sounds == [])
    }

    @Test("examples and sounds have their limits")
    func limits() {
        var settings = CustomSoundSettings()
        let vector = CustomSoundExample(vectors: [[1, 0, 0]], magnitude: 1)
        for index in 0..<CustomSoundLimits.maxSounds {
            settings.sounds["sounds.custom.\(index)"] = TaughtSound(
                label: "sound \(index)", urgency: .normal, modelName: "quietalert", modelVersion: "9",
                modelDigest: Self.digest, examples: .init(repeating: vector, count: index == 0 ? 10 : 3),
                threshold: 0.8)
        }
        var script = Self.opened(settings)
        script.send(.soundExample(SoundExample(streamId: 1, label: "one more", recording: true)))
        #expect(script.takeErrors().first?.devMessage.contains("at most 16 sounds") == true)
        script.send(.soundExample(SoundExample(streamId: 1, label: "sound 0", recording: true)))
        #expect(script.takeErrors().first?.devMessage.contains("at most 10 examples") == true)
        script.send(.soundExample(SoundExample(streamId: 1, label: "sound 1", recording: true)))
        #expect(script.takeErrors().isEmpty)
    }

    @Test("a sound taught to another network is listed as to be taught again, and begins anew")
    func otherNetwork() throws {
        var old = TaughtSound(
            label: "bell", urgency: .urgent, modelName: "quietalert", modelVersion: "1",
            modelDigest: .init(repeating: 1, count: 32),
            examples: .init(
                repeating: CustomSoundExample(vectors: [[1, 0]], magnitude: 1), count: 3), threshold: 0.7)
        old.label = "bell"
        var settings = CustomSoundSettings()
        settings.sounds["sounds.custom.4"] = old
        var script = Self.opened(settings)
        script.send(.customSoundEdit(CustomSoundEdit()))
        let listed = try #require(Self.takeSounds(&script).last?.sounds.first)
        #expect(listed.teachAgain && listed.threshold == 0 && listed.model == "quietalert 1")
        for index in 0..<3 { Self.teach(&script, "bell", at: [1, 0, 0], from: Double(index) * 4) }
        let taught = try #require(Self.takeSounds(&script).last?.sounds.first)
        #expect(!taught.teachAgain && taught.examples == 3 && taught.urgency == .urgent)
        #expect(taught.model == "quietalert 9")
    }

    @Test("another device's change is told and takes effect")
    func changedElsewhere() {
        var script = Self.opened()
        script.session.customSoundsChanged(at: script.now, actions: &script.actions)
        #expect(
            script.actions.contains { if case .request(.customSounds, _) = $0 { true } else { false } })
        var settings = CustomSoundSettings()
        settings.sounds["sounds.custom.0"] = TaughtSound(
            label: "bell", urgency: .normal, modelName: "quietalert", modelVersion: "9",
            modelDigest: Self.digest,
            examples: .init(
                repeating: CustomSoundExample(vectors: [[1, 0, 0]], magnitude: 1), count: 3), threshold: 0.7)
        script.session.customSoundsKnown(settings, at: script.now, actions: &script.actions)
        #expect(Self.takeSounds(&script).last?.sounds.map(\.label) == ["bell"])
        Self.sound(&script, at: [1, 0, 0], from: 0)
        #expect(SessionAudioTests.observations(script).first?.label == "bell")
    }

    @Test("a server without a space says that nothing can be taught")
    func unavailable() {
        var script = SessionAudioTests.opened()
        script.send(.soundExample(SoundExample(streamId: 1, label: "x", recording: true)))
        #expect(script.takeErrors().first?.code == .unavailable)
    }

    @Test("a smoke alarm is heard while an example is recorded")
    func smokeWhileTeaching() {
        var script = Self.opened()
        script.send(.soundExample(SoundExample(streamId: 1, label: "x", recording: true)))
        SessionAudioTests.stream(&script, seconds: 12, SessionAudioTests.smokeAlarm)
        let seen = SessionAudioTests.observations(script)
        #expect(
            seen.contains { $0.label == "smoke_alarm" && $0.step == .confirmed && $0.urgency == .lifeSafety })
    }
}
