import Numerics

/// How likely each letter follows another in the words of a language: tells "KASHA" from "XQZPT" without knowing either.
public struct LetterSequences: Equatable, Sendable {
    /// `[27 x 27]`: −ln of the probability that the column follows the row; 26 = before the first and after the last.
    private let costs: [Float]

    private static let side = Letter.count + 1

    /// Any letter after any other.
    public init() {
        costs = [Float](repeating: LetterChannel.anyLetter, count: Self.side * Self.side)
    }

    /// Counts neighbours in `words`; words of other signs than letters are left out.
    public init(_ words: some Sequence<String>) {
        // Every pair is given one sighting more than it had: none is impossible.
        var counts = [Double](repeating: 1, count: Self.side * Self.side)
        for word in words.prefix(BridgeAILimits.maxLexiconWords) {
            guard let key = Lexicon.key(word) else { continue }
            var last = Letter.count
            for letter in key.map(Int.init) + [Letter.count] {
                counts[last * Self.side + letter] += 1
                last = letter
            }
        }
        costs = counts.indices.map { index in
            let row = index / Self.side * Self.side
            let sum = counts[row..<row + Self.side].reduce(0, +)
            return -Float(Elementary.log(counts[index] / sum))
        }
    }

    /// −ln of the probability of a string of letters.
    func cost(_ letters: [Letter]) -> Float {
        var cost: Float = 0
        var last = Letter.count
        for letter in letters.map(\.index) + [Letter.count] {
            cost += costs[last * Self.side + letter]
            last = letter
        }
        return cost
    }
}
