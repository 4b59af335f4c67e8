import BridgeAI
import SenseProtocol
import SessionCore
import Testing

/// A hand in front of a session; the test plays the letter network.
private struct SigningScript {
    var script = SessionScript.welcomed()
    var index: UInt64 = 0
    var timeUs: UInt64 = 5_000_000
    var updates: [SenseProtocol.LetterUpdate] = []
    var warnings: [StreamWarning] = []
    var errors: [ErrorMessage] = []

    static let right = HandFormat(producer: .raw, mirrored: false, hasZ: true)

    /// A right hand with curled fingers in an unflipped picture, y down.
    static let points: [Float] = {
        var points: [Float] = [0.5, 0.8, 0]
        for joint in 0..<4 {
            points += [0.56 + 0.02 * Float(joint), 0.74 - 0.05 * Float(joint), -0.02 - 0.012 * Float(joint)]
        }
        for finger in 0..<4 {
            for joint in 0..<4 {
                points += [
                    0.56 - 0.035 * Float(finger), 0.55 + 0.015 * Float(finger) - 0.045 * Float(joint),
                    -0.01 - 0.015 * Float(joint * joint),
                ]
            }
        }
        return points
    }()

    init(_ format: HandFormat = right) {
        script.send(.openStream(OpenStream(streamId: 2, format: .hands(format))))
        script.actions = []
    }

    /// Sends one frame; the network sees `letter` in it.
    mutating func frame(
        _ letter: Character, points: [Float] = points, handID: UInt32 = 0,
        handedness: SenseProtocol.Handedness = .right, stepUs: UInt64 = 33_333
    ) {
        index += 1
        timeUs &+= stepUs
        script.advance(Double(stepUs) / 1_000_000)
        script.send(
            .handFrames(
                HandFrames(
                    streamId: 2,
                    frames: [
                        HandFrame(
                            frameIndex: index, monoUs: timeUs, handedness: handedness, points: points,
                            handId: handID)
                    ])))
        for action in script.actions {
            guard case .scoreLetters(let job) = action else { continue }
            var probabilities = [Float](repeating: 0.1 / 25, count: 26)
            if let place = Letter(letter)?.index { probabilities[place] = 0.9 }
            script.session.letterScored(
                job, scores: try? LetterScores(probabilities: probabilities), at: script.now,
                actions: &script.actions)
        }
        script.actions.removeAll { if case .scoreLetters = $0 { true } else { false } }
        for body in script.takeSent() {
            switch body {
            case .letterUpdate(let update): updates.append(update)
            case .streamWarning(let warning): warnings.append(warning)
            case .error(let error): errors.append(error)
            default: break
            }
        }
    }

    mutating func hold(_ letter: Character, frames: Int = 20, handID: UInt32 = 0) {
        for _ in 0..<frames { frame(letter, handID: handID) }
    }

    var text: String { updates.last { $0.state == .committed }?.text ?? "" }
}

@Suite("Hand streams") struct HandStreamTests {
    @Test("a letter that is held is committed once, with its span")
    func committed() throws {
        var signing = SigningScript()
        signing.hold("W", frames: 60)
        #expect(signing.text == "W")
        let commits = signing.updates.filter { $0.state == .committed }
        #expect(commits.count == 1)
        let commit = try #require(commits.first)
        #expect(commit.firstMonoUs > 5_000_000 && commit.firstMonoUs <= commit.monoUs)
        #expect(commit.alternatives.count <= 3)
        #expect(!commit.alternatives.contains { $0.letter == "W" })
        #expect(commit.replaces == 0 && commit.letterProbability == 1)
        #expect(signing.warnings.isEmpty && signing.errors.isEmpty)
    }

    @Test(
        "a wrong declaration is noticed within two seconds, once, with the fix",
        arguments: [
            (HandFormat(producer: .raw, mirrored: true, hasZ: true), WarningKind.mirrored, "hands.mirrored"),
            (HandFormat(producer: .mediapipe, hasZ: true), .handednessSwapped, "hands.producer"),
            (HandFormat(producer: .raw, yAxis: .up, hasZ: true), .yUpsideDown, "hands.y_axis"),
        ])
    func wrongDeclaration(_ format: HandFormat, _ kind: WarningKind, _ field: String) throws {
        var signing = SigningScript(format)
        signing.hold("A", frames: 60)
        let told = signing.warnings.filter { $0.kind == kind }
        #expect(told.count == 1)
        #expect(told.first?.field == field)
        #expect(told.first?.suggestedFix.isEmpty == false)
        #expect(signing.warnings.count == 1)
        // Declared right, it is silent.
        signing.warnings = []
        signing.script.send(
            .streamFormat(
                StreamFormat(
                    streamId: 2, effectiveSampleIndex: signing.index + 1, format: .hands(SigningScript.right))
            ))
        signing.hold("A", frames: 90)
        #expect(signing.warnings.isEmpty)
    }

    @Test("bad frames, leaps and other hands keep the text so far")
    func textIsKept() {
        var signing = SigningScript()
        signing.hold("A")
        #expect(signing.text == "A")
        let bad: [[Float]] = [
            [Float](repeating: .nan, count: 63), [Float](repeating: .infinity, count: 63),
            [Float](repeating: 0, count: 63), [Float](repeating: 0.5, count: 63),
            [Float](repeating: 1e30, count: 63), [Float](repeating: 0.5, count: 60),
            [Float](repeating: 0.5, count: 66),
        ]
        for points in bad { signing.frame("A", points: points) }
        #expect(signing.warnings.contains { $0.kind == .badFrame })
        // The hand teleports; the clock leaps an hour ahead and back; a thousand frames a second.
        for round in 0..<10 {
            signing.frame("B", points: SigningScript.points.map { $0 + (round % 2 == 0 ? 3 : -3) })
        }
        signing.frame("B", stepUs: 3_600_000_000)
        #expect(signing.warnings.contains { $0.kind == .clockJump })
        signing.timeUs -= 3_600_000_000
        signing.frame("B")
        for _ in 0..<300 { signing.frame("B", stepUs: 1_000) }
        #expect(signing.warnings.contains { $0.kind == .badFrame && $0.message.contains("frames a second") })
        #expect(signing.text.hasPrefix("A"))
        #expect(signing.errors.isEmpty && signing.script.session.isActive)
    }

    @Test("another producer in mid-word goes on with the text")
    func producerChange() {
        var signing = SigningScript()
        signing.hold("A")
        signing.script.send(
            .streamFormat(
                StreamFormat(
                    streamId: 2, effectiveSampleIndex: signing.index + 1,
                    format: .hands(HandFormat(producer: .appleVision, mirrored: true))))
        )
        for _ in 0..<20 {
            signing.frame(
                "B",
                points: SigningScript.points.enumerated().map {
                    $0 % 3 == 1 ? 1 - $1 : $0 % 3 == 0 ? 1 - $1 : $1
                },
                handedness: .left)
        }
        #expect(signing.text == "AB")
    }

    @Test("with two hands in view one is read; a swap in mid-word goes on")
    func twoHands() {
        var signing = SigningScript()
        for _ in 0..<20 {
            signing.frame("A", handID: 1)
            signing.frame("Q", handID: 2, stepUs: 0)
        }
        #expect(signing.text == "A")
        signing.hold("B", frames: 40, handID: 2)
        #expect(signing.text == "AB")
    }
}
