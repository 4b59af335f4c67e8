import Numerics
import Testing

@testable import BridgeAI

struct WordDecoderTests {
    static let words = [
        "hello", "help", "held", "hollow", "water", "winter", "later", "book", "look", "boo", "ask", "mask",
        "task",
    ]
    static let vocabulary = Vocabulary(language: Lexicon(words), sequences: LetterSequences(words))

    /// Letters of `text` with one confidence; `others` gives alternatives by place.
    func spell(
        _ text: String, confidence: Float = 0.9, others: [Int: (Character, Float)] = [:],
        personal: String = ""
    ) throws -> WordDecoder {
        var decoder = WordDecoder(vocabulary: Self.vocabulary.with(personalList: personal))
        for (place, character) in text.enumerated() {
            let alternatives = try others[place].map { other in
                [LetterCandidate(letter: try #require(Letter(other.0)), probability: other.1)]
            }
            decoder.append(
                SpelledLetter(
                    letter: try #require(Letter(character)), confidence: confidence,
                    alternatives: alternatives ?? []))
        }
        return decoder
    }

    @Test(arguments: [
        ("HELLO", "HELLO"),  // as spelled
        ("HELO", "HELLO"),  // the double letter was missed
        ("HELLLO", "HELLO"),  // one bounce too many
        ("WAATER", "WATER"), ("WTER", "WATER"),  // a ghost, a missed letter
    ]) func findsTheWord(spelled: String, meant: String) throws {
        let guess = try #require(try spell(spelled, confidence: 0.8).final())
        #expect(guess.letters == spelled)
        #expect(guess.words.first?.word == meant)
    }

    @Test func anAlternativeOfADoubtfulLetterFindsTheWord() throws {
        let guess = try #require(try spell("NASK", confidence: 0.5, others: [0: ("M", 0.4)]).final())
        #expect(guess.words.first?.word == "MASK")
    }

    @Test func sureLettersOutsideTheListStayAsTheyAre() throws {
        for text in ["NHS", "BRB", "XKCD"] {
            let guess = try #require(try spell(text, confidence: 0.98).final())
            #expect(guess.words.first?.word == text)
            #expect(guess.words.first?.isLiteral == true)
        }
    }

    @Test func theLettersAreAlwaysThereAsLiteralOrAsWord() throws {
        var random = SeededNoise(seed: 3)
        for _ in 0..<200 {
            let text = String(
                (0..<1 + Int(random.next() % 9)).map { _ in
                    Character(Unicode.Scalar(UInt8(65 + random.next() % 26)))
                })
            let decoder = try spell(text, confidence: Float(random.uniform()))
            let guess = try #require(decoder.final())
            #expect(guess.letters == text)
            #expect(guess.words.count <= BridgeAILimits.maxSuggestions)
            let sum = guess.words.reduce(0) { $0 + $1.probability }
            #expect(sum <= 1.001 && guess.words.allSatisfy { $0.probability >= 0 })
            #expect(zip(guess.words, guess.words.dropFirst()).allSatisfy { $0.probability >= $1.probability })
            let partial = try #require(decoder.partial())
            #expect(partial.words.reduce(0) { $0 + $1.probability } <= 1.001)
        }
    }

    @Test func completesABeginning() throws {
        let guess = try #require(try spell("HEL", confidence: 0.95).partial())
        #expect(Set(guess.words.prefix(3).map(\.word)) == ["HELP", "HELD", "HELLO"])
        #expect(guess.words.first?.word != "HELLO")  // the shorter ones first
        #expect(try spell("WA", confidence: 0.95).partial()?.words.first?.word == "WATER")
    }

    @Test func ownNamesAreFoundAsTheyAreWritten() throws {
        let list = "Anne-Marie, Tomasz\nZoë; no 1 here"
        #expect(try spell("TONASZ", confidence: 0.7, personal: list).final()?.words.first?.word == "Tomasz")
        #expect(try spell("ANNEMARE", personal: list).final()?.words.first?.word == "Anne-Marie")
        let guess = try #require(try spell("ZOE", personal: list).final())
        #expect(guess.words.first?.word == "Zoë")
        #expect(guess.words.first?.isPersonal == true)
    }

    @Test func takingALetterBackIsAsIfItHadNeverCome() throws {
        var decoder = try spell("WAT")
        let before = decoder
        decoder.append(SpelledLetter(letter: try #require(Letter("Q")), confidence: 0.4))
        #expect(decoder != before)
        decoder.removeLast()
        #expect(decoder == before)
        decoder.startWord()
        #expect(decoder.final() == nil)
        decoder.removeLast()
        #expect(decoder.letters.isEmpty)
    }

    @Test func nothingIsSuggestedWithoutListsOrForStringsWithoutEnd() throws {
        var bare = WordDecoder(vocabulary: Vocabulary())
        bare.append(SpelledLetter(letter: try #require(Letter("A")), confidence: 1))
        #expect(bare.final() == nil && bare.partial() == nil)
        let long = try spell(String(repeating: "A", count: BridgeAILimits.maxWordLetters + 1))
        #expect(long.final() == nil && long.partial() == nil)
        #expect(long.letters.count == BridgeAILimits.maxWordLetters)
    }

    @Test func theBeamStaysWithinItsLimit() throws {
        var random = SeededNoise(seed: 8)
        let words = (0..<3000).map { _ in
            String((0..<6).map { _ in Character(Unicode.Scalar(UInt8(65 + random.next() % 26))) })
        }
        let channel = LetterChannel()
        var beam = WordBeam(Lexicon(words), channel: channel)
        let unsure = SpelledLetter(letter: try #require(Letter("E")), confidence: 0.04)
        for _ in 0..<6 {
            beam.append(
                substitution: channel.substitutionCosts(unsure), ghost: channel.ghostCost(repeatsLast: false),
                channel: channel)
            #expect(beam.beginnings.count <= BridgeAILimits.maxWordHypotheses)
            #expect(Set(beam.beginnings.map(\.prefix)).count == beam.beginnings.count)
        }
        #expect(!beam.beginnings.isEmpty)
    }
}

struct LetterChannelTests {
    @Test func probabilitiesThatAreNoneAreTakenAsTheNearestOnes() throws {
        let letter = try #require(Letter("A"))
        let other = try #require(Letter("S"))
        let channel = LetterChannel()
        for value in [Float.nan, .infinity, -.infinity, -1, 0, 1e30] {
            let spelled = SpelledLetter(
                letter: letter, confidence: value,
                alternatives: [LetterCandidate(letter: other, probability: value)])
            #expect(channel.substitutionCosts(spelled).allSatisfy { $0.isFinite && $0 >= 0 })
        }
    }

    @Test func aFrequentConfusionIsCheaperThanARareOne() throws {
        var table = [Float](repeating: 0.001, count: 26 * 26)
        for row in 0..<26 { table[row * 26 + row] = 0.8 }
        table[12 * 26 + 13] = 0.15  // M is taken for N
        let channel = try LetterChannel(confusions: table)
        let costs = channel.substitutionCosts(
            SpelledLetter(letter: try #require(Letter("N")), confidence: 0.9))
        #expect(costs[13] < costs[12])
        #expect(costs[12] < costs[11] - 1)
    }

    @Test func badTablesAreRefused() {
        #expect(throws: BridgeAIError.scoreCount(got: 3, expected: 676)) {
            try LetterChannel(confusions: [1, 2, 3])
        }
        #expect(throws: BridgeAIError.badScore(index: 0, value: "nan")) {
            try LetterChannel(confusions: [Float](repeating: .nan, count: 676))
        }
        #expect(throws: BridgeAIError.self) {
            try LetterChannel(confusions: [Float](repeating: 0, count: 676))
        }
    }
}
