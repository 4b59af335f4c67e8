/// A graph lowered for one batch size, kernels chosen and memory placed. Symbolic still: no pointers.
struct CompiledGraph {
    struct Port {
        var name: String
        var shape: [Int]
        var source: Operand
    }

    private(set) var inputs: [Port] = []
    private(set) var outputs: [Port] = []
    let steps: [Step]
    let memory: MemoryPlan
    let constants: [Lowering.ConstantOperand]
    let buffers: [Int]
    let multiplyAdds: Int

    /// Without a backend only shapes are worked out: no kernels, no weights, no memory.
    init(
        _ graph: ONNXGraph, order: [Int], batch: Int, _ limits: InferenceLimits, _ backend: ProductBackend?,
        _ store: WeightStore
    ) throws(InferenceError) {
        var lowering = Lowering(graph, batch: batch, limits: limits)
        try lowering.run(order: order)
        var pinned: Set<Int> = []
        for input in graph.inputs where graph.initializers[input.name] == nil {
            guard let value = lowering.values[input.name], case .buffer(let buffer) = value.source else {
                continue
            }
            inputs.append(Port(name: input.name, shape: value.shape, source: .buffer(buffer)))
            pinned.insert(buffer)
        }
        for output in graph.outputs {
            guard let value = lowering.values[output.name] else {
                throw .invalidGraph(reason: "output \"\(output.name)\" is made by no node")
            }
            guard value.count > 0 else { throw .invalidGraph(reason: "output \"\(output.name)\" is empty") }
            let identity = NodeIdentity(name: output.name, operatorType: "output")
            let source = try lowering.operand(value, order: Array(0..<value.rank), identity)
            if case .buffer(let buffer) = source { pinned.insert(buffer) }
            outputs.append(Port(name: output.name, shape: value.shape, source: source))
        }
        multiplyAdds = lowering.multiplyAdds
        constants = lowering.constants
        guard let backend else {
            steps = []
            buffers = lowering.buffers
            memory = try MemoryPlan(steps: [], buffers: [], pinned: [], limits: limits)
            return
        }
        let selection = try KernelSelection(lowering, backend: backend, store: store)
        steps = selection.steps
        buffers = selection.buffers
        memory = try MemoryPlan(steps: steps, buffers: buffers, pinned: pinned, limits: limits)
    }
}
