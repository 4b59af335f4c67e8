/// Turns a graph in its whole-window form into one that takes the newest samples and gives the window's outputs.
///
/// Where a node looks at several columns of a value, those of the steps before come from a *state*: an input that is
/// joined in front of the new columns, and an output with the last columns for the next step. A window of k columns
/// moving by s keeps k - s of them. What the tail reads is a window over all columns of the whole-window form, so the
/// columns held for it are a state like any other. Weights keep their names and so their place in the weight store.
struct StreamRewrite {
    /// One state of a stream.
    struct Part {
        /// The graph input and the graph output that hold it.
        var input: String
        var output: String
        /// Floats a stream.
        var count: Int
    }

    private let analysis: StreamAnalysis
    private let original: ONNXGraph
    private(set) var graph: ONNXGraph
    /// The states, in the order of the added inputs and outputs.
    private(set) var parts: [Part] = []
    /// Samples of a step.
    private(set) var stepSamples = 1
    /// Samples of the signal the outputs depend on, the newest included.
    private(set) var seenSamples = 0
    private var extended: [String: String] = [:]

    /// - Throws: `notStreamable`; `overLimit` when a stream's state would be larger than `maxStreamFloats`.
    init(_ original: ONNXGraph, order: [Int], limits: InferenceLimits) throws(InferenceError) {
        self.original = original
        analysis = try StreamAnalysis(original, order: order, limits: limits)
        graph = original
        graph.nodes = []
        try measure(limits)
        for index in order { try rewrite(index) }
        for index in graph.inputs.indices where original.initializers[graph.inputs[index].name] == nil {
            guard var dimensions = graph.inputs[index].dimensions, !parts.isEmpty else { continue }
            if graph.inputs[index].name.hasPrefix(Self.prefix) { continue }
            dimensions[dimensions.count - 1] = .fixed(stepSamples)
            graph.inputs[index].dimensions = dimensions
        }
        let floats = parts.reduce(0) { $0 + $1.count }
        guard floats <= limits.maxStreamFloats else {
            throw .overLimit(limit: "maxStreamFloats", allowed: limits.maxStreamFloats, got: floats)
        }
    }

    private static let prefix = "sense.stream."

    /// The step is the shortest that gives whole columns everywhere. All held values must end with the same sample
    /// when they begin with the same, else the newest columns of one would belong to another window.
    private mutating func measure(_ limits: InferenceLimits) throws(InferenceError) {
        for (_, axis) in analysis.time.sorted(by: { $0.key < $1.key }) {
            stepSamples = stepSamples / Self.divisor(stepSamples, axis.period) * axis.period
            guard stepSamples <= limits.maxTensorElements else {
                throw .overLimit(
                    limit: "maxTensorElements", allowed: limits.maxTensorElements, got: stepSamples)
            }
        }
        for name in analysis.held.sorted() {
            guard let axis = analysis.time[name] else { continue }
            let seen = (analysis.columns(name) - 1) * axis.period + axis.reach
            guard seenSamples == 0 || seen == seenSamples else {
                throw .notStreamable(
                    node: StreamAnalysis.identity(name, "value"),
                    reason: "it is reduced over \(seen) samples, another value over \(seenSamples)")
            }
            seenSamples = seen
        }
        guard seenSamples > 0 else {
            throw .notStreamable(
                node: StreamAnalysis.identity(original.outputs.first?.name ?? "", "output"),
                reason: "nothing reduces over time")
        }
    }

    private static func divisor(_ a: Int, _ b: Int) -> Int { b == 0 ? a : divisor(b, a % b) }

    // MARK: Nodes

    private mutating func rewrite(_ index: Int) throws(InferenceError) {
        var node = original.nodes[index]
        if analysis.reducers.contains(index) {
            for place in node.inputs.indices {
                guard let axis = analysis.time[node.inputs[place]] else { continue }
                let held = TimeWindow(
                    columns: analysis.columns(node.inputs[place]), stride: stepSamples / axis.period,
                    axis: axis.axis)
                node.inputs[place] = try extend(node.inputs[place], for: held, order: nil, node)
            }
        } else if let window = analysis.windows[index], let value = analysis.values[node.inputs[0]] {
            let isImage = node.operatorType != "STFT"
            node.inputs[0] = try extend(
                node.inputs[0], for: window, order: isImage ? channelsLast(value.rank) : nil, node)
        } else if node.operatorType == "Reshape", let axis = node.outputs.first.flatMap({ analysis.time[$0] })
        {
            try reshape(&node, axis)
        }
        graph.nodes.append(node)
    }

    /// A target shape written as numbers names the columns of a whole window.
    private mutating func reshape(_ node: inout ONNXGraph.Node, _ axis: TimeAxis) throws(InferenceError) {
        guard var shape = node.outputs.first.flatMap({ analysis.values[$0]?.shape }), shape[0] == 1 else {
            throw .notStreamable(node: node.identity, reason: "it does not keep the batch apart")
        }
        shape[0] = 0
        shape[axis.axis] = stepSamples / axis.period
        node.inputs[1] = constant(shape)
        node.attributes = [:]
    }

    private mutating func constant(_ list: [Int]) -> String {
        let name = "\(Self.prefix)constant.\(graph.initializers.count)"
        graph.initializers[name] = .integers(list.map { Int64($0) })
        return name
    }

    private mutating func add(
        _ kind: String, _ inputs: [String], _ output: String, _ perm: [Int]? = nil, axis: Int? = nil
    ) {
        var attributes: [String: ONNXGraph.Attribute] = [:]
        if let perm { attributes["perm"] = .integers(perm.map { Int64($0) }) }
        if let axis { attributes["axis"] = .integer(Int64(axis)) }
        graph.nodes.append(
            ONNXGraph.Node(
                name: output, operatorType: kind, domain: "", inputs: inputs, outputs: [output],
                attributes: attributes))
    }

    // MARK: States

    /// The value with as many earlier columns in front as `window` needs. `order` is how its elements best lie in
    /// memory: a state comes and goes in that order, so that nothing is moved about.
    private mutating func extend(
        _ name: String, for window: TimeWindow, order: [Int]?, _ node: ONNXGraph.Node
    ) throws(InferenceError) -> String {
        let kept = window.columns - window.stride
        guard kept != 0 else { return name }
        let key = "\(name) \(kept)"
        if let made = extended[key] { return made }
        guard let value = analysis.values[name], value.shape[0] == 1 else {
            throw .notStreamable(node: node.identity, reason: "\"\(name)\" does not keep the batch apart")
        }
        let number = extended.count
        let result = "\(Self.prefix)\(number)"
        extended[key] = result
        guard kept > 0 else {
            // Windows apart from one another: the columns between them are left out.
            let bounds = [[-kept], [Int(Int32.max)], [window.axis]].map { constant($0) }
            add("Slice", [name] + bounds, result)
            return result
        }
        let places = [0] + (order ?? value.order).filter { $0 != 0 }
        var shape = value.shape
        shape[window.axis] = kept
        let part = Part(
            input: result + ".before", output: result + ".after", count: shape.reduce(1, *))
        parts.append(part)
        graph.inputs.append(
            ONNXGraph.ValueInfo(
                name: part.input, elementType: 1,
                dimensions: [.symbol("N")] + places.dropFirst().map { .fixed(shape[$0]) }))
        graph.outputs.append(ONNXGraph.ValueInfo(name: part.output, elementType: 1, dimensions: nil))
        let back = shape.indices.map { axis in places.firstIndex(of: axis) ?? axis }
        add("Transpose", [part.input], result + ".earlier", back)
        add("Concat", [result + ".earlier", name], result, axis: window.axis)
        let bounds = [[-kept], [Int(Int32.max)], [window.axis]].map { constant($0) }
        add("Slice", [result] + bounds, result + ".last")
        add("Transpose", [result + ".last"], part.output, places)
        return result
    }
}
