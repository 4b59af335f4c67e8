import BridgeAI
import Testing

/// A stream of made-up scores and motions, at any frame rate.
struct SpelledStream {
    var decoder: LetterDecoder
    var updates: [LetterUpdate] = []
    var frame: UInt64 = 0
    var timeUs: UInt64 = 1_000_000
    let stepUs: UInt64

    init(framesPerSecond: UInt64 = 30, decoder: LetterDecoder = LetterDecoder()) {
        stepUs = 1_000_000 / framesPerSecond
        self.decoder = decoder
    }

    static func scores(_ letters: [(Character, Float)], letterProbability: Float = 1) -> LetterScores {
        var values = [Float](repeating: 0, count: 26)
        var left: Float = 1
        for (letter, probability) in letters {
            if let index = Letter(letter)?.index { values[index] += probability }
            left -= probability
        }
        values = values.map { $0 + max(0, left) / 26 }
        guard var scores = try? LetterScores(probabilities: values) else {
            preconditionFailure("sums above 1")
        }
        scores.letterProbability = letterProbability
        return scores
    }

    mutating func observe(_ observation: LetterObservation, _ motion: HandMotion? = nil) {
        if let update = decoder.observe(observation, motion: motion, frameIndex: frame, timeUs: timeUs) {
            updates.append(update)
        }
        frame += 1
        timeUs += stepUs
    }

    /// Shows letters for `seconds` while the hand moves at `shapeSpeed`.
    mutating func show(
        _ letters: [(Character, Float)], seconds: Double, shapeSpeed: Float = 0.1, travelSpeed: Float = 0,
        letterProbability: Float = 1
    ) {
        for _ in 0..<frames(seconds) {
            observe(
                .scores(Self.scores(letters, letterProbability: letterProbability)),
                HandMotion(shapeSpeed: shapeSpeed, travelSpeed: travelSpeed))
        }
    }

    mutating func hold(_ letter: Character, seconds: Double, probability: Float = 0.9) {
        show([(letter, probability)], seconds: seconds)
    }

    /// The hand moves on through `letters`.
    mutating func move(through letters: [(Character, Float)], seconds: Double, speed: Float = 3) {
        show(letters, seconds: seconds, shapeSpeed: speed)
    }

    mutating func away(seconds: Double) {
        for _ in 0..<frames(seconds) { observe(.noHand) }
    }

    private func frames(_ seconds: Double) -> Int {
        max(1, Int((seconds * 1_000_000 / Double(stepUs)).rounded()))
    }

    var text: String { decoder.text.text }
    var commits: [LetterCommit] { updates.compactMap(\.commit) }
}

@Suite struct LetterDecoderTests {
    static let rates: [UInt64] = [15, 25, 30, 60]

    @Test(arguments: rates) func spellsAtEverySpeed(_ framesPerSecond: UInt64) {
        // Letters a second: half, two and (as far as the frames show them) three and a half.
        for (still, moving) in [(1.55, 0.45), (0.22, 0.28), (0.12, 0.17)] {
            var stream = SpelledStream(framesPerSecond: framesPerSecond)
            stream.move(through: [], seconds: 0.3)
            for letter in "WATER" {
                stream.hold(letter, seconds: still)
                stream.move(through: [(letter, 0.3), ("X", 0.3)], seconds: moving)
            }
            stream.away(seconds: 0.4)
            #expect(stream.text == "WATER")
        }
    }

    @Test(arguments: rates) func holdingNeverRepeats(_ framesPerSecond: UInt64) {
        var stream = SpelledStream(framesPerSecond: framesPerSecond)
        stream.hold("L", seconds: 3)
        #expect(stream.text == "L")
        #expect(stream.commits.count == 1)
    }

    @Test(arguments: rates) func aHeldLetterIsTakenWithinAQuarterOfASecond(_ framesPerSecond: UInt64) throws {
        var stream = SpelledStream(framesPerSecond: framesPerSecond)
        stream.move(through: [], seconds: 0.3)
        let arrival = stream.timeUs
        stream.hold("G", seconds: 1)
        let place = try #require(stream.updates.firstIndex { $0.state == .committed })
        #expect(1_000_000 + UInt64(place) * stream.stepUs <= arrival + 250_000)
    }

    @Test(arguments: rates) func aSlideOrABounceRepeats(_ framesPerSecond: UInt64) {
        for (shape, travel): (Float, Float) in [(0.2, 3.5), (1.6, 0.2)] {
            var stream = SpelledStream(framesPerSecond: framesPerSecond)
            stream.move(through: [], seconds: 0.2)
            stream.hold("L", seconds: 0.3)
            stream.show([("L", 0.85)], seconds: 0.24, shapeSpeed: shape, travelSpeed: travel)
            stream.hold("L", seconds: 0.3)
            #expect(stream.text == "LL")
            #expect(stream.commits.map(\.kind) == [.hold, .repeated])
        }
    }

    @Test func oneLeapOfTheDetectorIsNoBounce() {
        var stream = SpelledStream()
        stream.hold("B", seconds: 0.5)
        stream.show([("B", 0.6)], seconds: 0.06, shapeSpeed: 2.4, travelSpeed: 5)
        stream.hold("B", seconds: 1)
        #expect(stream.text == "B")
    }

    @Test(arguments: rates) func aShapePassedAtSpeedIsNoLetter(_ framesPerSecond: UInt64) {
        var stream = SpelledStream(framesPerSecond: framesPerSecond)
        stream.hold("O", seconds: 0.3)
        stream.move(through: [("O", 0.6)], seconds: 0.07, speed: 1.5)
        stream.move(through: [("E", 0.95)], seconds: 0.13, speed: 3)
        stream.move(through: [("N", 0.6)], seconds: 0.07, speed: 1.5)
        stream.hold("N", seconds: 0.3)
        #expect(stream.text == "ON")
    }

    @Test func twoLikeLettersInDoubtMakeOne() {
        var stream = SpelledStream()
        for round in 0..<60 {
            stream.show(
                round % 2 == 0 ? [("S", 0.5), ("A", 0.35)] : [("A", 0.5), ("S", 0.35)], seconds: 0.03)
        }
        #expect(stream.text.count == 1)
    }

    @Test func aClearChangeWithoutMuchMotionIsANewLetter() {
        var stream = SpelledStream()
        stream.hold("M", seconds: 0.6)
        stream.show([("N", 0.8)], seconds: 0.6, shapeSpeed: 0.4)
        #expect(stream.text == "MN")
    }

    @Test func aCommitCarriesWhatIsKnown() throws {
        var stream = SpelledStream()
        stream.move(through: [], seconds: 0.2)
        let arrival = stream.frame
        stream.show([("S", 0.6), ("A", 0.25), ("T", 0.1)], seconds: 0.6)
        let commit = try #require(stream.commits.first)
        #expect(commit.letter == Letter("S"))
        #expect(abs(commit.confidence - 0.59) < 0.05)
        #expect(commit.alternatives.map { $0.letter.character } == ["A", "T", "E"])
        #expect(commit.confidence == commit.posterior[18])
        #expect(abs(commit.posterior.probabilities.reduce(0, +) - 1) < 1e-4)
        #expect(commit.firstFrame >= arrival && commit.firstFrame <= commit.lastFrame)
        #expect(commit.startUs == 1_000_000 + commit.firstFrame * stream.stepUs)
        #expect(commit.endUs == 1_000_000 + commit.lastFrame * stream.stepUs)
        #expect(commit.replaces == 0)
    }

    @Test func missingAndBadFramesOnlyDelay() {
        var stream = SpelledStream()
        stream.hold("H", seconds: 0.066)
        stream.observe(.noHand)
        stream.observe(.badFrame)
        stream.hold("H", seconds: 0.3)
        stream.observe(.noHand)
        stream.observe(.noHand)
        stream.hold("H", seconds: 0.5)
        #expect(stream.text == "H")
    }

    @Test func absenceMakesASpaceThenEndsThePhrase() {
        var stream = SpelledStream()
        stream.hold("A", seconds: 0.5)
        stream.away(seconds: 0.6)
        #expect(stream.text == "A")
        stream.away(seconds: 0.2)
        #expect(stream.text == "A ")
        stream.away(seconds: 3)
        #expect(stream.updates.filter { $0.state == .space }.count == 1)
        #expect(stream.updates.filter { $0.state == .phraseEnd }.count == 1)
        #expect(stream.text == "A ")
        stream.hold("B", seconds: 0.5)
        #expect(stream.text == "A B")
    }

    @Test func aSilentProducerIsAnAbsentHand() {
        var stream = SpelledStream()
        stream.hold("A", seconds: 0.5)
        stream.timeUs += 900_000
        stream.hold("A", seconds: 0.5)
        #expect(stream.text == "A A")
        #expect(stream.updates.contains { $0.state == .space })
    }

    @Test func aLetterShownShortlyBeforeTheHandLeavesIsTaken() {
        var stream = SpelledStream()
        stream.move(through: [], seconds: 0.2)
        stream.hold("Y", seconds: 0.07)
        stream.away(seconds: 0.4)
        #expect(stream.text == "Y")

        var ended = SpelledStream()
        ended.move(through: [], seconds: 0.2)
        ended.hold("Y", seconds: 0.07)
        let update = ended.decoder.finish()
        #expect(update?.commit?.letter == Letter("Y"))
        let again = ended.decoder.finish()
        #expect(again == nil)
    }

    @Test func restMakesASpaceButHoldingDoesNot() {
        var stream = SpelledStream()
        stream.hold("A", seconds: 4)
        #expect(stream.text == "A")
        stream.show([("Q", 0.4)], seconds: 2.5, letterProbability: 0.05)
        #expect(stream.text == "A ")
        var never = DecoderSettings()
        never.restSpaceUs = 0
        stream = SpelledStream(decoder: LetterDecoder(settings: never))
        stream.hold("A", seconds: 0.5)
        stream.show([("Q", 0.4)], seconds: 4, letterProbability: 0.05)
        #expect(stream.text == "A")
    }

    @Test func whatIsNoLetterIsNotWritten() {
        var stream = SpelledStream()
        stream.show([("Q", 0.9)], seconds: 1, letterProbability: 0.02)
        #expect(stream.text.isEmpty)
        #expect(stream.updates.allSatisfy { $0.state == .uncertain })
    }

    @Test(arguments: [UInt64(0), 5, 3_600_000_000, UInt64.max]) func clockJumpsKeepTheText(_ timeUs: UInt64) {
        var stream = SpelledStream()
        stream.hold("A", seconds: 0.5)
        stream.timeUs = timeUs
        if timeUs == .max {
            stream.decoder.apply(.space)
            _ = stream.decoder.observe(.noHand, motion: nil, frameIndex: stream.frame, timeUs: timeUs)
            #expect(stream.text == "A ")
            return
        }
        stream.hold("B", seconds: 0.5)
        #expect(stream.text.hasPrefix("A") && stream.text.hasSuffix("B"))
    }

    @Test func lateAndDoubledFramesAreLeftOut() {
        var stream = SpelledStream()
        stream.hold("A", seconds: 0.5)
        let before = stream.decoder
        for index: UInt64 in [0, 3, stream.frame - 1] {
            let update = stream.decoder.observe(.noHand, motion: nil, frameIndex: index, timeUs: 0)
            #expect(update == nil)
        }
        #expect(stream.decoder == before)
    }

    @Test func aFullTextIsSaid() {
        var stream = SpelledStream(decoder: LetterDecoder(text: SpelledText(limit: 1)))
        stream.hold("A", seconds: 0.4)
        stream.move(through: [], seconds: 0.2)
        stream.hold("B", seconds: 0.4)
        #expect(stream.text == "A")
        #expect(stream.updates.contains { $0.state == .textFull && $0.commit == nil })
    }

    @Test func anyScoresAndMotionAreTaken() {
        var random = SplitMix(seed: 5)
        var stream = SpelledStream()
        for _ in 0..<5_000 {
            stream.timeUs = stream.timeUs &+ random.next() % 100_000
            if random.next() % 50 == 0 { stream.timeUs = random.next() }
            switch random.next() % 6 {
            case 0: stream.observe(.noHand)
            case 1: stream.observe(.badFrame)
            default:
                let letters = Array("ABIJDZ")
                let letter = letters[Int(random.next() % 6)]
                func any() -> Float { Float(random.next() % 2_000) / 100 - 10 }
                stream.observe(
                    .scores(SpelledStream.scores([(letter, 0.9)])),
                    HandMotion(
                        wrist: PlanePoint(x: any(), y: any()), indexTip: PlanePoint(x: any(), y: any()),
                        littleTip: PlanePoint(x: any(), y: any()), shapeSpeed: abs(any()),
                        travelSpeed: abs(any()),
                        approachSpeed: abs(any())))
            }
        }
        #expect(stream.text.count <= BridgeAILimits.maxTextLetters)
        #expect(MemoryLayout<LetterDecoder>.size + LetterDecoder.heapBytes < 16_384)
    }
}

/// A small generator with a seed: SplitMix64 (Steele, Lea, Flood 2014).
struct SplitMix {
    private var state: UInt64
    init(seed: UInt64) { state = seed }
    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
