extension GraphRewrite {
    /// STFT whose parts are only squared and added over the last axis -> STFT of power; with a square root after
    /// that -> STFT of magnitude. The pairs, twice the data, are then never written.
    static func spectra(_ graph: inout ONNXGraph) {
        var readers: [String: [Int]] = [:]
        for (index, node) in graph.nodes.enumerated() {
            for name in node.inputs { readers[name, default: []].append(index) }
        }
        let outputs = Set(graph.outputs.map { $0.name })
        var removed: Set<Int> = []
        /// The one node that reads `name`, however often.
        func reader(_ name: String) -> (index: Int, node: ONNXGraph.Node)? {
            guard !outputs.contains(name), let found = readers[name], let first = found.first,
                found.allSatisfy({ $0 == first }), graph.nodes[first].outputs.count == 1
            else { return nil }
            return (first, graph.nodes[first])
        }
        for index in graph.nodes.indices where graph.nodes[index].operatorType == "STFT" {
            let transform = graph.nodes[index]
            guard transform.domain.isEmpty, transform.outputs.count == 1,
                let square = reader(transform.outputs[0])
            else { continue }
            var steps = [square]
            var kind = "power"
            switch square.node.operatorType {
            case "Mul" where square.node.inputs == [transform.outputs[0], transform.outputs[0]]:
                guard let sum = reader(square.node.outputs[0]), sum.node.operatorType == "ReduceSum" else {
                    continue
                }
                steps.append(sum)
            case "ReduceSumSquare": break
            case "ReduceL2": kind = "magnitude"
            default: continue
            }
            guard let last = steps.last, isOverPairs(last.node, graph) else { continue }
            if kind == "power", let root = reader(last.node.outputs[0]), root.node.operatorType == "Sqrt" {
                steps.append(root)
                kind = "magnitude"
            }
            guard let end = steps.last else { continue }
            graph.nodes[index].domain = domain
            graph.nodes[index].outputs = end.node.outputs
            graph.nodes[index].attributes["spectrum"] = .string(kind)
            removed.formUnion(steps.map { $0.index })
        }
        graph.nodes = graph.nodes.indices.filter { !removed.contains($0) }.map { graph.nodes[$0] }
    }

    /// Whether a reduction runs over the last of an STFT's four axes alone and drops it.
    private static func isOverPairs(_ node: ONNXGraph.Node, _ graph: ONNXGraph) -> Bool {
        guard case .integer(0)? = node.attributes["keepdims"] else { return false }
        var axes: [Int64] = []
        if case .integers(let listed)? = node.attributes["axes"] { axes = listed }
        if node.inputs.count > 1 {
            if let given = graph.initializers[node.inputs[1]]?.integers {
                axes = given
            } else if let maker = graph.nodes.first(where: { $0.outputs == [node.inputs[1]] }),
                maker.operatorType == "Constant", case .tensor(let given)? = maker.attributes["value"]
            {
                axes = given.integers ?? []
            }
        }
        return axes == [-1] || axes == [3]
    }
}
