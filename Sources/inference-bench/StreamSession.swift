import Inference

/// A model in its streaming form: how far it is from whole windows, and what a step costs.
struct StreamSession {
    let stream: StreamingModel
    let runner: StreamRunner
    let model: InferenceModel
    let batch: Int

    init(_ bytes: [UInt8], batch: Int) throws {
        model = try InferenceModel(bytes: bytes)
        stream = try StreamingModel(model)
        runner = try StreamRunner(stream, maxBatch: 64)
        self.batch = batch
        try runner.prepare()
    }

    var summary: String {
        "streaming step \(stream.stepSamples) seen \(stream.seenSamples) state \(stream.stateFloats) "
            + "madds \(stream.multiplyAdds) of \(model.multiplyAdds)"
    }

    /// Seeded noise of changing level with tones and silence.
    private static func signal(_ count: Int, seed: UInt32) -> [Float] {
        var state = seed
        return (0..<count).map { n in
            state = state &* 1_664_525 &+ 1_013_904_223
            let level: Float = n / 30_000 % 4 == 3 ? 0 : Float(1 + n / 9_000 % 5) * 0.1
            let square: Float = n % 22_050 >= 11_025 ? 0 : n % 22 < 11 ? 0.2 : -0.2
            return level * (Float(state >> 8) / 8_388_608 - 1) + square
        }
    }

    /// Largest difference from whole windows, by output.
    func difference() throws -> String {
        let whole = try ExecutionPlan(model, batch: 1)
        let steps = 2 * stream.seenSamples / stream.stepSamples
        let signals = (0..<batch).map { Self.signal((steps + 1) * stream.stepSamples, seed: UInt32($0)) }
        var states = [[Float]](repeating: [], count: batch)
        var worst = [Float](repeating: 0, count: stream.outputs.count)
        for n in 0..<steps {
            var outputs = [[[Float]]](
                repeating: .init(repeating: [], count: stream.outputs.count), count: batch)
            let step = (n * stream.stepSamples)..<((n + 1) * stream.stepSamples)
            try runner.run(samples: signals.map { Array($0[step]) }, states: &states) { row, output, span in
                outputs[row][output] = (0..<span.count).map { span[$0] }
            }
            let start = step.upperBound - stream.seenSamples
            for (row, signal) in signals.enumerated() {
                whole.withInput(0) { span in
                    for i in 0..<span.count {
                        let at = start + i
                        span[i] = at >= 0 && at < signal.count ? signal[at] : 0
                    }
                }
                whole.run()
                for output in stream.outputs.indices {
                    let expected = whole.output(output)
                    for (a, b) in zip(outputs[row][output], expected) {
                        worst[output] = max(worst[output], abs(a - b))
                    }
                }
            }
        }
        return "difference " + zip(stream.outputs, worst).map { "\($0.name) \($1)" }.joined(separator: ", ")
    }

    /// Median time of a step of `batch` streams, states moved in and out.
    func time(milliseconds: UInt64) throws -> String {
        let samples = (0..<batch).map { Self.signal(stream.stepSamples, seed: UInt32($0)) }
        var states = [[Float]](repeating: [], count: batch)
        let start = threadNanoseconds()
        var times: [UInt64] = []
        repeat {
            let before = threadNanoseconds()
            for _ in 0..<4 { try runner.run(samples: samples, states: &states) { _, _, _ in } }
            times.append((threadNanoseconds() - before) / 4)
        } while threadNanoseconds() - start < milliseconds * 1_000_000
        times.sort()
        return "time \(times[times.count / 2]) \(times[0]) \(times.count)"
    }

    func profile() throws -> String {
        let plan = try runner.plan(batch)
        var best: [UInt64] = []
        for _ in 0..<50 {
            let times = plan.profile(now: threadNanoseconds).map { $0.time }
            best = best.isEmpty ? times : zip(best, times).map { min($0, $1) }
        }
        return zip(best, plan.steps).map { "\($0) \($1)\n" }.joined() + "."
    }
}
