/// Advances any number of streams by one step each, in batches.
///
/// Isolation: one thread at a time, like the plans it owns. Plans are made on first use of their size.
public final class StreamRunner {
    /// Batch sizes used, ascending. Between powers of two lies one more: a step costs little beside the reading of
    /// weights, but rows that nobody asked for cost as much as others.
    public let sizes: [Int]

    private let network: InferenceModel
    private let parts: [Int]
    private let silence: [Float]
    private var plans: [Int: ExecutionPlan] = [:]

    /// - Parameter maxBatch: streams of one run; more are split.
    /// - Throws: `unsupportedBatch` when the file fixes the batch.
    public convenience init(_ model: StreamingModel, maxBatch: Int = 16) throws(InferenceError) {
        let most = max(1, min(maxBatch, model.network.limits.maxBatch))
        try self.init(
            model.network, parts: model.parts, silence: model.silence,
            sizes: [1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64].filter { $0 <= most })
    }

    init(_ network: InferenceModel, parts: [Int], silence: [Float], sizes: [Int]) throws(InferenceError) {
        for info in network.inputs + network.outputs where !info.isBatched {
            throw .unsupportedBatch(
                requested: sizes.last ?? 1, reason: "\"\(info.name)\" has no batch axis")
        }
        self.network = network
        self.parts = parts
        self.silence = silence
        self.sizes = sizes
    }

    /// Makes the plans for all sizes now, so that no run pays for it.
    public func prepare() throws(InferenceError) {
        for size in sizes { _ = try plan(size) }
    }

    /// The plan for a batch of `size`, one of `sizes`.
    public func plan(_ size: Int) throws(InferenceError) -> ExecutionPlan {
        if let plan = plans[size] { return plan }
        let plan = try ExecutionPlan(network, batch: size)
        plans[size] = plan
        return plan
    }

    /// Advances each stream by one step.
    ///
    /// - Parameters:
    ///   - samples: one step for each stream, `stepSamples` long.
    ///   - states: the streams' states, changed in place; an empty one begins with silence.
    ///   - take: reads output `output` (in the file's order) of stream `row`.
    /// - Throws: `wrongInput`, before any state has changed.
    public func run(
        samples: [[Float]], states: inout [[Float]],
        take: (_ row: Int, _ output: Int, _ span: Span<Float>) -> Void
    ) throws(InferenceError) {
        try check(samples, states)
        var first = 0
        while first < samples.count {
            let left = samples.count - first
            // The smallest size that takes all, else the largest.
            guard let size = sizes.first(where: { $0 >= left }) ?? sizes.last else { return }
            let plan = try plan(size)
            let rows = first..<(first + min(size, left))
            for row in rows { load(samples[row], states[row], into: plan, at: row - first) }
            plan.run()
            for row in rows {
                for output in 0..<(network.outputs.count - parts.count) {
                    let count = network.outputs[output].rowCount
                    plan.withOutput(output) { span in
                        let start = (row - first) * count
                        take(row, output, span.extracting(start..<(start + count)))
                    }
                }
                if states[row].isEmpty { states[row] = silence }
                store(plan, row - first, into: &states[row])
            }
            first = rows.upperBound
        }
    }

    private func check(_ samples: [[Float]], _ states: [[Float]]) throws(InferenceError) {
        guard states.count == samples.count else {
            throw .wrongInput(name: "states", expected: samples.count, got: states.count)
        }
        let step = network.inputs[0].rowCount
        for given in samples where given.count != step {
            throw .wrongInput(name: network.inputs[0].name, expected: step, got: given.count)
        }
        for state in states where !state.isEmpty && state.count != silence.count {
            throw .wrongInput(name: "state", expected: silence.count, got: state.count)
        }
    }

    private func load(_ samples: [Float], _ state: [Float], into plan: ExecutionPlan, at row: Int) {
        plan.load(samples.span, input: 0, at: row * samples.count)
        let state = (state.isEmpty ? silence : state).span
        var start = 0
        for (index, count) in parts.enumerated() {
            plan.load(state.extracting(start..<(start + count)), input: index + 1, at: row * count)
            start += count
        }
    }

    private func store(_ plan: ExecutionPlan, _ row: Int, into state: inout [Float]) {
        var span = state.mutableSpan
        var start = 0
        let first = network.outputs.count - parts.count
        for (index, count) in parts.enumerated() {
            var part = span._mutatingExtracting(start..<(start + count))
            plan.store(output: first + index, at: row * count, into: &part)
            start += count
        }
    }
}

@available(*, unavailable)
extension StreamRunner: Sendable {}
