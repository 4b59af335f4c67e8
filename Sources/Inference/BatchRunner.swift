/// Runs any number of rows by splitting them over plans of fixed batch sizes.
///
/// Isolation: one thread at a time, like the plans it owns. Plans are made on first use of their size.
public final class BatchRunner {
    /// The model whose plans this owns.
    public let model: InferenceModel
    /// Batch sizes used, ascending.
    public let sizes: [Int]

    private var plans: [Int: ExecutionPlan] = [:]

    /// - Parameters:
    ///   - maxBatch: largest batch of one run.
    ///   - step: above it there is a plan for each multiple, so that few rows of a run are padding; each plan has
    ///     memory of its own. 0: powers of two alone, of which at most half of a run is padding.
    /// - Throws: `unsupportedBatch` when an input or output of the model has no batch axis.
    public init(_ model: InferenceModel, maxBatch: Int = 64, step: Int = 0) throws(InferenceError) {
        for info in model.inputs + model.outputs where !info.isBatched {
            throw .unsupportedBatch(requested: maxBatch, reason: "\"\(info.name)\" has no batch axis")
        }
        self.model = model
        var sizes: [Int] = []
        var size = 1
        while size <= max(1, min(maxBatch, model.limits.maxBatch)) {
            sizes.append(size)
            size = step > 0 && size >= step ? size / step * step + step : size * 2
        }
        self.sizes = sizes
    }

    /// Makes the plans for all sizes now, so that no run pays for it.
    public func prepare() throws(InferenceError) {
        for size in sizes { _ = try plan(size) }
    }

    /// The plan for a batch of `size`, one of `sizes`.
    public func plan(_ size: Int) throws(InferenceError) -> ExecutionPlan {
        if let plan = plans[size] { return plan }
        let plan = try ExecutionPlan(model, batch: size)
        plans[size] = plan
        return plan
    }

    /// Runs `rows` rows. `fill` writes row `r` of input `i` into the span it is lent (`inputs[i].rowCount` floats);
    /// `take` reads row `r` of output `i`. Rows beyond `rows` in a batch are computed on what the memory held before
    /// and thrown away.
    public func run(
        rows: Int, fill: (_ row: Int, _ input: Int, _ span: inout MutableSpan<Float>) -> Void,
        take: (_ row: Int, _ output: Int, _ span: Span<Float>) -> Void
    ) throws(InferenceError) {
        var first = 0
        while first < rows {
            let left = rows - first
            // The smallest size that takes all, else the largest.
            guard let size = sizes.first(where: { $0 >= left }) ?? sizes.last else { return }
            let plan = try plan(size)
            let count = min(size, left)
            for (index, info) in model.inputs.enumerated() {
                plan.withInput(index) { span in
                    for row in 0..<count {
                        let start = row * info.rowCount
                        var slice = span._mutatingExtracting(start..<(start + info.rowCount))
                        fill(first + row, index, &slice)
                    }
                }
            }
            plan.run()
            for (index, info) in model.outputs.enumerated() {
                plan.withOutput(index) { span in
                    for row in 0..<count {
                        let start = row * info.rowCount
                        take(first + row, index, span.extracting(start..<(start + info.rowCount)))
                    }
                }
            }
            first += count
        }
    }
}
