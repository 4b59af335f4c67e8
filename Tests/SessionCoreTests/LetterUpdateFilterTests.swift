import SenseProtocol
import Testing

@testable import BridgeAI
@testable import SessionCore

/// Which letters in the making are sent: frames and scores in, updates out.
@Suite("Letters in the making are sent when they look different")
struct LetterUpdateFilterTests {
    struct Script {
        var session: SessionScript
        private var frame: UInt64 = 0

        init(everyFrame: Bool = false, showsPartials: Bool = true) {
            session = SessionScript.welcomed(
                hello: Hello(
                    deviceClass: .phone,
                    capabilities: Capabilities(screen: true, showsPartials: showsPartials),
                    credential: .token("t")))
            session.send(
                .openStream(
                    OpenStream(
                        streamId: 2,
                        format: .hands(HandFormat(producer: .raw, hasZ: true, everyFrame: everyFrame)))))
            session.actions = []
        }

        /// One frame, 1/30 s after the last; what was sent for it.
        mutating func show(_ scores: [Character: Float], noHand: Bool = false) throws -> [SenseProtocol
            .LetterUpdate]
        {
            frame += 1
            session.advance(1.0 / 30)
            let points = noHand ? [] : (0..<63).map { Float($0) / 63 }
            session.send(
                .handFrames(
                    HandFrames(
                        streamId: 2,
                        frames: [
                            HandFrame(
                                frameIndex: frame, monoUs: frame * 33_333, noHand: noHand, points: points)
                        ])))
            let jobs = session.actions.compactMap { if case .scoreLetters(let job) = $0 { job } else { nil } }
            var probabilities = [Float](repeating: 0, count: 26)
            for (letter, value) in scores { probabilities[try #require(Letter(letter)).index] = value }
            for job in jobs {
                session.session.letterScored(
                    job, scores: try LetterScores(probabilities: probabilities), at: session.now,
                    actions: &session.actions)
            }
            let sent = session.takeSent()
            session.actions = []
            return sent.compactMap { if case .letterUpdate(let update) = $0 { update } else { nil } }
        }
    }

    /// 300 frames of one held letter: the commit, changes of the progress towards it, and four signs of life a second.
    @Test func aHeldLetterIsNotRepeatedForEachFrame() throws {
        var script = Script()
        var sent: [SenseProtocol.LetterUpdate] = []
        for _ in 0..<300 { sent += try script.show(["A": 0.9, "S": 0.06, "E": 0.04]) }
        #expect(sent.count { $0.state == .committed } == 1)
        #expect((36...60).contains(sent.count))
        let gaps = zip(sent, sent.dropFirst()).map { $1.lastFrameIndex - $0.lastFrameIndex }
        #expect(gaps.allSatisfy { $0 <= 8 })
    }

    @Test func everyFrameIsAnsweredWhenAskedFor() throws {
        var script = Script(everyFrame: true)
        var sent: [SenseProtocol.LetterUpdate] = []
        for _ in 0..<100 { sent += try script.show(["A": 0.9]) }
        #expect(sent.map(\.lastFrameIndex) == Array(1...100))
    }

    /// An update by what the filter looks at.
    static func update(
        _ state: BridgeAI.LetterUpdate.State = .partial, _ letters: String = "ASE", _ confidence: Float = 0.6,
        progress: Float = 0
    ) -> BridgeAI.LetterUpdate {
        let candidates = letters.compactMap { Letter($0) }.map {
            BridgeAI.LetterCandidate(letter: $0, probability: confidence)
        }
        return BridgeAI.LetterUpdate(
            state: state, letter: candidates.first?.letter, confidence: confidence,
            alternatives: LikelyLetters(candidates),
            holdProgress: progress, text: "", firstFrame: 1, lastFrame: 1)
    }

    @Test func whatAPersonSeesIsSentAtOnce() {
        let changes: [(BridgeAI.LetterUpdate, isSent: Bool)] = [
            (Self.update(), false),
            (Self.update(.partial, "ASE", 0.64), false),
            (Self.update(.partial, "ASE", 0.66), true),
            (Self.update(.partial, "ASE", 0.54), true),
            (Self.update(progress: 0.2), false),
            (Self.update(progress: 0.3), true),
            (Self.update(.partial, "AES"), true),
            (Self.update(.partial, "AS"), true),
            (Self.update(.partial, "BSE"), true),
            (Self.update(.uncertain), true),
            (Self.update(.committed), true),
            (Self.update(.space), true),
            (Self.update(.phraseEnd), true),
        ]
        for (change, isSent) in changes {
            var filter = LetterUpdateFilter()
            let first = filter.admits(Self.update(), nowUs: 1)
            let second = filter.admits(change, nowUs: 2)
            #expect(first)
            #expect(second == isSent, "\(change)")
        }
    }

    @Test func commitsAndSpacesAlwaysPass() {
        var filter = LetterUpdateFilter()
        for state: BridgeAI.LetterUpdate.State in [.committed, .committed, .space, .space] {
            let isSent = filter.admits(Self.update(state), nowUs: 1)
            #expect(isSent)
        }
    }

    @Test(arguments: [
        (BridgeAI.LetterUpdate.State.partial, UInt64(250_000)), (.uncertain, 250_000), (.noHand, 1_000_000),
    ])
    func silenceHasAnEnd(_ state: BridgeAI.LetterUpdate.State, _ us: UInt64) {
        var filter = LetterUpdateFilter()
        let times = [5, 4 + us, 5 + us, 6 + us]
        let sent = times.map { filter.admits(Self.update(state), nowUs: $0) }
        #expect(sent == [true, false, true, false])
        filter.reset()
        let afterReset = filter.admits(Self.update(state), nowUs: 7 + us)
        #expect(afterReset)
    }

    /// Many small steps add up: the comparison is with what was sent, not with the update before.
    @Test func slowDriftIsShown() {
        var filter = LetterUpdateFilter()
        let sent = (0..<7).count {
            filter.admits(Self.update(.partial, "A", 0.5 + 0.02 * Float($0)), nowUs: 1)
        }
        #expect(sent == 3)
    }

    @Test func aHandThatLeavesIsToldAtOnceAndThenOnceASecond() throws {
        var script = Script()
        _ = try script.show(["A": 0.6])
        #expect(try script.show([:], noHand: true).map(\.state) == [.noHand])
        var sent = 0
        for _ in 0..<90 { sent += try script.show([:], noHand: true).count }
        // Twice as a sign of life, and perhaps the end of the phrase.
        #expect((2...5).contains(sent))
    }

    @Test func devicesWithoutPartialsGetCommitsOnly() throws {
        for everyFrame in [false, true] {
            var script = Script(everyFrame: everyFrame, showsPartials: false)
            var sent: [SenseProtocol.LetterUpdate] = []
            for _ in 0..<60 { sent += try script.show(["A": 0.9]) }
            #expect(sent.map(\.state) == [.committed])
        }
    }
}
