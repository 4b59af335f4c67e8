/// Follows time through a graph in its whole-window form: which values have a time axis, which nodes look at several
/// columns, and where all columns are reduced to one answer.
///
/// From the first node that reduces over time on, the graph is its *tail*: a node that reads a reduced value belongs
/// to it too. Columns that the tail reads are *held*, as many as the window form has.
struct StreamAnalysis {
    let graph: ONNXGraph
    /// Values of the whole-window form for a batch of one.
    let values: [String: Value]
    /// Values with a time axis.
    private(set) var time: [String: TimeAxis] = [:]
    /// Windows over time, by node.
    private(set) var windows: [Int: TimeWindow] = [:]
    /// Nodes of the tail that read columns.
    private(set) var reducers: Set<Int> = []
    /// Values whose columns are held for the tail.
    private(set) var held: Set<String> = []
    /// Values computed from reduced ones.
    private var tail: Set<String> = []

    /// - Throws: `notStreamable`, naming the node.
    init(_ graph: ONNXGraph, order: [Int], limits: InferenceLimits) throws(InferenceError) {
        self.graph = graph
        var lowering = Lowering(graph, batch: 1, limits: limits)
        try lowering.run(order: order)
        values = lowering.values
        let signals = graph.inputs.filter { graph.initializers[$0.name] == nil }
        guard signals.count == 1, let signal = signals.first, let shape = values[signal.name]?.shape,
            shape.count >= 2
        else {
            throw .notStreamable(
                node: Self.identity(graph.inputs.first?.name ?? "", "input"),
                reason: "one input [N, ..., samples] is needed")
        }
        time[signal.name] = TimeAxis(axis: shape.count - 1, period: 1, reach: 1)
        for index in order { try follow(index) }
        for output in graph.outputs where time[output.name] != nil {
            throw .notStreamable(
                node: Self.identity(output.name, "output"), reason: "it has a time axis that nothing reduces")
        }
    }

    static func identity(_ name: String, _ kind: String) -> NodeIdentity {
        NodeIdentity(name: name, operatorType: kind)
    }

    /// Columns of a value in the whole-window form.
    func columns(_ name: String) -> Int {
        guard let axis = time[name]?.axis, let shape = values[name]?.shape else { return 0 }
        return shape[axis]
    }

    private mutating func follow(_ index: Int) throws(InferenceError) {
        let node = graph.nodes[index]
        let timed = node.inputs.filter { time[$0] != nil }
        if node.inputs.contains(where: { tail.contains($0) }) {
            hold(timed, by: index)
            return
        }
        // Shapes are known at load, in either form.
        guard !timed.isEmpty, !["Shape", "Size"].contains(node.operatorType) else { return }
        let from = try agreeing(timed, node)
        switch try flow(node) {
        case .columns(let axis): name(node, from.moved(to: axis))
        case .windows(let window, let axis):
            windows[index] = window
            name(node, from.windowed(by: window, on: axis))
        case .reduces: hold(timed, by: index)
        }
    }

    /// What the time inputs of a node have in common; their axes are the concern of `flow`.
    private func agreeing(_ names: [String], _ node: ONNXGraph.Node) throws(InferenceError) -> TimeAxis {
        let axes = names.compactMap { time[$0] }
        guard let first = axes.first else { throw mixes(node, "no input has time") }
        for other in axes where other.period != first.period || other.reach != first.reach {
            guard other.period == first.period else {
                throw mixes(
                    node, "its inputs have a column every \(first.period) and \(other.period) samples")
            }
            throw mixes(node, "its inputs see \(first.reach) and \(other.reach) samples at a time")
        }
        return first
    }

    func mixes(_ node: ONNXGraph.Node, _ reason: String) -> InferenceError {
        .notStreamable(node: node.identity, reason: reason)
    }

    private mutating func name(_ node: ONNXGraph.Node, _ axis: TimeAxis) {
        for output in node.outputs where !output.isEmpty { time[output] = axis }
    }

    private mutating func hold(_ names: [String], by index: Int) {
        held.formUnion(names)
        if !names.isEmpty { reducers.insert(index) }
        tail.formUnion(graph.nodes[index].outputs.filter { !$0.isEmpty })
    }
}
