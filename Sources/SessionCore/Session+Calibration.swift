public import BridgeAI
import SenseProtocol

extension Session {
    mutating func receive(
        _ sample: CalibrationSample, _ seq: UInt64, _ now: Now, _ actions: inout [SessionAction]
    ) {
        let id = sample.streamId
        guard isOpen(id, .hands, "calibration_sample", seq, now, &actions), var run = hands[id]?.calibration
        else { return }
        defer { hands[id]?.calibration = run }
        func refuse(_ code: ErrorCode, _ field: String, _ expected: String, _ got: String) -> FieldProblem {
            FieldProblem(code, field: "calibration_sample.\(field)", expected: expected, got: got)
        }
        var problem: FieldProblem?
        let wishes = [!sample.letter.isEmpty, sample.discardAll, sample.apply, sample.undo].count { $0 }
        if wishes > 1 {
            problem = refuse(.invalidValue, "letter", "one of letter, discard_all, apply, undo", "\(wishes)")
        } else if run.isBusy, sample.apply || sample.undo {
            problem = refuse(.tooFast, "apply", "one at a time", "another before the answer to the last")
        } else if sample.discardAll {
            run = CalibrationRun()
        } else if sample.apply {
            guard run.samples.letterCount >= CalibrationSamples.minLetters else {
                report(
                    refuse(
                        .invalidValue, "apply",
                        "samples of at least \(CalibrationSamples.minLetters) letters",
                        "of \(run.samples.letterCount)"), stream: id, seq: seq, now, &actions)
                return
            }
            run.isBusy = true
            actions.append(
                .learnCalibration(
                    CalibrationJob(
                        streamID: id, generation: streams[id]?.generation ?? 0, samples: run.samples,
                        seq: seq)))
            return
        } else if sample.undo {
            guard let patch = signer.undoing else {
                report(
                    refuse(.invalidValue, "undo", "a calibration to take back", "none"), stream: id, seq: seq,
                    now, &actions)
                return
            }
            run.isBusy = true
            actions.append(.request(.storeCalibration(patch, streamID: id), seq: seq))
            return
        } else if !sample.letter.isEmpty {
            if sample.letter.count == 1, let letter = sample.letter.first.flatMap({ Letter($0) }) {
                if run.samples.count(of: letter) >= CalibrationSamples.maxSamplesPerLetter {
                    problem = refuse(
                        .invalidValue, "letter",
                        "at most \(CalibrationSamples.maxSamplesPerLetter) samples of a letter", "one more")
                } else {
                    // The answer comes when the frames have come.
                    run.pending = CalibrationRun.Pending(letter: letter, seq: seq)
                    return
                }
            } else {
                problem = refuse(.invalidValue, "letter", "A…Z", String(sample.letter.prefix(8)))
            }
        }
        if let problem {
            report(problem, stream: id, seq: seq, now, &actions)
        } else {
            send(.calibrationState(state(of: run)), .durable, now, &actions)
        }
    }

    /// A frame of a stream was scored while a sample is wanted.
    mutating func calibrate(
        _ id: UInt32, with scores: LetterScores?, _ now: Now, _ actions: inout [SessionAction]
    ) {
        switch hands[id]?.calibration.observe(scores) ?? .nothing {
        case .nothing: break
        case .taken:
            guard let run = hands[id]?.calibration else { return }
            send(.calibrationState(state(of: run)), .durable, now, &actions)
        case .failed(let problem, let seq): report(problem, stream: id, seq: seq, now, &actions)
        }
    }

    /// What came of the samples. A calibration that names fewer of them right than none is not kept.
    /// - Parameter outcome: nil if nothing could be learned.
    public mutating func calibrationLearned(
        _ job: CalibrationJob, _ outcome: AdaptationTrainer.Outcome?, at now: Now,
        actions: inout [SessionAction]
    ) {
        let id = job.streamID
        guard phase == .active, streams[id]?.generation == job.generation, var run = hands[id]?.calibration
        else { return }
        run.outcome = outcome
        if let outcome, outcome.crossValidatedAccuracy >= outcome.accuracyWithout {
            actions.append(
                .request(
                    .storeCalibration(
                        signer.replacing(calibration: outcome.adaptation.bytes), streamID: id), seq: job.seq))
        } else {
            run.isBusy = false
            if outcome == nil {
                report(
                    FieldProblem(
                        .unavailable, field: "calibration_sample.apply", expected: "a free worker",
                        got: "a busy server", retryAfterMs: 1000), stream: id, seq: job.seq, now, &actions)
            } else {
                send(.calibrationState(state(of: run)), .durable, now, &actions)
            }
        }
        hands[id]?.calibration = run
    }

    /// The store has taken a changed calibration (or not: nil, and `fail` says why).
    public mutating func calibrationStored(
        streamID: UInt32, _ settings: SignerSettings?, at now: Now, actions: inout [SessionAction]
    ) {
        guard phase == .active else { return }
        if let settings { signerKnown(settings, at: now, actions: &actions) }
        guard var run = hands[streamID]?.calibration else { return }
        run.isBusy = false
        if settings != nil {
            let outcome = run.outcome
            run = CalibrationRun()
            run.outcome = outcome
            send(.calibrationState(state(of: run)), .durable, now, &actions)
        }
        hands[streamID]?.calibration = run
    }

    /// The profile's fingerspelling settings, as they are now.
    public mutating func signerKnown(
        _ settings: SignerSettings, at now: Now, actions: inout [SessionAction]
    ) {
        guard phase == .active else { return }
        signer = settings
        let adaptation = settings.calibration.flatMap { PersonalAdaptation(bytes: $0) }
        let vocabulary = context.vocabulary.with(personalList: settings.words)
        for id in hands.keys {
            hands[id]?.take(adaptation: adaptation, vocabulary: vocabulary, context.channel)
        }
    }

    /// Some fingerspelling setting of the profile changed; open hand streams ask for all of them.
    public mutating func signerSettingsChanged(at now: Now, actions: inout [SessionAction]) {
        guard phase == .active, !hands.isEmpty else { return }
        actions.append(.request(.signer, seq: 0))
    }

    private func state(of run: CalibrationRun) -> CalibrationState {
        var counts: [String: UInt32] = [:]
        for index in 0..<Letter.count {
            guard let letter = Letter(index: index) else { continue }
            let count = run.samples.count(of: letter)
            if count > 0 { counts[String(letter.character)] = UInt32(count) }
        }
        return CalibrationState(
            samplesByLetter: counts, active: signer.calibration != nil,
            crossValidatedAccuracy: run.outcome?.crossValidatedAccuracy ?? 0,
            accuracyWithout: run.outcome?.accuracyWithout ?? 0, canUndo: signer.previous != nil)
    }
}
