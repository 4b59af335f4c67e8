/// Name and shape of a model's input or output.
public struct TensorInfo: Equatable, Sendable {
    /// The name in the file.
    public let name: String
    /// Sizes for a batch of one.
    public let shape: [Int]
    /// Whether the first axis is the batch.
    public let isBatched: Bool

    /// Floats of one row of the batch.
    public var rowCount: Int { shape.reduce(1, *) }
}

/// An ONNX model, checked and ready to plan. Immutable; its packed weights are shared by all plans.
///
/// The operators and attributes taken are listed in `OPERATORS.md`. Only the first axis of inputs may be dynamic.
public struct InferenceModel: Sendable {
    /// Inputs in the order of the file.
    public let inputs: [TensorInfo]
    /// Outputs in the order of the file.
    public let outputs: [TensorInfo]
    /// The file's `metadata_props`: whatever training left there (labels, thresholds).
    public let metadata: [String: String]
    /// The file's producer name.
    public let producer: String
    /// Multiply-adds of one row: convolutions and matrix products.
    public let multiplyAdds: Int
    /// Which code computes products.
    public let backend: ProductBackend

    let graph: ONNXGraph
    let order: [Int]
    let limits: InferenceLimits
    let store: WeightStore

    /// Reads and checks a model; also packs its weights for a batch of one.
    ///
    /// - Parameters:
    ///   - bytes: the whole file.
    ///   - limits: what the file may ask for.
    ///   - backend: which code computes products; nil takes the faster one here.
    /// - Throws: every fault of the file, see `InferenceError`.
    public init(
        bytes: [UInt8], limits: InferenceLimits = .standard, backend: ProductBackend? = nil
    ) throws(InferenceError) {
        var decoder = ONNXDecoder(bytes, limits: limits)
        var graph = try decoder.model()
        GraphRewrite.gates(&graph)
        GraphRewrite.spectra(&graph)
        try self.init(graph: graph, limits: limits, backend: backend ?? .preferred, store: WeightStore())
    }

    /// A graph that is rewritten already. Weights are looked up in `store`, and put there, by their names.
    init(
        graph: ONNXGraph, limits: InferenceLimits, backend: ProductBackend, store: WeightStore
    ) throws(InferenceError) {
        let order = try graph.topologicalOrder()
        self.graph = graph
        self.order = order
        self.limits = limits
        self.backend = backend
        self.store = store
        metadata = graph.metadata
        producer = graph.producer

        let fixed = Self.fixedBatch(graph)
        let one = try CompiledGraph(graph, order: order, batch: fixed ?? 1, limits, self.backend, store)
        let two = fixed == nil ? try CompiledGraph(graph, order: order, batch: 2, limits, nil, store) : one
        inputs = Self.infos(one.inputs, two.inputs)
        outputs = Self.infos(one.outputs, two.outputs)
        multiplyAdds = one.multiplyAdds
    }

    /// Whether any input has a dynamic first axis; without one the file fixes the batch.
    static func fixedBatch(_ graph: ONNXGraph) -> Int? {
        for input in graph.inputs where graph.initializers[input.name] == nil {
            if case .symbol? = input.dimensions?.first { return nil }
            if case .fixed(let size)? = input.dimensions?.first { return size }
        }
        return 1
    }

    private static func infos(_ one: [CompiledGraph.Port], _ two: [CompiledGraph.Port]) -> [TensorInfo] {
        zip(one, two).map { a, b in
            let scales = a.shape.count == b.shape.count && a.shape.first == 1 && b.shape.first == 2
            return TensorInfo(
                name: a.name, shape: a.shape, isBatched: scales && a.shape.dropFirst() == b.shape.dropFirst())
        }
    }
}
