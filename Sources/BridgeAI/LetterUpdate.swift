/// What the server knows about one frame of a hand stream.
public enum LetterObservation: Equatable, Sendable {
    /// A hand, scored by the model.
    case scores(LetterScores)
    /// The producer looked and saw no hand.
    case noHand
    /// The frame could not be used.
    case badFrame
}

/// What a hand stream shows after one frame.
public struct LetterUpdate: Equatable, Sendable {
    /// How far the letter has come.
    public enum State: Equatable, Sendable {
        /// A letter is forming; it may change.
        case partial
        /// A letter was appended to the text with this frame.
        case committed
        /// No hand is seen.
        case noHand
        /// A hand, but no letter that is sure enough.
        case uncertain
        /// A letter was ready, but the text is full.
        case textFull
        /// A space was appended: the hand was away, or rested, for long enough.
        case space
        /// The hand stayed away; the phrase is over. The text is kept.
        case phraseEnd
    }

    /// How far the letter has come.
    public let state: State
    /// The letter meant by `state`; nil for no hand, a space and a bad frame.
    public let letter: Letter?
    /// The model's probability of `letter`, 0…1.
    public let confidence: Float
    /// The likeliest letters of this frame, best first, at most three; with a commit, those of the commit.
    public let alternatives: LikelyLetters
    /// 0…1 towards a commit.
    public let holdProgress: Float
    /// Everything committed so far.
    public let text: String
    /// First frame of the present letter's run.
    public let firstFrame: UInt64
    /// The frame that made this update.
    public let lastFrame: UInt64
    /// Set with `committed`.
    public var commit: LetterCommit?
    /// Probability that the frame shows a letter at all, 0…1; 0 without a hand.
    public var letterProbability: Float = 1
}
