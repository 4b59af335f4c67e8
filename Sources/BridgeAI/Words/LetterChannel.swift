import Numerics

/// What becomes of a letter between the mind of the signer and the text: the "noisy channel" of the word decoder.
///
/// Costs are natural logarithms of probabilities with the sign changed. A letter that was shown as c and is read with
/// the probabilities p costs −`sharpness` · ln((1 − `doubt`) · p(c) + `doubt` · q(c)); q is how often those who show c
/// are taken for the written letter, measured on people whom the network had not seen (`Models/letter_confusions.csv`).
/// It also shares out the probability that the listed candidates leave over.
public struct LetterChannel: Equatable, Sendable {
    /// The numbers chosen on training recordings (`words-bench --scores`).
    public struct Costs: Equatable, Sendable {
        /// How far the probabilities of a single commit are trusted: above 1, more than they say.
        public var sharpness: Float = 1.15
        /// Share of the measured confusions against the probabilities of the commit.
        public var doubt: Float = 0.1
        /// Probability that a written letter was never shown: a ghost between two letters.
        public var ghost: Float = 0.03
        /// The same for a letter that repeats the one before it.
        public var ghostRepeat: Float = 0.05
        /// Probability that a shown letter was not written.
        public var missed: Float = 0.03
        /// The same for the second of two equal letters.
        public var missedRepeat: Float = 0.2

        /// The chosen numbers.
        public init() {}
    }

    /// The numbers in force.
    public let costs: Costs
    /// `[26 x 26]`, row-major: shown, taken for; each row sums to 1.
    let confusions: [Float]

    /// A channel that knows nothing about which letters look alike.
    public init(costs: Costs = Costs()) {
        self.costs = costs
        let others: Float = 0.1 / Float(Letter.count - 1)
        confusions = (0..<Letter.count * Letter.count).map {
            $0 / Letter.count == $0 % Letter.count ? 0.9 : others
        }
    }

    /// Takes measured confusions.
    ///
    /// - Parameter confusions: `[26 x 26]`, row-major: how often the letter of the row is taken for that of the column.
    /// - Throws: `scoreCount`, or `badScore` for what is no probability and for a row without any.
    public init(confusions: [Float], costs: Costs = Costs()) throws(BridgeAIError) {
        guard confusions.count == Letter.count * Letter.count else {
            throw .scoreCount(got: confusions.count, expected: Letter.count * Letter.count)
        }
        for (index, value) in confusions.enumerated() where !(value >= 0 && value <= 1) {
            throw .badScore(index: index, value: "\(value)")
        }
        // No confusion is impossible, however rare it was in the recordings.
        let floor: Float = 1e-3
        var rows: [Float] = []
        for row in 0..<Letter.count {
            let cells = confusions[row * Letter.count..<(row + 1) * Letter.count].map { $0 + floor }
            let sum = cells.reduce(0, +)
            guard sum > 0.5 else { throw .badScore(index: row * Letter.count, value: "\(sum)") }
            rows += cells.map { $0 / sum }
        }
        self.costs = costs
        self.confusions = rows
    }

    /// What each letter costs as the one that was meant, `[26]`.
    func substitutionCosts(_ spelled: SpelledLetter) -> [Float] {
        let taken = spelled.letter.index
        var likeness = (0..<Letter.count).map { confusions[$0 * Letter.count + taken] }
        let likenessSum = likeness.reduce(0, +)
        for index in likeness.indices { likeness[index] /= likenessSum }
        var listed: Float = 0
        var unlistedLikeness: Float = 1
        for candidate in spelled.candidates {
            listed += candidate.probability
            unlistedLikeness -= likeness[candidate.letter.index]
        }
        let scale = listed > 1 ? 1 / listed : 1
        let rest = max(0, 1 - listed)
        let restScale = unlistedLikeness > 1e-6 ? rest / unlistedLikeness : 0
        var meant = likeness.map { $0 * restScale }
        for candidate in spelled.candidates { meant[candidate.letter.index] = candidate.probability * scale }
        return (0..<Letter.count).map { index in
            let probability = (1 - costs.doubt) * meant[index] + costs.doubt * likeness[index]
            return costs.sharpness * cost(probability)
        }
    }

    /// Cost of a written letter that nobody showed. Such a letter may be any.
    func ghostCost(repeatsLast: Bool) -> Float {
        cost(repeatsLast ? costs.ghostRepeat : costs.ghost) + Self.anyLetter * costs.sharpness
    }

    /// Cost of a shown letter that was not written.
    func missedCost(repeatsLast: Bool) -> Float { cost(repeatsLast ? costs.missedRepeat : costs.missed) }

    /// ln 26: a letter of which nothing is known.
    static let anyLetter: Float = 3.258_097

    private func cost(_ probability: Float) -> Float {
        -Float(Elementary.log(Double(max(probability, 1e-9))))
    }
}
