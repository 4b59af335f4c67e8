import Numerics

/// One of the 26 letters, A = 0 … Z = 25, in the order of the model's outputs.
public struct Letter: Equatable, Hashable, Sendable {
    /// Letters in the alphabet, and outputs of the model.
    public static let count = 26

    /// 0…25.
    public let index: Int

    /// The letter of output `index`; nil outside 0…25.
    public init?(index: Int) {
        guard (0..<Self.count).contains(index) else { return nil }
        self.index = index
    }

    /// The letter of an index that came from a letter.
    init(known index: Int) { self.index = index }

    /// The letter written as `character`, of either case; nil when it is not one of A…Z.
    public init?(_ character: Character) {
        guard let ascii = character.asciiValue else { return nil }
        switch ascii {
        case 65...90: index = Int(ascii) - 65
        case 97...122: index = Int(ascii) - 97
        default: return nil
        }
    }

    /// "A"…"Z".
    public var character: Character { Character(Unicode.Scalar(UInt8(65 + index))) }
}

/// A letter and how likely the model holds it.
public struct LetterCandidate: Equatable, Sendable {
    /// The letter.
    public let letter: Letter
    /// 0…1.
    public let probability: Float
}

/// The model's opinion about one frame: 26 checked probabilities.
public struct LetterScores: Equatable, Sendable {
    /// In place, so that a copy takes no memory from the heap.
    private var numbers: InlineArray<26, Float>
    /// Probability that the frame shows a letter at all, 0…1; 1 where the model cannot tell.
    public var letterProbability: Float = 1

    /// A…Z, each 0…1, copied to an array.
    public var probabilities: [Float] { (0..<Letter.count).map { numbers[$0] } }

    /// Checks `probabilities`.
    ///
    /// - Throws: `scoreCount` or `badScore`.
    public init(probabilities: [Float]) throws(BridgeAIError) {
        guard probabilities.count == Letter.count else {
            throw .scoreCount(got: probabilities.count, expected: Letter.count)
        }
        // Softmax sums may overshoot 1 by rounding.
        for (index, value) in probabilities.enumerated() where !(value >= 0 && value <= 1.0001) {
            throw .badScore(index: index, value: "\(value)")
        }
        numbers = InlineArray { index in probabilities[index] }
    }

    /// Takes 26 probabilities that were computed here.
    init(checked probabilities: InlineArray<26, Float>) { numbers = probabilities }

    /// The probability that the frame shows a letter, from the model's `letter_logit`: 1 / (1 + e^−logit); 0 for a logit
    /// that is no number.
    public static func presence(logit: Float) -> Float {
        logit.isNaN ? 0 : Float(1 / (1 + Elementary.exp(Double(-logit))))
    }

    /// Probability of the letter of output `index`, 0…25.
    public subscript(index: Int) -> Float { numbers[index] }

    /// Softmax of the model's 26 logits: each probability is e^logit over the sum of all.
    ///
    /// - Throws: `scoreCount`, or `badScore` for a logit that is not finite.
    public init(logits: [Float]) throws(BridgeAIError) { try self.init(logits: logits.span) }

    /// As above.
    public init(logits: Span<Float>) throws(BridgeAIError) {
        guard logits.count == Letter.count else {
            throw .scoreCount(got: logits.count, expected: Letter.count)
        }
        var largest = -Float.infinity
        for index in 0..<Letter.count {
            let value = logits[index]
            guard value.isFinite else { throw .badScore(index: index, value: "\(value)") }
            largest = max(largest, value)
        }
        // Taking the largest off first keeps every power within 0…1.
        var powers = InlineArray<26, Double>(repeating: 0)
        var sum = 0.0
        for index in 0..<Letter.count {
            powers[index] = Elementary.exp(Double(logits[index]) - Double(largest))
            sum += powers[index]
        }
        numbers = InlineArray { index in Float(powers[index] / sum) }
    }

    /// Same probabilities, for tests and for copies that must be compared.
    public static func == (left: LetterScores, right: LetterScores) -> Bool {
        for index in 0..<Letter.count where left[index] != right[index] { return false }
        return left.letterProbability == right.letterProbability
    }

    /// The likeliest letters, best first; equal ones in the order of the alphabet. At most `LikelyLetters.capacity`.
    public func top(_ count: Int = BridgeAILimits.maxAlternatives) -> LikelyLetters {
        var best = LikelyLetters()
        for index in 0..<Letter.count { best.offer(Letter(known: index), numbers[index], limit: count) }
        return best
    }
}
