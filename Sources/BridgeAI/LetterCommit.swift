/// A letter that was appended to the text, with everything that is known about it.
public struct LetterCommit: Equatable, Sendable {
    /// What showed the letter.
    public enum Kind: Equatable, Sendable {
        /// The hand shape, held or passed slowly enough.
        case hold
        /// The same shape once more, after a bounce or a slide.
        case repeated
        /// The path of a fingertip: J and Z.
        case motion
    }

    /// The letter.
    public let letter: Letter
    /// Probability of `letter`, 0…1: the network's mean over the frames that show it.
    public let confidence: Float
    /// Up to `BridgeAILimits.maxAlternatives` other letters, best first.
    public let alternatives: [LetterCandidate]
    /// Probabilities of all 26, sum 1: the mean over the frames that show the letter, a little of it shared out in the
    /// letter's confusion group.
    public let posterior: LetterScores
    /// First frame that shows the letter.
    public let firstFrame: UInt64
    /// Last frame that shows the letter, at most the one that made the commit.
    public let lastFrame: UInt64
    /// Device's clock of `firstFrame`, in microseconds.
    public let startUs: UInt64
    /// Device's clock of `lastFrame`, in microseconds.
    public let endUs: UInt64
    /// What showed it.
    public let kind: Kind
    /// Letters just before it in the text that were withdrawn for it: the `I` that turned out to be the beginning of a
    /// `J`, the `D` that began a `Z`.
    public let replaces: Int
}

extension LetterScores {
    /// A commit's probabilities: `mean` scaled to 1, less `shared`, which the group of `letter` gets in equal parts.
    ///
    /// - Parameter mean: 26 numbers ≥ 0 of any sum; all zero counts as equal.
    init(mean: LetterNumbers, letter: Letter, shared: Float) {
        var sum: Float = 0
        for index in 0..<Letter.count { sum += mean[index] }
        let group = Letter.groups[letter.index]
        let part = shared / Float(group.nonzeroBitCount)
        var values = InlineArray<26, Float>(repeating: 0)
        for index in 0..<Letter.count {
            let share = sum > 0 ? mean[index] / sum : 1 / Float(Letter.count)
            values[index] = share * (1 - shared) + (group & (1 << UInt32(index)) != 0 ? part : 0)
        }
        self.init(checked: values)
    }
}
