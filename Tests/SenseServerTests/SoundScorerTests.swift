import Foundation
import Inference
import QuietAlert
import SenseProtocol
import Testing

@testable import SenseServer

/// The two forms a sound network runs in.
@Suite("Sound networks in the server")
struct SoundScorerTests {
    /// Models of the repository.
    static let models = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Models").path

    private static func shipped() throws -> LoadedModel { try #require(try ModelBay(folder: models).sounds) }

    private static func signal(_ count: Int, seed: UInt32) -> [Float] {
        var state = seed
        return (0..<count).map { n in
            state = state &* 1_664_525 &+ 1_013_904_223
            return (n / 20_000 % 3 == 2 ? 0.3 : 0.02) * (Float(state >> 8) / 8_388_608 - 1)
        }
    }

    private static func run(_ scorer: SoundScorer, _ signal: [Float]) -> [SoundNetworkScores] {
        var state: [Float] = []
        var answers: [SoundNetworkScores] = []
        for start in stride(from: 0, through: signal.count - 7_056, by: 7_056) {
            let step = SoundStep(samples: Array(signal[start..<(start + 7_056)]), state: state)
            guard let scores = scorer.score([step])[0] else { continue }
            state = scores.state
            answers.append(scores)
        }
        return answers
    }

    /// 100 streams then keep less than 20 MB between steps, and eight of them fit the second-level cache.
    @Test("the shipped network runs in steps, and a stream's state stays under 200,000 bytes")
    func shippedInSteps() throws {
        let network = SoundNetwork(try Self.shipped())
        guard case .steps(let stream) = network else {
            Issue.record("not in steps: \(network)")
            return
        }
        #expect(stream.stepSamples == 7_056)
        #expect(stream.stateFloats * MemoryLayout<Float>.stride < 200_000)
        #expect(network.outputs.contains("extra_logits"))
    }

    @Test("whole windows, for a network without a streaming form, carry the samples and slide by a step")
    func windows() throws {
        let model = try Self.shipped()
        let scorer = SoundScorer(.windows(model.network, reason: "test"))
        let signal = Self.signal(3 * 7_056, seed: 3)
        let answers = Self.run(scorer, signal)
        #expect(answers.count == 3)
        #expect(answers.allSatisfy { $0.classLogits.count == 9 && $0.presenceLogit.isFinite })
        let window = [Float](repeating: 0, count: 110_250 - signal.count) + signal
        #expect(answers.last?.state == Array(window.suffix(110_250 - 7_056)))
        let whole = try ExecutionPlan(model.network, batch: 1).run(inputs: ["audio": window])
        for (a, b) in zip(answers.last?.classLogits ?? [], try #require(whole["class_logits"])) {
            #expect(abs(a - b) < 1e-3)
        }
    }

    @Test("streams scored together do not touch one another")
    func batches() throws {
        let scorer = SoundScorer(SoundNetwork(try Self.shipped()))
        let signals = (0..<3).map { Self.signal(4 * 7_056, seed: UInt32($0)) }
        let alone = signals.map { Self.run(scorer, $0) }
        var states = [[Float]](repeating: [], count: 3)
        for n in 0..<4 {
            let jobs = signals.indices.map {
                SoundStep(samples: Array(signals[$0][(n * 7_056)..<((n + 1) * 7_056)]), state: states[$0])
            }
            for (row, scores) in scorer.score(jobs).enumerated() {
                let scores = try #require(scores)
                states[row] = scores.state
                #expect(abs(scores.presenceLogit - alone[row][n].presenceLogit) < 1e-3)
            }
        }
    }

    @Test(
        "the space fits the network, and its points are those of the embedding",
        .enabled(
            if: FileManager.default.fileExists(atPath: SoundScorerTests.models + "/quietalert.space"),
            "own_sounds.py makes quietalert.space"))
    func points() throws {
        let bay = try ModelBay(folder: Self.models)
        #expect(
            !bay.unavailable.contains { $0.feature == "custom_sounds" }, "run Models/training/own_sounds.py")
        let (model, space) = (try #require(bay.sounds), try #require(bay.soundSpace))
        let scorer = SoundScorer(.windows(model.network, reason: "test"), space: space)
        let signal = Self.signal(2 * 7_056, seed: 5)
        let window = [Float](repeating: 0, count: 110_250 - signal.count) + signal
        let whole = try ExecutionPlan(model.network, batch: 1).run(inputs: ["audio": window])
        let embedding = try #require(whole["embedding"])
        let expected = space.point(embedding.span)
        let point = try #require(Self.run(scorer, signal).last?.point)
        #expect(point.count == space.width)
        for (a, b) in zip(point, expected) { #expect(abs(a - b) < 1e-3) }
        // Without a space nothing is mapped.
        let plain = SoundScorer(.windows(model.network, reason: "test"))
        #expect(Self.run(plain, signal).allSatisfy { $0.point.isEmpty })
    }
}
