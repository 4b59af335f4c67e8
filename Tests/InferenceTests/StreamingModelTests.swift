import Inference
import Testing

/// The streaming form against the whole-window form of the same file.
@Suite struct StreamingModelTests {
    static let names = GoldenFile.names.filter { $0.hasPrefix("stream_") }

    /// Seeded noise whose level rises and falls, with silence in between.
    static func signal(_ count: Int, seed: UInt32) -> [Float] {
        var state = seed
        return (0..<count).map { n in
            state = state &* 1_664_525 &+ 1_013_904_223
            let level: Float = n / 97 % 5 == 3 ? 0 : Float(1 + n / 211 % 4) * 0.2
            return level * (Float(state >> 8) / 8_388_608 - 1)
        }
    }

    /// Outputs of the whole-window form on the window that ends with sample `end`; before sample 0 lies silence.
    static func window(
        _ plan: ExecutionPlan, _ signal: [Float], seen: Int, end: Int
    ) throws -> [String: [Float]] {
        let info = plan.inputs[0]
        let start = end - seen
        let samples = (start..<(start + info.rowCount)).map {
            signal.indices.contains($0) ? signal[$0] : 0
        }
        return try plan.run(inputs: [info.name: samples])
    }

    @Test func fixturesArePresent() { #expect(Self.names == ["stream_mixed", "stream_sounds"]) }

    @Test(arguments: names, [ProductBackend.packed, .blas])
    func equalsWholeWindows(name: String, backend: ProductBackend) throws {
        let model = try GoldenFile(name, backend: backend).model
        let stream = try StreamingModel(model)
        let whole = try ExecutionPlan(model, batch: 1)
        let runner = try StreamRunner(stream, maxBatch: 4)
        // More streams than a batch takes, and a count that no batch size has.
        let step = stream.stepSamples
        let steps = 2 * stream.seenSamples / step + 3
        let signals = (0..<7).map { Self.signal(steps * step, seed: UInt32($0 + 1)) }
        var states = [[Float]](repeating: [], count: signals.count)
        var worst: Float = 0
        var largest: Float = 0
        for n in 0..<steps {
            var outputs = [[String: [Float]]](repeating: [:], count: signals.count)
            try runner.run(
                samples: signals.map { Array($0[(n * step)..<((n + 1) * step)]) }, states: &states
            ) { row, output, span in
                outputs[row][stream.outputs[output].name] = (0..<span.count).map { span[$0] }
            }
            for (row, signal) in signals.enumerated() {
                let expected = try Self.window(whole, signal, seen: stream.seenSamples, end: (n + 1) * step)
                for (output, values) in expected {
                    worst = max(worst, largestDifference(try #require(outputs[row][output]), values))
                    largest = values.reduce(largest) { max($0, abs($1)) }
                }
            }
        }
        #expect(worst <= 1e-4 * max(1, largest), "\(worst) of \(largest)")
        #expect(largest > 0.1)
    }

    @Test(arguments: names) func silenceIsWhereSilenceLeads(name: String) throws {
        let stream = try StreamingModel(try GoldenFile(name).model)
        let runner = try StreamRunner(stream, maxBatch: 1)
        let step = stream.stepSamples
        var states = [stream.silence]
        let noise = Self.signal(4 * step, seed: 5)
        for n in 0..<4 {
            try runner.run(samples: [Array(noise[(n * step)..<((n + 1) * step)])], states: &states) {
                _, _, _ in
            }
        }
        #expect(largestDifference(states[0], stream.silence) > 1e-3)
        // As many steps as hold what the outputs depend on, and the rest of a step.
        for _ in 0..<((stream.seenSamples + step - 1) / step) {
            try runner.run(samples: [[Float](repeating: 0, count: step)], states: &states) { _, _, _ in }
        }
        #expect(largestDifference(states[0], stream.silence) < 1e-6)
    }

    @Test func columnsAreComputedOnce() throws {
        let model = try GoldenFile("stream_sounds").model
        let stream = try StreamingModel(model)
        #expect(stream.stepSamples == 80)
        #expect(stream.seenSamples <= 1400 && stream.seenSamples > 1400 - 80)
        #expect(stream.outputs.map(\.name) == ["class_logits", "presence_logit", "embedding"])
        // A window of 1,400 samples is 17.5 steps.
        #expect(stream.multiplyAdds * 14 < model.multiplyAdds)
        #expect(stream.stateFloats < 4000)
    }

    @Test func wrongLengthsChangeNothing() throws {
        let stream = try StreamingModel(try GoldenFile("stream_sounds").model)
        let runner = try StreamRunner(stream)
        let step = [Float](repeating: 0.1, count: stream.stepSamples)
        var states: [[Float]] = [[], [1, 2, 3]]
        #expect(throws: InferenceError.wrongInput(name: "state", expected: stream.stateFloats, got: 3)) {
            try runner.run(samples: [step, step], states: &states) { _, _, _ in }
        }
        #expect(throws: InferenceError.wrongInput(name: "audio", expected: 80, got: 79)) {
            try runner.run(samples: [step, Array(step.dropLast())], states: &states) { _, _, _ in }
        }
        #expect(throws: InferenceError.wrongInput(name: "states", expected: 1, got: 2)) {
            try runner.run(samples: [step], states: &states) { _, _, _ in }
        }
        #expect(states == [[], [1, 2, 3]])
    }
}
