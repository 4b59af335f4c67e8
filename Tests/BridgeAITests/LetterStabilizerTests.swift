import BridgeAI
import Testing

@Suite struct LetterStabilizerTests {
    /// Frames: a letter = sure of it, lower case = 0.74 for it, "-" = no hand, "!" = bad frame, "." = frame lost.
    static func run(_ script: String, _ stabilizer: inout LetterStabilizer, from first: UInt64 = 0) throws
        -> [LetterUpdate]
    {
        var updates: [LetterUpdate] = []
        for (offset, symbol) in script.enumerated() {
            let observation: LetterObservation
            switch symbol {
            case ".": continue
            case "-": observation = .noHand
            case "!": observation = .badFrame
            default:
                observation = .scores(try scores(symbol, symbol.isUppercase ? 0.9 : 0.74))
            }
            if let update = stabilizer.observe(observation, frameIndex: first + UInt64(offset)) {
                updates.append(update)
            }
        }
        return updates
    }

    static func scores(_ symbol: Character, _ probability: Float) throws -> LetterScores {
        var values = [Float](repeating: (1 - probability) / 25, count: 26)
        values[try #require(Letter(symbol)).index] = probability
        return try LetterScores(probabilities: values)
    }

    static func text(_ script: String) throws -> String {
        var stabilizer = LetterStabilizer()
        _ = try run(script, &stabilizer)
        return stabilizer.text.text
    }

    @Test(arguments: [
        // 4 of 5 frames agree on the 4th; 15 more frames commit on the 19th.
        (String(repeating: "A", count: 18), ""),
        (String(repeating: "A", count: 19), "A"),
        // Held on, it is one letter.
        (String(repeating: "A", count: 300), "A"),
        // Just below the threshold nothing counts.
        (String(repeating: "a", count: 300), ""),
        // One frame in five may be lost, bad, without hand or another letter.
        ("AAAA-AAAA!AAAA.AAAABAAAA", "A"),
        (String(repeating: "AAA--", count: 20), ""),
        // A released letter may come again; a changed one starts anew.
        (String(repeating: "L", count: 19) + "--" + String(repeating: "L", count: 19), "LL"),
        (String(repeating: "L", count: 19) + "-" + String(repeating: "L", count: 40), "L"),
        (String(repeating: "H", count: 20) + String(repeating: "I", count: 20), "HI"),
        (String(repeating: "O", count: 19) + "EE" + String(repeating: "N", count: 19), "ON"),
    ]) func script(_ frames: String, _ text: String) throws {
        #expect(try Self.text(frames) == text)
    }

    @Test func progressRisesToTheCommit() throws {
        var stabilizer = LetterStabilizer()
        let updates = try Self.run(String(repeating: "Q", count: 20), &stabilizer, from: 100)
        #expect(updates.prefix(18).allSatisfy { $0.state == .partial && $0.text.isEmpty })
        #expect(updates[18].state == .committed)
        #expect(updates[18].letter == Letter("Q"))
        #expect(updates[18].text == "Q")
        #expect(updates[18].holdProgress == 1)
        #expect(updates[18].confidence == 0.9)
        #expect(updates[18].firstFrame == 103)
        #expect(updates[18].lastFrame == 118)
        #expect(updates[19].state == .partial)
        #expect(updates[10].holdProgress == Float(7) / 15)
        #expect(zip(updates, updates.dropFirst()).allSatisfy { $0.holdProgress <= $1.holdProgress })
    }

    @Test func statesAreTold() throws {
        var stabilizer = LetterStabilizer()
        let states = try Self.run("-a!A", &stabilizer).map(\.state)
        #expect(states == [.noHand, .uncertain, .uncertain, .partial])
        // One lost detection does not hide a stable letter.
        let held = try Self.run("AAAA-", &stabilizer, from: 10)
        #expect(held.map(\.state) == [.partial, .partial, .partial, .partial, .partial])
        #expect(held[4].letter == Letter("A"))
    }

    @Test func alternativesAreTheThreeLikeliest() throws {
        var values = [Float](repeating: 0, count: 26)
        values[18] = 0.5
        values[0] = 0.3
        values[19] = 0.15
        values[4] = 0.05
        var stabilizer = LetterStabilizer()
        let seen = stabilizer.observe(.scores(try LetterScores(probabilities: values)), frameIndex: 0)
        let update = try #require(seen)
        #expect(update.alternatives.map { $0.letter.character } == ["S", "A", "T"])
        #expect(update.alternatives.map(\.probability) == [0.5, 0.3, 0.15])
    }

    @Test func lateAndDoubledFramesAreLeftOut() throws {
        var stabilizer = LetterStabilizer()
        _ = try Self.run("AAA", &stabilizer, from: 50)
        let before = stabilizer
        for index: UInt64 in [0, 49, 51, 52] {
            let update = stabilizer.observe(.scores(try Self.scores("A", 0.9)), frameIndex: index)
            #expect(update == nil)
        }
        #expect(stabilizer == before)
    }

    @Test(arguments: [7, 8, 9, 1_000, UInt64.max]) func longGapStartsTheVoteAnew(_ next: UInt64) throws {
        var stabilizer = LetterStabilizer()
        _ = try Self.run("AAA", &stabilizer)
        let seen = stabilizer.observe(.scores(try Self.scores("A", 0.9)), frameIndex: next)
        let update = try #require(seen)
        #expect(update.holdProgress == 0)
        #expect(update.firstFrame == next)
    }

    @Test func editsAndFullText() throws {
        var stabilizer = LetterStabilizer(text: SpelledText(limit: 2))
        _ = try Self.run(String(repeating: "A", count: 19) + String(repeating: "B", count: 19), &stabilizer)
        let full = try Self.run(String(repeating: "C", count: 23), &stabilizer, from: 100)
        #expect(full.map(\.state).contains(.textFull))
        #expect(stabilizer.text.text == "AB")
        var edits: [Bool] = []
        for edit in [TextEdit.delete, .space, .space] { edits.append(stabilizer.apply(edit)) }
        #expect(edits == [true, true, false])
        #expect(stabilizer.text.text == "A ")
        edits = []
        for edit in [TextEdit.clear, .clear, .delete, .space] { edits.append(stabilizer.apply(edit)) }
        #expect(edits == [true, false, false, false])
        #expect(stabilizer.text.text.isEmpty)
    }

    @Test func badScoresAreNamed() {
        #expect(throws: BridgeAIError.scoreCount(got: 25, expected: 26)) {
            try LetterScores(probabilities: [Float](repeating: 0, count: 25))
        }
        for (value, text) in [(Float.nan, "nan"), (-0.1, "-0.1"), (1.5, "1.5"), (.infinity, "inf")] {
            var values = [Float](repeating: 0, count: 26)
            values[3] = value
            #expect(throws: BridgeAIError.badScore(index: 3, value: text)) {
                try LetterScores(probabilities: values)
            }
        }
    }
}
