extension ONNXGraph {
    /// Node indices so that every node follows the nodes it reads; nodes no output depends on are left out.
    func topologicalOrder() throws(InferenceError) -> [Int] {
        var maker: [String: Int] = [:]
        var known = Set(initializers.keys)
        for input in inputs {
            guard !input.name.isEmpty else { throw .invalidGraph(reason: "an input without a name") }
            known.insert(input.name)
        }
        for (index, node) in nodes.enumerated() {
            for name in node.outputs where !name.isEmpty {
                guard maker[name] == nil, !known.contains(name) else {
                    throw .invalidGraph(reason: "value \"\(name)\" is made twice")
                }
                maker[name] = index
            }
        }
        guard !outputs.isEmpty else { throw .invalidGraph(reason: "no outputs") }
        // Depth-first without recursion: (node, next input to visit).
        var state = [UInt8](repeating: 0, count: nodes.count)
        var order: [Int] = []
        for output in outputs {
            guard let root = maker[output.name] else {
                guard known.contains(output.name) else {
                    throw .invalidGraph(reason: "output \"\(output.name)\" is made by no node")
                }
                continue
            }
            var stack = [(node: root, next: 0)]
            if state[root] == 2 { continue }
            state[root] = 1
            while let top = stack.last {
                let node = nodes[top.node]
                if top.next == node.inputs.count {
                    state[top.node] = 2
                    order.append(top.node)
                    stack.removeLast()
                    continue
                }
                stack[stack.count - 1].next += 1
                let name = node.inputs[top.next]
                guard !name.isEmpty, !known.contains(name) else { continue }
                guard let before = maker[name] else {
                    throw .missingInput(node: node.identity, input: name)
                }
                switch state[before] {
                case 0:
                    state[before] = 1
                    stack.append((before, 0))
                case 1: throw .invalidGraph(reason: "a cycle through \(node.identity)")
                default: break
                }
            }
        }
        // The file's own order keeps neighbours together; it is used when it is sound, as it nearly always is.
        let ascending = order.sorted()
        var made = known
        for index in ascending {
            guard nodes[index].inputs.allSatisfy({ $0.isEmpty || made.contains($0) }) else { return order }
            made.formUnion(nodes[index].outputs)
        }
        return ascending
    }
}
