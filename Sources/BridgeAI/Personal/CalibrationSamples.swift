import Numerics

/// The samples of one calibration: how the network scored each letter that the person was asked to hold.
///
/// Only scores are kept, no landmarks, and only until they are learned from: at most 26 × `maxSamplesPerLetter` × 104
/// bytes.
public struct CalibrationSamples: Equatable, Sendable {
    /// Samples of one letter; more teach little.
    public static let maxSamplesPerLetter = 10
    /// Letters with samples that a calibration needs: fewer would only teach it to prefer those.
    public static let minLetters = 5
    /// Frames whose mean is one sample.
    public static let framesPerSample = 5

    /// Mean ln probability of each letter, `[26]`, and the letter shown.
    struct Sample: Equatable, Sendable {
        var letter: Letter
        var scores: [Float]
    }

    private(set) var samples: [Sample] = []

    /// Starts without any.
    public init() {}

    /// Samples of `letter`.
    public func count(of letter: Letter) -> Int { samples.count { $0.letter == letter } }

    /// Letters with at least one sample.
    public var letterCount: Int { Set(samples.map(\.letter)).count }

    /// Takes the newest frames of a hand that holds `letter`. False when that letter has enough.
    /// - Parameter frames: probabilities of each frame, `[n x 26]`, n ≥ 1.
    public mutating func add(_ letter: Letter, frames: [LetterScores]) -> Bool {
        guard count(of: letter) < Self.maxSamplesPerLetter, !frames.isEmpty else { return false }
        var mean = [Float](repeating: 0, count: Letter.count)
        for frame in frames {
            for (index, score) in PersonalAdaptation.scores(frame.probabilities).enumerated() {
                mean[index] += score / Float(frames.count)
            }
        }
        samples.append(Sample(letter: letter, scores: mean))
        return true
    }
}
