/// The beginnings of words of one lexicon that the letters so far may stand for, the cheapest first.
///
/// A beam search: each further letter may be the next one of a beginning, or another in its place, or a ghost; after
/// each letter one more may have been missed. At most `BridgeAILimits.maxWordHypotheses` beginnings live on, and none
/// that is `margin` dearer than the best.
struct WordBeam: Equatable, Sendable {
    /// One beginning.
    struct Beginning: Equatable, Sendable {
        /// Its letters, 5 bits each (A = 1), the newest lowest. It identifies the beginning.
        var prefix: UInt128 = 0
        /// Node of the lexicon that it leads to.
        var node: UInt32
        /// Its letters are a word.
        var endsWord = false
        /// The newest letter was not written but is assumed to be missed.
        var endsMissed = false
        /// −ln of the probability of what was written, if this is what was meant.
        var cost: Float = 0

        var lastLetter: Int { Int(prefix & 31) - 1 }

        /// The letters in reading order.
        var text: String {
            var letters: [Character] = []
            var rest = prefix
            while rest != 0, let letter = Letter(index: Int(rest & 31) - 1) {
                letters.append(letter.character)
                rest >>= 5
            }
            return String(letters.reversed())
        }
    }

    /// A beginning that is e⁻⁹ times as likely as the best one will not win any more.
    static let margin: Float = 9

    let lexicon: Lexicon
    /// Cheapest first.
    private(set) var beginnings: [Beginning]

    init(_ lexicon: Lexicon, channel: LetterChannel) {
        self.lexicon = lexicon
        beginnings = lexicon.root == 0 ? [] : [Beginning(node: lexicon.root)]
        assumeMissed(channel)
    }

    /// Takes the next letter.
    /// - Parameters:
    ///   - substitution: what each letter costs as the one meant, `[26]`.
    ///   - ghost: cost of the letter as one that nobody showed.
    mutating func append(substitution: [Float], ghost: Float, channel: LetterChannel) {
        var next: [Beginning] = []
        next.reserveCapacity(4 * BridgeAILimits.maxWordHypotheses)
        // The cheapest beginnings come first, so the bound is soon what it will be.
        var limit = Float.infinity
        for beginning in beginnings {
            if beginning.cost + ghost <= limit {
                var same = beginning
                same.cost += ghost
                same.endsMissed = false
                next.append(same)
                limit = min(limit, same.cost + Self.margin)
            }
            lexicon.forEachEdge(of: beginning.node) { edge in
                let cost = beginning.cost + substitution[edge.letter.index]
                guard cost <= limit else { return }
                next.append(beginning.followed(by: edge, cost: cost, isMissed: false))
                limit = min(limit, cost + Self.margin)
            }
        }
        keepBest(next)
        assumeMissed(channel)
    }

    /// Adds the beginnings in which one more letter was shown and not written.
    private mutating func assumeMissed(_ channel: LetterChannel) {
        let single = channel.missedCost(repeatsLast: false)
        let double = channel.missedCost(repeatsLast: true)
        var limit = (beginnings.first?.cost ?? 0) + Self.margin
        if beginnings.count == BridgeAILimits.maxWordHypotheses, let last = beginnings.last {
            limit = min(limit, last.cost)
        }
        var all = beginnings
        for beginning in beginnings where beginning.cost + min(single, double) <= limit {
            lexicon.forEachEdge(of: beginning.node) { edge in
                let cost =
                    beginning.cost + (edge.letter.index == beginning.lastLetter ? double : single)
                guard cost <= limit else { return }
                all.append(beginning.followed(by: edge, cost: cost, isMissed: true))
            }
        }
        if all.count > beginnings.count { keepBest(all) }
    }

    private mutating func keepBest(_ candidates: [Beginning]) {
        let best = candidates.reduce(Float.infinity) { min($0, $1.cost) }
        var near = candidates.filter { $0.cost <= best + Self.margin }
        near.sort { $0.cost < $1.cost || ($0.cost == $1.cost && $0.prefix < $1.prefix) }
        beginnings.removeAll(keepingCapacity: true)
        for candidate in near where !beginnings.contains(where: { $0.prefix == candidate.prefix }) {
            beginnings.append(candidate)
            guard beginnings.count < BridgeAILimits.maxWordHypotheses else { break }
        }
    }

    /// Words that begin as `beginning`, shortest first, at most `count`; the beginning itself where it is a word.
    func completions(of beginning: Beginning, atMost count: Int) -> [Beginning] {
        var found = beginning.endsWord ? [beginning] : []
        var level = [beginning]
        var steps = 0
        while !level.isEmpty, found.count < count, steps < Self.maxCompletionSteps {
            var next: [Beginning] = []
            for shorter in level {
                lexicon.forEachEdge(of: shorter.node) { edge in
                    let longer = shorter.followed(by: edge, cost: shorter.cost, isMissed: false)
                    steps += 1
                    if longer.endsWord { found.append(longer) }
                    next.append(longer)
                }
                guard steps < Self.maxCompletionSteps else { break }
            }
            level = next
        }
        return Array(found.prefix(count))
    }

    /// Edges looked at for the completions of one beginning.
    static let maxCompletionSteps = 512
}

extension WordBeam.Beginning {
    fileprivate func followed(by edge: Lexicon.Edge, cost: Float, isMissed: Bool) -> Self {
        Self(
            prefix: prefix << 5 | UInt128(edge.letter.index + 1), node: edge.node, endsWord: edge.endsWord,
            endsMissed: isMissed, cost: cost)
    }
}
