import Numerics

/// A word that a run of letters may stand for.
public struct WordCandidate: Equatable, Sendable {
    /// As it is to be shown: capitals, or as the person's own list writes it.
    public let word: String
    /// 0…1.
    public let probability: Float
    /// These are the letters themselves, in no list: a name, an abbreviation, or a word nobody listed.
    public let isLiteral: Bool
    /// From the person's own list.
    public let isPersonal: Bool
}

/// What the letters since the last space may stand for, likeliest first. The letters themselves are always kept.
public struct WordGuess: Equatable, Sendable {
    /// The letters as written.
    public let letters: String
    /// At most `BridgeAILimits.maxSuggestions`.
    public let words: [WordCandidate]

    /// A guess; without words, that there is nothing to suggest.
    public init(letters: String, words: [WordCandidate]) {
        self.letters = letters
        self.words = words
    }
}

/// Letters with alternatives → words, by a noisy channel: the probability of a word is how common it is times how
/// likely these letters are written when it is meant (Kernighan, Church, Gale 1990), searched with one `WordBeam` for
/// the language and one for the person's own names.
///
/// What stands in no list competes with the words: letters that are sure stay as they are. State: at most 64 beginnings
/// of 48 bytes for each of the two lexicons and 24 letters with four candidates, 9 KB.
public struct WordDecoder: Equatable, Sendable {
    /// How the prior is shared out; chosen on training recordings.
    public struct Prior: Equatable, Sendable {
        /// Spelled strings that no list holds. Fingerspelling is for names above all.
        public var unlisted: Float = 0.6
        /// Spelled strings from the person's own list, where there is one.
        public var personal: Float = 0.1

        /// The chosen numbers.
        public init() {}
    }

    private let vocabulary: Vocabulary
    private let channel: LetterChannel
    private let prior: Prior
    /// The letters of the present word with their alternatives.
    public private(set) var spelled: [SpelledLetter] = []
    private var literalCost: Float = 0
    private var language: WordBeam
    private var personal: WordBeam
    /// The word is longer than the decoder follows.
    private var isTooLong = false

    /// Starts at the beginning of a word.
    public init(vocabulary: Vocabulary, channel: LetterChannel = LetterChannel(), prior: Prior = Prior()) {
        self.vocabulary = vocabulary
        self.channel = channel
        self.prior = prior
        language = WordBeam(vocabulary.language, channel: channel)
        personal = WordBeam(vocabulary.personal, channel: channel)
    }

    /// Letters of the present word.
    public var letters: String { String(spelled.map(\.letter.character)) }

    /// Takes the next letter of the word.
    public mutating func append(_ letter: SpelledLetter) {
        guard spelled.count < BridgeAILimits.maxWordLetters, !isTooLong else {
            isTooLong = true
            return
        }
        let substitution = channel.substitutionCosts(letter)
        let ghost = channel.ghostCost(repeatsLast: spelled.last?.letter == letter.letter)
        language.append(substitution: substitution, ghost: ghost, channel: channel)
        personal.append(substitution: substitution, ghost: ghost, channel: channel)
        literalCost += substitution[letter.letter.index]
        spelled.append(letter)
    }

    /// Takes the newest letter back.
    public mutating func removeLast() {
        let kept = spelled.dropLast()
        startWord()
        for letter in kept { append(letter) }
    }

    /// A new word begins.
    public mutating func startWord() {
        self = WordDecoder(vocabulary: vocabulary, channel: channel, prior: prior)
    }

    /// What the word may become: the beginnings at hand with their completions. Nil without letters or lists.
    public func partial() -> WordGuess? {
        guard canGuess else { return nil }
        var weights = Weights()
        let languagePrior = cost(ofShare: languageShare / Float(max(1, vocabulary.language.wordCount)))
        let personalPrior = cost(ofShare: prior.personal / Float(max(1, vocabulary.personal.wordCount)))
        for (beam, prior, isPersonal) in [
            (language, languagePrior, false), (personal, personalPrior, true),
        ] {
            for beginning in beam.beginnings.prefix(Self.completedBeginnings) where !beginning.endsMissed {
                let below = beam.lexicon.wordsBelow(beginning.node) + (beginning.endsWord ? 1 : 0)
                weights.addRest(beginning.cost + prior, times: below)
                for word in beam.completions(of: beginning, atMost: BridgeAILimits.maxSuggestions) {
                    weights.add(shown(word.text, isPersonal), beginning.cost + prior, isPersonal: isPersonal)
                }
            }
        }
        return WordGuess(
            letters: letters, words: weights.best(BridgeAILimits.maxSuggestions, literal: nil))
    }

    /// What the finished word is. Nil without letters or lists.
    public func final() -> WordGuess? {
        guard canGuess else { return nil }
        var weights = Weights()
        let languagePrior = cost(ofShare: languageShare / Float(max(1, vocabulary.language.wordCount)))
        let personalPrior = cost(ofShare: prior.personal / Float(max(1, vocabulary.personal.wordCount)))
        for beginning in language.beginnings where beginning.endsWord {
            weights.add(beginning.text, beginning.cost + languagePrior, isPersonal: false)
        }
        for beginning in personal.beginnings where beginning.endsWord {
            weights.add(shown(beginning.text, true), beginning.cost + personalPrior, isPersonal: true)
        }
        weights.add(
            letters,
            literalCost + vocabulary.unlistedCost(spelled.map(\.letter)) + cost(ofShare: prior.unlisted),
            isPersonal: false)
        let isListed = vocabulary.language.contains(letters) || vocabulary.personal.contains(letters)
        return WordGuess(
            letters: letters,
            words: weights.best(BridgeAILimits.maxSuggestions, literal: isListed ? nil : letters))
    }

    /// Beginnings whose completions are looked up.
    private static let completedBeginnings = 12

    private var canGuess: Bool {
        !spelled.isEmpty && !isTooLong
            && vocabulary.language.wordCount + vocabulary.personal.wordCount > 0
    }

    private var languageShare: Float {
        max(0.01, 1 - prior.unlisted - (vocabulary.personal.wordCount > 0 ? prior.personal : 0))
    }

    private func shown(_ word: String, _ isPersonal: Bool) -> String {
        isPersonal ? vocabulary.spelling[word] ?? word : word
    }

    private func cost(ofShare share: Float) -> Float {
        -Float(Elementary.log(Double(max(share, 1e-12))))
    }
}

/// Words and what speaks for each, until they are made probabilities.
private struct Weights {
    private var costs: [String: (cost: Float, isPersonal: Bool)] = [:]
    /// Costs whose weight counts, but which are not suggested one by one.
    private var rest: [(cost: Float, times: Int)] = []

    /// Of two ways to the same word the likelier counts.
    mutating func add(_ word: String, _ cost: Float, isPersonal: Bool) {
        if let known = costs[word], known.cost <= cost { return }
        costs[word] = (cost, isPersonal)
    }

    /// `times` words of that cost are possible in all, the listed ones among them.
    mutating func addRest(_ cost: Float, times: Int) { rest.append((cost, times)) }

    /// The likeliest words with their share of everything that is possible.
    func best(_ count: Int, literal: String?) -> [WordCandidate] {
        let least = costs.values.reduce(Float.infinity) { min($0, $1.cost) }
        func weight(_ cost: Float) -> Double { Elementary.exp(Double(least - cost)) }
        let listed = costs.values.reduce(0) { $0 + weight($1.cost) }
        let sum = max(listed, rest.reduce(0) { $0 + Double($1.times) * weight($1.cost) })
        guard sum > 0 else { return [] }
        // Of equally likely words the shorter one: it needs the fewer letters still.
        let order = costs.sorted {
            ($0.value.cost, $0.key.utf8.count, $0.key) < ($1.value.cost, $1.key.utf8.count, $1.key)
        }
        return order.prefix(count).map { word, value in
            WordCandidate(
                word: word, probability: Float(weight(value.cost) / sum), isLiteral: word == literal,
                isPersonal: value.isPersonal)
        }
    }
}
