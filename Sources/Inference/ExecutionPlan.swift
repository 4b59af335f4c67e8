/// A model planned for one batch size: memory placed, kernels bound. Running it allocates nothing.
///
/// Isolation: one thread at a time; a worker makes its own plans. Not Sendable on purpose.
public final class ExecutionPlan {
    /// Rows per run.
    public let batch: Int
    /// Inputs with their shapes for this batch.
    public let inputs: [TensorInfo]
    /// Outputs with their shapes for this batch.
    public let outputs: [TensorInfo]
    /// Floats of working memory.
    public let arenaFloats: Int

    private let memory: PlanMemory
    private let summary: [String]

    /// Plans `model` for `batch` rows.
    ///
    /// - Throws: `unsupportedBatch` when the file fixes another batch or the batch is above the limits, and what a
    ///   load throws if the larger shapes pass the limits.
    public init(_ model: InferenceModel, batch: Int) throws(InferenceError) {
        guard batch >= 1, batch <= model.limits.maxBatch else {
            throw .unsupportedBatch(requested: batch, reason: "1 to \(model.limits.maxBatch) are planned")
        }
        if let fixed = InferenceModel.fixedBatch(model.graph), fixed != batch {
            throw .unsupportedBatch(requested: batch, reason: "the file fixes the first axis to \(fixed)")
        }
        let compiled = try CompiledGraph(
            model.graph, order: model.order, batch: batch, model.limits, model.backend, model.store)
        self.batch = batch
        inputs = zip(compiled.inputs, model.inputs).map {
            TensorInfo(name: $0.name, shape: $0.shape, isBatched: $1.isBatched)
        }
        outputs = zip(compiled.outputs, model.outputs).map {
            TensorInfo(name: $0.name, shape: $0.shape, isBatched: $1.isBatched)
        }
        arenaFloats = compiled.memory.arenaFloats
        summary = compiled.steps.map { $0.summary }
        memory = PlanMemory(compiled, store: model.store)
    }

    /// Lends the memory of input `index` (row-major, `inputs[index].shape`). It keeps its content between runs.
    public func withInput<R, E: Error>(
        _ index: Int, _ body: (inout MutableSpan<Float>) throws(E) -> R
    ) throws(E) -> R {
        try memory.withInput(index, body)
    }

    /// Computes the outputs from what the inputs hold.
    public func run() { memory.run() }

    /// Lends the result of output `index` (row-major, `outputs[index].shape`); valid until the next run.
    public func withOutput<R, E: Error>(
        _ index: Int, _ body: (Span<Float>) throws(E) -> R
    ) throws(E) -> R {
        try memory.withOutput(index, body)
    }

    /// Copies `values` into input `index`, from its float `offset` on.
    func load(_ values: Span<Float>, input index: Int, at offset: Int) {
        memory.load(values, input: index, at: offset)
    }

    /// Copies output `index`, from its float `offset` on, into all of `target`.
    func store(output index: Int, at offset: Int, into target: inout MutableSpan<Float>) {
        memory.store(output: index, at: offset, into: &target)
    }

    /// Copies inputs in, runs, and copies all outputs out, by name.
    ///
    /// - Throws: `unknownInput` or `wrongInput`.
    public func run(inputs given: [String: [Float]]) throws(InferenceError) -> [String: [Float]] {
        for name in given.keys where !inputs.contains(where: { $0.name == name }) {
            throw .unknownInput(name: name)
        }
        for (index, info) in inputs.enumerated() {
            guard let values = given[info.name] else { throw .unknownInput(name: info.name) }
            guard values.count == info.rowCount else {
                throw .wrongInput(name: info.name, expected: info.rowCount, got: values.count)
            }
            withInput(index) { span in
                for i in 0..<values.count { span[i] = values[i] }
            }
        }
        run()
        var results: [String: [Float]] = [:]
        for (index, info) in outputs.enumerated() { results[info.name] = output(index) }
        return results
    }

    /// A copy of output `index`.
    public func output(_ index: Int) -> [Float] {
        withOutput(index) { span in
            var copy: [Float] = []
            copy.reserveCapacity(span.count)
            for i in 0..<span.count { copy.append(span[i]) }
            return copy
        }
    }

    /// One line per kernel call, in order: what fusion and selection made of the graph.
    public var steps: [String] { summary }

    /// Runs once and reports the time of each step in the units of `now`; for benchmarks.
    public func profile(now: () -> UInt64) -> [(step: String, time: UInt64)] {
        zip(summary, memory.profile(now: now)).map { ($0, $1) }
    }
}

@available(*, unavailable)
extension ExecutionPlan: Sendable {}
