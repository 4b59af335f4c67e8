import Numerics
import Testing

@testable import BridgeAI

struct PersonalAdaptationTests {
    /// A network that knows all letters, but takes this person's K for V and their U for R.
    static func scores(_ letter: Letter, _ random: inout SeededNoise) throws -> LetterScores {
        var logits = (0..<26).map { _ in Float(random.gaussian()) * 0.5 }
        logits[letter.index] += 6
        for (shown, taken) in [("K", "V"), ("U", "R")] where letter.character == Character(shown) {
            // A trace of the truth is left in the scores.
            logits[letter.index] -= 4.5
            logits[try #require(Letter(Character(taken))).index] += 5
        }
        return try LetterScores(logits: logits)
    }

    static func samples(each count: Int, seed: UInt64 = 4) throws -> CalibrationSamples {
        var random = SeededNoise(seed: seed)
        var samples = CalibrationSamples()
        for _ in 0..<count {
            for index in 0..<26 {
                let letter = try #require(Letter(index: index))
                let frames = try (0..<CalibrationSamples.framesPerSample).map { _ in
                    try scores(letter, &random)
                }
                let isTaken = samples.add(letter, frames: frames)
                #expect(isTaken)
            }
        }
        return samples
    }

    @Test func learnsOnePersonsConfusionsFromFewSamples() throws {
        let outcome = try #require(AdaptationTrainer().learn(Self.samples(each: 4)))
        #expect(outcome.accuracyWithout < 0.95)
        #expect(outcome.crossValidatedAccuracy > 0.98)
        var random = SeededNoise(seed: 99)
        var wrong = 0
        for _ in 0..<20 {
            for index in 0..<26 {
                let letter = try #require(Letter(index: index))
                let before = try Self.scores(letter, &random).probabilities
                let after = outcome.adaptation.adapted(before)
                #expect(abs(after.reduce(0, +) - 1) < 1e-3)
                if after.indices.max(by: { after[$0] < after[$1] }) != index { wrong += 1 }
            }
        }
        #expect(wrong < 10)
    }

    @Test func learningIsDeterministic() throws {
        let samples = try Self.samples(each: 2)
        #expect(AdaptationTrainer().learn(samples) == AdaptationTrainer().learn(samples))
    }

    @Test func tooFewLettersTeachNothing() throws {
        var samples = CalibrationSamples()
        #expect(AdaptationTrainer().learn(samples) == nil)
        let scores = try LetterScores(probabilities: [Float](repeating: 1 / 26, count: 26))
        for index in 0..<CalibrationSamples.minLetters - 1 {
            let isTaken = samples.add(try #require(Letter(index: index)), frames: [scores])
            #expect(isTaken)
        }
        #expect(AdaptationTrainer().learn(samples) == nil)
    }

    @Test func samplesOfALetterAreBounded() throws {
        var samples = CalibrationSamples()
        let letter = try #require(Letter("A"))
        let scores = try LetterScores(probabilities: [Float](repeating: 0, count: 26))
        var taken = [samples.add(letter, frames: [])]
        for _ in 0...CalibrationSamples.maxSamplesPerLetter {
            taken.append(samples.add(letter, frames: [scores]))
        }
        #expect(taken.first == false && taken.last == false)
        #expect(taken.count { $0 } == CalibrationSamples.maxSamplesPerLetter)
        #expect(samples.count(of: letter) == CalibrationSamples.maxSamplesPerLetter)
    }

    @Test func storedFormComesBack() throws {
        let adaptation = try #require(AdaptationTrainer().learn(Self.samples(each: 1))).adaptation
        let bytes = adaptation.bytes
        #expect(bytes.count == PersonalAdaptation.byteCount)
        #expect(PersonalAdaptation(bytes: bytes) == adaptation)
    }

    @Test func damagedFormsAreRefused() throws {
        let adaptation = try #require(AdaptationTrainer().learn(Self.samples(each: 1))).adaptation
        let bytes = adaptation.bytes
        #expect(PersonalAdaptation(bytes: []) == nil)
        #expect(PersonalAdaptation(bytes: bytes.dropLast()) == nil)
        #expect(PersonalAdaptation(bytes: bytes + [0]) == nil)
        #expect(PersonalAdaptation(bytes: [2] + bytes.dropFirst()) == nil)
        for pattern in [Float.nan, .infinity, 9, -9] {
            var bad = bytes
            for place in 0..<4 {
                bad[1 + place] = UInt8(truncatingIfNeeded: pattern.bitPattern >> (8 * UInt32(place)))
            }
            #expect(PersonalAdaptation(bytes: bad) == nil)
        }
    }

    @Test func whetherAFrameShowsALetterIsLeftAsItIs() throws {
        let adaptation = try #require(AdaptationTrainer().learn(Self.samples(each: 1))).adaptation
        var scores = try LetterScores(probabilities: [Float](repeating: 0, count: 26))
        scores.letterProbability = 0.25
        let adapted = adaptation.adapted(scores)
        #expect(adapted.letterProbability == 0.25)
        #expect(adapted.probabilities.allSatisfy { $0.isFinite })
    }
}
