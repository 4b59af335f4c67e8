/// One committed letter as the word decoder hears it: what was written, and what it may have been instead.
public struct SpelledLetter: Equatable, Sendable {
    /// What stands in the text.
    public let letter: Letter
    /// The likeliest letters and their probabilities, the written one among them; at most `maxAlternatives` + 1.
    public let candidates: [LetterCandidate]

    /// Puts the written letter and its alternatives together.
    ///
    /// - Parameters:
    ///   - confidence: probability of `letter`; taken into 0…1, what is no number as 0.
    ///   - alternatives: others, in any order; ones beyond `BridgeAILimits.maxAlternatives` and `letter` itself are left out.
    public init(letter: Letter, confidence: Float, alternatives: [LetterCandidate] = []) {
        self.letter = letter
        func share(_ value: Float) -> Float { value.isFinite ? min(1, max(0, value)) : 0 }
        candidates =
            [LetterCandidate(letter: letter, probability: share(confidence))]
            + alternatives.lazy.filter { $0.letter != letter }.prefix(BridgeAILimits.maxAlternatives)
            .map { LetterCandidate(letter: $0.letter, probability: share($0.probability)) }
    }

    /// A letter as the decoder committed it: the likeliest others by its posterior.
    public init(_ commit: LetterCommit) {
        let top = commit.posterior.top(BridgeAILimits.maxAlternatives + 1)
        self.init(
            letter: commit.letter,
            confidence: commit.posterior.probabilities[commit.letter.index], alternatives: Array(top))
    }
}
