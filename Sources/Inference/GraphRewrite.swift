/// Patterns that exporters spell out and one step computes. Rewritten before lowering.
enum GraphRewrite {
    /// Domain of operators that only this rewriting makes.
    static let domain = "sense"

    /// x * Sigmoid(x) -> Silu(x); x * HardSigmoid(x, 1/6, 1/2) -> HardSwish(x).
    static func gates(_ graph: inout ONNXGraph) {
        var readers: [String: [Int]] = [:]
        for (index, node) in graph.nodes.enumerated() {
            for name in node.inputs { readers[name, default: []].append(index) }
        }
        let outputs = Set(graph.outputs.map { $0.name })
        var removed: Set<Int> = []
        for (index, gate) in graph.nodes.enumerated() {
            guard gate.inputs.count == 1, gate.outputs.count == 1, let replacement = replacement(gate),
                !outputs.contains(gate.outputs[0]), let found = readers[gate.outputs[0]], found.count == 1
            else { continue }
            let product = graph.nodes[found[0]]
            guard product.operatorType == "Mul", product.domain.isEmpty, product.inputs.count == 2,
                Set(product.inputs) == [gate.inputs[0], gate.outputs[0]], gate.inputs[0] != gate.outputs[0]
            else { continue }
            graph.nodes[found[0]].operatorType = replacement
            graph.nodes[found[0]].domain = domain
            graph.nodes[found[0]].inputs = [gate.inputs[0]]
            graph.nodes[found[0]].attributes = [:]
            removed.insert(index)
        }
        graph.nodes = graph.nodes.indices.filter { !removed.contains($0) }.map { graph.nodes[$0] }
    }

    private static func replacement(_ gate: ONNXGraph.Node) -> String? {
        switch gate.operatorType {
        case "Sigmoid" where gate.attributes.isEmpty: return "Silu"
        case "HardSigmoid":
            guard case .float(let alpha)? = gate.attributes["alpha"], abs(alpha - 1 / 6) < 1e-6 else {
                return nil
            }
            switch gate.attributes["beta"] {
            case nil: return "HardSwish"
            case .float(let beta)? where beta == 0.5: return "HardSwish"
            default: return nil
            }
        default: return nil
        }
    }
}
