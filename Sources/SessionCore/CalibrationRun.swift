public import BridgeAI
import SenseProtocol

/// The calibration that a person is making on one hand stream: samples so far, and the letter being held.
struct CalibrationRun: Sendable {
    /// Frames that a sample may take until its hand is seen well enough: 3 s at 30 a second.
    static let patienceFrames = 90

    /// A sample whose frames are still coming.
    struct Pending: Sendable {
        let letter: Letter
        let seq: UInt64
        var frames: [LetterScores] = []
        var framesSeen = 0
    }

    var samples = CalibrationSamples()
    var pending: Pending?
    /// The figures of what was learned last.
    var outcome: AdaptationTrainer.Outcome?
    /// Samples are being learned from, or what was learned is being stored.
    var isBusy = false

    /// What became of the pending sample with one more frame.
    enum Step {
        case nothing
        case taken
        case failed(FieldProblem, seq: UInt64)
    }

    /// Takes one frame's scores, as the network gave them; nil for a frame without a usable hand.
    mutating func observe(_ scores: LetterScores?) -> Step {
        guard var sample = pending else { return .nothing }
        sample.framesSeen += 1
        if let scores { sample.frames.append(scores) }
        pending = sample
        if sample.frames.count >= CalibrationSamples.framesPerSample {
            pending = nil
            _ = samples.add(sample.letter, frames: sample.frames)
            return .taken
        }
        guard sample.framesSeen >= Self.patienceFrames else { return .nothing }
        pending = nil
        return .failed(
            FieldProblem(
                .unavailable, field: "calibration_sample.letter",
                expected: "\(CalibrationSamples.framesPerSample) frames with a hand",
                got: "\(sample.frames.count) of \(sample.framesSeen)"), seq: sample.seq)
    }
}

/// Samples to learn from, away from the loop; the answer is `Session.calibrationLearned`.
public struct CalibrationJob: Sendable {
    /// Stream they were made on.
    public var streamID: UInt32
    /// Which opening of that stream id.
    public var generation: UInt32
    /// The samples.
    public var samples: CalibrationSamples
    /// The message that asked for it.
    public var seq: UInt64
}
