import BridgeAI
import Testing

@Suite struct LetterTests {
    @Test func lettersAreInModelOrder() {
        #expect(String((0..<26).compactMap { Letter(index: $0)?.character }) == "ABCDEFGHIJKLMNOPQRSTUVWXYZ")
        #expect(Letter(index: 26) == nil)
        #expect(Letter(index: -1) == nil)
        #expect(Letter("z") == Letter(index: 25))
        #expect(["1", "é", " ", "["].allSatisfy { Letter($0) == nil })
    }

    /// Logits ln 1, ln 2, ln 5 and twenty-three far below give 1/8, 2/8 and 5/8.
    @Test func softmaxOfKnownLogits() throws {
        var logits = [Float](repeating: -200, count: 26)
        logits[0] = 0
        logits[1] = 0.693_147_2
        logits[2] = 1.609_437_9
        for shift: Float in [0, 50, -50] {
            let scores = try LetterScores(logits: logits.map { $0 + shift })
            #expect(abs(scores.probabilities[0] - 0.125) < 1e-5)
            #expect(abs(scores.probabilities[1] - 0.25) < 1e-5)
            #expect(abs(scores.probabilities[2] - 0.625) < 1e-5)
            #expect(scores.top(2).map { $0.letter.character } == ["C", "B"])
        }
    }

    @Test func softmaxOfExtremes() throws {
        var logits = [Float](repeating: -.greatestFiniteMagnitude, count: 26)
        logits[7] = .greatestFiniteMagnitude
        #expect(try LetterScores(logits: logits).probabilities[7] == 1)
        let even = try LetterScores(logits: [Float](repeating: 3e38, count: 26))
        #expect(even.probabilities.allSatisfy { abs($0 - 1 / 26) < 1e-6 })
        #expect(even.top().map { $0.letter.character } == ["A", "B", "C"])
        for bad in [Float.nan, .infinity, -.infinity] {
            logits[3] = bad
            #expect(throws: BridgeAIError.badScore(index: 3, value: "\(bad)")) {
                try LetterScores(logits: logits)
            }
        }
        #expect(throws: BridgeAIError.scoreCount(got: 9, expected: 26)) {
            try LetterScores(logits: [Float](repeating: 0, count: 9))
        }
    }
}
