import BridgeAI
import SenseProtocol
import Testing

@testable import SessionCore

/// Spelling with word suggestions, and calibration, on one hand stream.
struct SessionWordsTests {
    static let context = SessionContext(
        serverVersion: "test",
        vocabulary: Vocabulary(
            language: Lexicon(["hello", "help", "water"]), sequences: LetterSequences(["hello"])))

    static func opened(suggests: Bool = true) -> SessionScript {
        var script = SessionScript.welcomed(context: context)
        script.send(
            .openStream(
                OpenStream(
                    streamId: 4, kind: .hands,
                    format: .hands(HandFormat(producer: .mediapipe, hasZ: true, wordSuggestions: suggests)))))
        script.actions = []
        return script
    }

    private static let pose: [Float] = (0..<63).map { Float(($0 * 37) % 64) / 64 }

    /// Sends one frame; `letter` nil sends a frame without a hand.
    static func frame(
        _ script: inout SessionScript, _ index: UInt64, _ letter: Character?, sure: Float = 0.95
    ) {
        script.send(
            .handFrames(
                HandFrames(
                    streamId: 4,
                    frames: [
                        HandFrame(
                            frameIndex: index, monoUs: 1 + index * 33_333, handedness: .right,
                            noHand: letter == nil, points: letter == nil ? [] : pose)
                    ])))
        guard let letter, let shown = Letter(letter) else { return }
        var probabilities = [Float](repeating: (1 - sure) / 25, count: 26)
        probabilities[shown.index] = sure
        let jobs = script.actions.compactMap { if case .scoreLetters(let job) = $0 { job } else { nil } }
        script.actions.removeAll { if case .scoreLetters = $0 { true } else { false } }
        for job in jobs {
            script.session.letterScored(
                job, scores: try? LetterScores(probabilities: probabilities), at: script.now,
                actions: &script.actions)
        }
    }

    /// Holds each letter for long enough, with the hand away between two.
    static func spell(_ script: inout SessionScript, _ word: String, from first: inout UInt64) {
        for letter in word {
            for _ in 0..<25 {
                frame(&script, first, letter)
                first += 1
            }
            for _ in 0..<6 {
                frame(&script, first, nil)
                first += 1
            }
        }
    }

    static func suggestions(_ script: inout SessionScript) -> [WordSuggestions] {
        script.takeSent().compactMap { if case .wordSuggestions(let words) = $0 { words } else { nil } }
    }

    @Test func suggestsWhileSpellingAndAtTheEndOfAWord() {
        var script = Self.opened()
        var index: UInt64 = 1
        Self.spell(&script, "HEL", from: &index)
        let partial = Self.suggestions(&script)
        #expect(partial.map(\.letters) == ["H", "HE", "HEL"])
        #expect(partial.allSatisfy { !$0.final })
        #expect(partial.last?.words.first?.word == "HELP")
        Self.spell(&script, "O", from: &index)
        _ = Self.suggestions(&script)
        script.send(.textEdit(TextEdit(streamId: 4, kind: .space)))
        let final = Self.suggestions(&script)
        #expect(final.count == 1)
        #expect(final.first?.final == true)
        #expect(final.first?.letters == "HELO")
        #expect(final.first?.words.first?.word == "HELLO")
    }

    @Test func nothingIsSuggestedUnasked() {
        var script = Self.opened(suggests: false)
        var index: UInt64 = 1
        Self.spell(&script, "HEL", from: &index)
        script.send(.textEdit(TextEdit(streamId: 4, kind: .space)))
        #expect(Self.suggestions(&script).isEmpty)
    }

    @Test func deletingTheSpaceOpensTheWordAgain() {
        var script = Self.opened()
        var index: UInt64 = 1
        Self.spell(&script, "HE", from: &index)
        script.send(.textEdit(TextEdit(streamId: 4, kind: .space)))
        _ = Self.suggestions(&script)
        script.send(.textEdit(TextEdit(streamId: 4, kind: .delete)))
        #expect(Self.suggestions(&script).last?.letters == "HE")
        script.send(.textEdit(TextEdit(streamId: 4, kind: .delete)))
        #expect(Self.suggestions(&script).last?.letters == "H")
        script.send(.textEdit(TextEdit(streamId: 4, kind: .clear)))
        let cleared = Self.suggestions(&script).last
        #expect(cleared?.letters == "" && cleared?.words.isEmpty == true)
    }

    @Test func theWordAtTheEndOfTheStreamIsFinal() {
        var script = Self.opened()
        var index: UInt64 = 1
        Self.spell(&script, "WATER", from: &index)
        _ = Self.suggestions(&script)
        script.send(.finish(Finish(streamId: 4)))
        let bodies = script.takeSent()
        guard case .wordSuggestions(let words)? = bodies.dropLast().last, case .finished? = bodies.last else {
            Issue.record("expected the last word, then Finished, got \(bodies)")
            return
        }
        #expect(words.final && words.letters == "WATER" && words.words.first?.word == "WATER")
    }

    @Test func ownWordsComeFromTheSettings() {
        var script = Self.opened()
        script.session.signerKnown(
            SignerSettings(
                SettingsState(
                    revision: 3,
                    settings: [
                        Setting(key: "bridge.words", value: SettingValue(value: .text("Zoë, Wick"))),
                        Setting(key: "bridge.calibration", value: SettingValue(value: .flag(true))),
                    ])), at: script.now, actions: &script.actions)
        var index: UInt64 = 1
        Self.spell(&script, "ZOE", from: &index)
        #expect(Self.suggestions(&script).last?.words.first?.word == "Zoë")
    }

    // MARK: Calibration

    static func state(_ script: inout SessionScript) -> CalibrationState? {
        script.takeSent().compactMap { if case .calibrationState(let state) = $0 { state } else { nil } }.last
    }

    /// Shows five letters three times each; K looks like V.
    static func calibrated(_ script: inout SessionScript) {
        var index: UInt64 = 1
        for _ in 0..<3 {
            for (shown, seen) in [("A", "A"), ("B", "B"), ("K", "V"), ("V", "V"), ("W", "W")] {
                script.send(.calibrationSample(CalibrationSample(streamId: 4, letter: shown)))
                for _ in 0..<5 {
                    frame(&script, index, Character(seen), sure: shown == "K" ? 0.6 : 0.95)
                    index += 1
                }
            }
        }
    }

    @Test func aSampleIsFiveFramesOfTheHand() {
        var script = Self.opened()
        script.send(.calibrationSample(CalibrationSample(streamId: 4, letter: "k")))
        #expect(Self.state(&script) == nil)
        Self.frame(&script, 1, nil)
        for index in 2...5 { Self.frame(&script, UInt64(index), "K") }
        #expect(Self.state(&script) == nil)
        Self.frame(&script, 6, "K")
        #expect(Self.state(&script)?.samplesByLetter == ["K": 1])
        script.send(.calibrationSample(CalibrationSample(streamId: 4, discardAll: true)))
        #expect(Self.state(&script)?.samplesByLetter == [:])
    }

    @Test func aHandThatStaysAwayIsSaid() {
        var script = Self.opened()
        script.send(.calibrationSample(CalibrationSample(streamId: 4, letter: "A")))
        for index in 1...90 { Self.frame(&script, UInt64(index), nil) }
        let errors = script.takeErrors()
        #expect(errors.map(\.field) == ["calibration_sample.letter"])
        #expect(errors.first?.code == .unavailable)
    }

    @Test func wrongWishesAreRefused() {
        var script = Self.opened()
        for sample in [
            CalibrationSample(streamId: 4, letter: "AB"), CalibrationSample(streamId: 4, letter: "É"),
            CalibrationSample(streamId: 4, letter: "A", apply: true),
            CalibrationSample(streamId: 4, apply: true),
            CalibrationSample(streamId: 4, undo: true),
        ] {
            script.send(.calibrationSample(sample))
            #expect(script.takeErrors().first?.code == .invalidValue)
        }
        script.send(.calibrationSample(CalibrationSample(streamId: 9, letter: "A")))
        #expect(script.takeErrors().first?.code == .notFound)
    }

    @Test func whatWasLearnedIsStoredUsedAndTakenBack() throws {
        var script = Self.opened()
        Self.calibrated(&script)
        #expect(Self.state(&script)?.samplesByLetter == ["A": 3, "B": 3, "K": 3, "V": 3, "W": 3])
        script.send(.calibrationSample(CalibrationSample(streamId: 4, apply: true)))
        let job = try #require(
            script.actions.compactMap { if case .learnCalibration(let job) = $0 { job } else { nil } }.last)
        script.send(.calibrationSample(CalibrationSample(streamId: 4, apply: true)))
        #expect(script.takeErrors().first?.code == .tooFast)
        script.session.calibrationLearned(
            job, AdaptationTrainer().learn(job.samples), at: script.now, actions: &script.actions)
        let patch = try #require(Self.patch(script))
        #expect(patch.settings.map(\.key) == ["bridge.calibration", "bridge.calibration_previous"])
        // Nothing is claimed before it is on disk.
        #expect(Self.state(&script) == nil)
        let stored = SignerSettings(SettingsState(revision: 1, settings: patch.settings))
        script.session.calibrationStored(streamID: 4, stored, at: script.now, actions: &script.actions)
        let state = try #require(Self.state(&script))
        #expect(state.active && state.canUndo && state.samplesByLetter.isEmpty)
        #expect(state.crossValidatedAccuracy > state.accuracyWithout)

        // The same frames, which looked like V, are now read as K.
        for index in 100...115 { Self.frame(&script, UInt64(index), "V", sure: 0.6) }
        let letters = script.takeSent().compactMap {
            if case .letterUpdate(let update) = $0 { update.letter } else { nil }
        }
        #expect(letters.last == "K" && !letters.contains("V"))

        script.actions = []
        script.send(.calibrationSample(CalibrationSample(streamId: 4, undo: true)))
        let undo = try #require(Self.patch(script))
        #expect(undo.settings.isEmpty)
        #expect(undo.removedKeys == ["bridge.calibration", "bridge.calibration_previous"])
        script.session.calibrationStored(
            streamID: 4, SignerSettings(), at: script.now, actions: &script.actions)
        let after = try #require(Self.state(&script))
        #expect(!after.active && !after.canUndo)
    }

    @Test func aCalibrationThatIsWorseIsNotKept() throws {
        var script = Self.opened()
        Self.calibrated(&script)
        script.actions = []
        script.send(.calibrationSample(CalibrationSample(streamId: 4, apply: true)))
        var job = try #require(
            script.actions.compactMap { if case .learnCalibration(let job) = $0 { job } else { nil } }.last)
        // Samples of the stream's former life teach nothing to this one.
        job.generation &+= 1
        script.session.calibrationLearned(job, nil, at: script.now, actions: &script.actions)
        #expect(Self.state(&script) == nil)
        job.generation &-= 1
        script.session.calibrationLearned(job, nil, at: script.now, actions: &script.actions)
        #expect(script.takeErrors().first?.code == .unavailable)
        #expect(Self.patch(script) == nil)
    }

    static func patch(_ script: SessionScript) -> SettingsPatch? {
        script.actions.compactMap {
            if case .request(.storeCalibration(let patch, _), _) = $0 { patch } else { nil }
        }.last
    }
}
