/// Turns a graph into steps for one batch size. All shapes are known here, so shape arithmetic is plain constant
/// folding, and every error of a model is found by lowering it once at load.
struct Lowering {
    let graph: ONNXGraph
    let batch: Int
    let limits: InferenceLimits

    /// Values by name.
    var values: [String: Value] = [:]
    /// Steps in order; nil where a step was moved.
    var steps: [Step?] = []
    /// Floats of each buffer.
    var buffers: [Int] = []
    /// Constants that steps read.
    var constants: [ConstantOperand] = []
    /// Readers of each name, graph outputs counted.
    private(set) var uses: [String: Int] = [:]
    /// The step that made a buffer, while it may still absorb what follows it.
    var producers: [Int: Int] = [:]
    /// Buffers read under more than one name or more than once: their producers absorb nothing.
    var shared: Set<Int> = []
    /// Elements made by folding.
    var foldedElements = 0
    var multiplyAdds = 0

    struct ConstantOperand {
        var values: [Float]
        /// Key in the model's weight store; nil when the content belongs to this plan.
        var key: String?
    }

    init(_ graph: ONNXGraph, batch: Int, limits: InferenceLimits) {
        self.graph = graph
        self.batch = batch
        self.limits = limits
    }

    /// Lowers every node. `order` is a topological order of node indices.
    mutating func run(order: [Int]) throws(InferenceError) {
        for node in graph.nodes {
            for name in node.inputs where !name.isEmpty { uses[name, default: 0] += 1 }
        }
        for output in graph.outputs { uses[output.name, default: 0] += 1 }
        for (name, tensor) in graph.initializers {
            values[name] = Value(
                shape: tensor.shape, order: Array(tensor.shape.indices), source: .constant(tensor))
        }
        for input in graph.inputs where graph.initializers[input.name] == nil {
            let shape = try inputShape(input)
            let buffer = newBuffer(shape.reduce(1, *))
            shared.insert(buffer)
            values[input.name] = Value(shape: shape, order: Array(shape.indices), source: .buffer(buffer))
        }
        for index in order { try lower(graph.nodes[index]) }
    }

    /// The shape of a graph input for this batch.
    func inputShape(_ input: ONNXGraph.ValueInfo) throws(InferenceError) -> [Int] {
        guard input.elementType == 1 else {
            throw .unsupportedModel(
                reason: "input \"\(input.name)\" has element type \(input.elementType); inputs are float")
        }
        guard let dimensions = input.dimensions else {
            throw .unsupportedModel(reason: "input \"\(input.name)\" has no shape")
        }
        var shape: [Int] = []
        for (axis, dimension) in dimensions.enumerated() {
            switch dimension {
            case .fixed(let size):
                guard size > 0 else {
                    throw .unsupportedModel(reason: "input \"\(input.name)\" has size 0 on axis \(axis)")
                }
                shape.append(size)
            case .symbol(let name):
                guard axis == 0 else {
                    throw .unsupportedModel(
                        reason:
                            "input \"\(input.name)\": axis \(axis) (\(name)) is dynamic; only the first may be"
                    )
                }
                shape.append(batch)
            }
        }
        _ = try elementCount(shape)
        return shape
    }

    /// The product of a shape, within the limits.
    func elementCount(_ shape: [Int]) throws(InferenceError) -> Int {
        var count = 1
        guard shape.count <= maxRank else {
            throw .overLimit(limit: "maxRank", allowed: maxRank, got: shape.count)
        }
        for size in shape {
            let (product, overflow) = count.multipliedReportingOverflow(by: size)
            guard !overflow, size >= 0, product <= limits.maxTensorElements else {
                throw .overLimit(
                    limit: "maxTensorElements", allowed: limits.maxTensorElements,
                    got: overflow ? .max : product)
            }
            count = product
        }
        return count
    }

    // MARK: Values

    mutating func newBuffer(_ count: Int) -> Int {
        buffers.append(count)
        return buffers.count - 1
    }

    /// A new buffer for `shape`, within the limits.
    mutating func newBuffer(for shape: [Int]) throws(InferenceError) -> Int {
        newBuffer(try elementCount(shape))
    }

    func input(_ node: ONNXGraph.Node, _ index: Int) throws(InferenceError) -> Value {
        guard let value = try optionalInput(node, index) else {
            throw .missingInput(node: node.identity, input: "input \(index)")
        }
        return value
    }

    func optionalInput(_ node: ONNXGraph.Node, _ index: Int) throws(InferenceError) -> Value? {
        guard index < node.inputs.count, !node.inputs[index].isEmpty else { return nil }
        guard let value = values[node.inputs[index]] else {
            throw .missingInput(node: node.identity, input: node.inputs[index])
        }
        return value
    }

    /// An input that is known now; nil when the node does not have it.
    func optionalConstant(_ node: ONNXGraph.Node, _ index: Int) throws(InferenceError) -> Tensor? {
        guard let value = try optionalInput(node, index) else { return nil }
        guard let tensor = value.constant else {
            throw .notConstant(node: node.identity, input: node.inputs[index])
        }
        return tensor
    }

    func constantInput(_ node: ONNXGraph.Node, _ index: Int) throws(InferenceError) -> Tensor {
        guard let tensor = try optionalConstant(node, index) else {
            throw .missingInput(node: node.identity, input: "input \(index)")
        }
        return tensor
    }

    /// A constant list of integers, each in the range that keeps shape arithmetic free of overflow.
    func optionalIntegers(_ node: ONNXGraph.Node, _ index: Int) throws(InferenceError) -> [Int]? {
        guard let tensor = try optionalConstant(node, index) else { return nil }
        guard let raw = tensor.integers else {
            throw .wrongType(node: node.identity, reason: "input \"\(node.inputs[index])\" is not integers")
        }
        var list: [Int] = []
        // Exporters write the largest int64 for "to the end"; clamping keeps the meaning.
        for item in raw { list.append(Int(clamping: max(min(item, 1 << 40), -(1 << 40)))) }
        return list
    }

    func optionalFloat(_ node: ONNXGraph.Node, _ index: Int) throws(InferenceError) -> Float? {
        guard let tensor = try optionalConstant(node, index) else { return nil }
        guard let number = tensor.scalar else {
            throw .wrongType(node: node.identity, reason: "input \"\(node.inputs[index])\" is not one float")
        }
        return number
    }

    /// Names a node's result.
    mutating func bind(_ node: ONNXGraph.Node, _ value: Value, output: Int = 0) throws(InferenceError) {
        guard output < node.outputs.count, !node.outputs[output].isEmpty else { return }
        let name = node.outputs[output]
        values[name] = value
        if case .buffer(let buffer) = value.source, uses[name, default: 0] != 1 { shared.insert(buffer) }
        if case .constant(let tensor) = value.source, node.operatorType != "Constant" {
            foldedElements += tensor.count
            guard foldedElements <= limits.maxFoldedElements else {
                throw .overLimit(
                    limit: "maxFoldedElements", allowed: limits.maxFoldedElements, got: foldedElements)
            }
        }
    }

    /// Adds a step and remembers it as its buffer's producer.
    mutating func emit(_ kind: Step.Kind, _ inputs: [Operand], output: Int, scratch: Int? = nil) {
        steps.append(Step(kind: kind, inputs: inputs, output: output, scratch: scratch))
        producers[output] = steps.count - 1
    }

    /// The operand for `value` with its elements in `order`, copied if they lie otherwise.
    mutating func operand(
        _ value: Value, order: [Int], _ node: NodeIdentity
    ) throws(InferenceError) -> Operand {
        switch value.source {
        case .constant(let tensor):
            guard let floats = tensor.floats else {
                throw .wrongType(node: node, reason: "integers where floats are computed")
            }
            if value.isStored(in: order) { return addConstant(floats, key: tensor.identity) }
            let strides = denseStrides(tensor.shape)
            let picked = stridedIndices(
                shape: order.map { tensor.shape[$0] }, strides: order.map { strides[$0] })
            return addConstant(picked.map { floats[$0] }, key: tensor.identity.map { "\($0)|order\(order)" })
        case .buffer(let buffer):
            if value.isStored(in: order) { return .buffer(buffer) }
            let shape = order.map { value.shape[$0] }
            let strides = value.strides
            let copy = StridedCopy(
                dims: shape, inputStrides: order.map { strides[$0] }, outputStrides: denseStrides(shape))
            let out = try newBuffer(for: shape)
            emit(.copy(copy.collapsed()), [.buffer(buffer)], output: out)
            return .buffer(out)
        }
    }

    mutating func addConstant(_ floats: [Float], key: String?) -> Operand {
        if let key, let found = constants.firstIndex(where: { $0.key == key }) { return .constant(found) }
        constants.append(ConstantOperand(values: floats, key: key))
        return .constant(constants.count - 1)
    }

    /// `value` as a buffer with its elements in `order`.
    mutating func arranged(_ value: Value, order: [Int], _ node: NodeIdentity) throws(InferenceError) -> Value
    {
        if value.constant != nil || value.isStored(in: order) {
            var same = value
            if value.constant == nil { same.order = order }
            return same
        }
        guard case .buffer(let buffer) = try operand(value, order: order, node) else { return value }
        var moved = value
        moved.order = order
        moved.source = .buffer(buffer)
        return moved
    }
}

extension StridedCopy {
    /// Joins neighbouring axes that are one run on both sides, and drops axes of size one.
    func collapsed() -> StridedCopy {
        var out = self
        out.dims = []
        out.inputStrides = []
        out.outputStrides = []
        for i in dims.indices where dims[i] != 1 {
            if let last = out.dims.indices.last, out.inputStrides[last] == inputStrides[i] * dims[i],
                out.outputStrides[last] == outputStrides[i] * dims[i]
            {
                out.dims[last] *= dims[i]
                out.inputStrides[last] = inputStrides[i]
                out.outputStrides[last] = outputStrides[i]
            } else {
                out.dims.append(dims[i])
                out.inputStrides.append(inputStrides[i])
                out.outputStrides.append(outputStrides[i])
            }
        }
        if out.dims.isEmpty {
            out.dims = [1]
            out.inputStrides = [1]
            out.outputStrides = [1]
        }
        return out
    }
}
