import Numerics
import Testing

@testable import BridgeAI

struct LexiconTests {
    @Test func holdsWhatItWasGivenAndNothingElse() {
        let lexicon = Lexicon(["tap", "taps", "top", "tops", "Stop", "tap"])
        #expect(lexicon.wordCount == 5)
        for word in ["tap", "TAPS", "top", "tops", "stop"] { #expect(lexicon.contains(word)) }
        for word in ["", "t", "ta", "tapsy", "stops", "sto", "tap's"] { #expect(!lexicon.contains(word)) }
    }

    @Test func leavesOutWhatIsNotSpelledWithLetters() {
        let long = String(repeating: "a", count: BridgeAILimits.maxWordLetters)
        let lexicon = Lexicon(["it's", "naïve", "b2b", "", " ", long, long + "a"])
        #expect(lexicon.wordCount == 1)
        #expect(lexicon.contains(long))
    }

    @Test func anEmptyListHoldsNothing() {
        let lexicon = Lexicon([])
        #expect(lexicon.wordCount == 0)
        #expect(lexicon.wordsBelow(lexicon.root) == 0)
        #expect(!lexicon.contains("A"))
    }

    @Test func sharesBeginningsAndEndings() {
        let endings = ["", "s", "ed", "ing", "er", "ers"]
        let words = ["walk", "talk", "stalk", "balk"].flatMap { stem in endings.map { stem + $0 } }
        let lexicon = Lexicon(words)
        #expect(lexicon.wordCount == words.count)
        // As many words with nothing in common would take an edge a letter.
        #expect(lexicon.byteCount < words.reduce(0) { $0 + $1.utf8.count } * 8 / 4)
    }

    @Test(arguments: 0..<20 as Range<UInt64>) func agreesWithASetOfRandomWords(seed: UInt64) {
        var random = SeededNoise(seed: seed)
        func word() -> String {
            String(
                (0..<1 + Int(random.next() % 5)).map { _ in
                    Character(Unicode.Scalar(UInt8(65 + random.next() % 4)))
                })
        }
        let words = Set((0..<60).map { _ in word() })
        let lexicon = Lexicon(words)
        #expect(lexicon.wordCount == words.count)
        #expect(lexicon.wordsBelow(lexicon.root) == words.count)
        for _ in 0..<300 {
            let probe = word()
            #expect(lexicon.contains(probe) == words.contains(probe))
        }
        for letter in 0..<4 {
            let first = Character(Unicode.Scalar(UInt8(65 + letter)))
            var below = 0
            lexicon.forEachEdge(of: lexicon.root) { edge in
                if edge.letter.index == letter {
                    below = lexicon.wordsBelow(edge.node) + (edge.endsWord ? 1 : 0)
                }
            }
            #expect(below == words.count { $0.first == first })
        }
    }
}
