/// Checked access to a node's attributes.
struct NodeAttributes {
    let node: NodeIdentity
    let values: [String: ONNXGraph.Attribute]

    init(_ node: ONNXGraph.Node) {
        self.node = node.identity
        self.values = node.attributes
    }

    /// Refuses attributes outside `known`, so that nothing in a file is silently ignored.
    func allow(_ known: Set<String>) throws(InferenceError) {
        for name in values.keys.sorted() where !known.contains(name) {
            throw .unsupportedAttribute(node: node, attribute: name, reason: "not known to this operator")
        }
    }

    func integer(
        _ name: String, default fallback: Int, in range: ClosedRange<Int> = -(1 << 31)...(1 << 31)
    ) throws(InferenceError) -> Int {
        guard let value = values[name] else { return fallback }
        guard case .integer(let raw) = value else { throw bad(name, "not an integer") }
        guard let number = Int(exactly: raw), range.contains(number) else {
            throw bad(name, "\(raw) is outside \(range)")
        }
        return number
    }

    func flag(_ name: String, default fallback: Bool) throws(InferenceError) -> Bool {
        try integer(name, default: fallback ? 1 : 0, in: 0...1) == 1
    }

    func float(_ name: String, default fallback: Float) throws(InferenceError) -> Float {
        guard let value = values[name] else { return fallback }
        guard case .float(let number) = value else { throw bad(name, "not a float") }
        return number
    }

    func string(_ name: String, default fallback: String) throws(InferenceError) -> String {
        guard let value = values[name] else { return fallback }
        guard case .string(let text) = value else { throw bad(name, "not a string") }
        return text
    }

    func integers(
        _ name: String, in range: ClosedRange<Int>, count: Int? = nil
    ) throws(InferenceError) -> [Int]? {
        guard let value = values[name] else { return nil }
        guard case .integers(let raw) = value else { throw bad(name, "not a list of integers") }
        var list: [Int] = []
        for item in raw {
            guard let number = Int(exactly: item), range.contains(number) else {
                throw bad(name, "\(item) is outside \(range)")
            }
            list.append(number)
        }
        if let count, list.count != count {
            throw bad(name, "has \(list.count) entries, \(count) are needed")
        }
        return list
    }

    func bad(_ name: String, _ reason: String) -> InferenceError {
        .unsupportedAttribute(node: node, attribute: name, reason: reason)
    }
}
