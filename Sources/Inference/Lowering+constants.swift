/// Constants and the integer arithmetic exporters do on shapes.
extension Lowering {
    mutating func constant(_ node: ONNXGraph.Node) throws(InferenceError) {
        let attributes = NodeAttributes(node)
        var tensor: Tensor
        if let value = node.attributes["value"], case .tensor(let given) = value {
            tensor = given
        } else if let value = node.attributes["value_float"], case .float(let given) = value {
            tensor = Tensor(shape: [], storage: .floats([given]), identity: nil)
        } else if let value = node.attributes["value_floats"], case .floats(let given) = value {
            tensor = Tensor(shape: [given.count], storage: .floats(given), identity: nil)
        } else if let value = node.attributes["value_int"], case .integer(let given) = value {
            tensor = Tensor(shape: [], storage: .integers([given]), identity: nil)
        } else if let value = node.attributes["value_ints"], case .integers(let given) = value {
            tensor = .integers(given)
        } else {
            throw attributes.bad(
                node.attributes.keys.sorted().first ?? "value", "no tensor, float or integer value")
        }
        tensor.identity = node.outputs.first
        try bind(node, constantValue(tensor))
    }

    mutating func shapeOf(_ node: ONNXGraph.Node) throws(InferenceError) {
        let attributes = NodeAttributes(node)
        try attributes.allow(["start", "end"])
        let value = try input(node, 0)
        let start = try attributes.integer("start", default: 0)
        let end = try attributes.integer("end", default: value.rank)
        let first = min(max(start < 0 ? start + value.rank : start, 0), value.rank)
        let last = min(max(end < 0 ? end + value.rank : end, first), value.rank)
        try bind(node, constantValue(.integers(value.shape[first..<last].map { Int64($0) })))
    }

    mutating func constantOfShape(_ node: ONNXGraph.Node) throws(InferenceError) {
        let attributes = NodeAttributes(node)
        try attributes.allow(["value"])
        guard let shape = try optionalIntegers(node, 0) else {
            throw .missingInput(node: node.identity, input: "shape")
        }
        let count = try folded(shape)
        var fill = Tensor(shape: [], storage: .floats([0]), identity: nil)
        if let value = node.attributes["value"] {
            guard case .tensor(let given) = value, given.count == 1 else {
                throw attributes.bad("value", "not one element")
            }
            fill = given
        }
        try bind(node, constantValue(fill.gathered(Array(repeating: 0, count: count), shape: shape)))
    }

    /// The count of a shape that folding is about to make, checked before anything is allocated.
    private func folded(_ shape: [Int]) throws(InferenceError) -> Int {
        let count = try elementCount(shape)
        guard foldedElements + count <= limits.maxFoldedElements else {
            throw .overLimit(
                limit: "maxFoldedElements", allowed: limits.maxFoldedElements, got: foldedElements + count)
        }
        return count
    }

    mutating func range(_ node: ONNXGraph.Node) throws(InferenceError) {
        try NodeAttributes(node).allow([])
        guard let start = try optionalIntegers(node, 0)?.first,
            let end = try optionalIntegers(node, 1)?.first,
            let step = try optionalIntegers(node, 2)?.first, step != 0
        else { throw .wrongType(node: node.identity, reason: "start, limit and delta must be integers") }
        let span = step > 0 ? end - start : start - end
        let count = max(0, (span + abs(step) - 1) / abs(step))
        _ = try folded([count])
        let values = (0..<count).map { Int64(start + $0 * step) }
        try bind(node, constantValue(.integers(values)))
    }

    /// Folds arithmetic on integer and truth constants. Float constants take the ordinary steps, except where an
    /// exporter computes one number for an attribute-like input.
    mutating func foldInteger(_ node: ONNXGraph.Node) throws(InferenceError) -> Bool {
        var operands: [Tensor] = []
        for i in node.inputs.indices {
            guard let tensor = try optionalInput(node, i)?.constant else { return false }
            operands.append(tensor)
        }
        guard !operands.isEmpty else { return false }
        if node.operatorType == "Where", operands.count == 3 { return try foldSelect(node, operands) }
        if try foldFloats(node, operands) { return true }
        let lists = operands.compactMap { $0.integers }
        guard lists.count == operands.count else { return false }
        switch node.operatorType {
        case "Neg": try bindFolded(node, operands[0].shape, .integers(lists[0].map { 0 &- $0 }))
        case "Abs": try bindFolded(node, operands[0].shape, .integers(lists[0].map { $0 < 0 ? 0 &- $0 : $0 }))
        case "ReduceProd":
            try bindFolded(node, [], .integers([lists[0].reduce(1) { $0 &* $1 }]))
        case "Add", "Sub", "Mul", "Div", "Mod", "Max", "Min", "Equal", "Greater", "Less", "GreaterOrEqual",
            "LessOrEqual":
            guard operands.count == 2 else { return false }
            return try foldPair(node, operands[0], operands[1], lists)
        default: return false
        }
        return true
    }

    private mutating func bindFolded(
        _ node: ONNXGraph.Node, _ shape: [Int], _ storage: Tensor.Storage
    ) throws(InferenceError) {
        try bind(node, constantValue(Tensor(shape: shape, storage: storage, identity: nil)))
    }

    private func pairIndices(
        _ a: Tensor, _ shape: [Int]
    ) -> [Int] {
        let wide = Array(repeating: 1, count: shape.count - a.shape.count) + a.shape
        let dense = denseStrides(wide)
        return stridedIndices(shape: shape, strides: shape.indices.map { wide[$0] == 1 ? 0 : dense[$0] })
    }

    private mutating func foldPair(
        _ node: ONNXGraph.Node, _ a: Tensor, _ b: Tensor, _ lists: [[Int64]]
    ) throws(InferenceError) -> Bool {
        let shape = try broadcast(a.shape, b.shape, node)
        _ = try folded(shape)
        let left = pairIndices(a, shape).map { lists[0][$0] }
        let right = pairIndices(b, shape).map { lists[1][$0] }
        if ["Div", "Mod"].contains(node.operatorType), right.contains(where: { $0 == 0 || $0 == -1 }) {
            guard !right.contains(0) else {
                throw .wrongShape(node: node.identity, reason: "division by zero")
            }
        }
        let pairs = zip(left, right)
        let storage: Tensor.Storage
        switch node.operatorType {
        case "Add": storage = .integers(pairs.map { $0 &+ $1 })
        case "Sub": storage = .integers(pairs.map { $0 &- $1 })
        case "Mul": storage = .integers(pairs.map { $0 &* $1 })
        case "Div": storage = .integers(pairs.map { $0.dividedReportingOverflow(by: $1).partialValue })
        case "Mod":
            storage = .integers(
                pairs.map { a, b in
                    let rest = a.remainderReportingOverflow(dividingBy: b).partialValue
                    return rest != 0 && (rest < 0) != (b < 0) ? rest &+ b : rest
                })
        case "Max": storage = .integers(pairs.map { max($0, $1) })
        case "Min": storage = .integers(pairs.map { min($0, $1) })
        case "Equal": storage = .booleans(pairs.map { $0 == $1 })
        case "Greater": storage = .booleans(pairs.map { $0 > $1 })
        case "Less": storage = .booleans(pairs.map { $0 < $1 })
        case "GreaterOrEqual": storage = .booleans(pairs.map { $0 >= $1 })
        default: storage = .booleans(pairs.map { $0 <= $1 })
        }
        try bindFolded(node, shape, storage)
        return true
    }

    private mutating func foldSelect(
        _ node: ONNXGraph.Node, _ operands: [Tensor]
    ) throws(InferenceError) -> Bool {
        guard case .booleans(let condition) = operands[0].storage, let a = operands[1].integers,
            let b = operands[2].integers
        else { return false }
        let shape = try broadcast(
            try broadcast(operands[0].shape, operands[1].shape, node), operands[2].shape, node)
        _ = try folded(shape)
        let places = operands.map { pairIndices($0, shape) }
        let picked = places[0].indices.map { condition[places[0][$0]] ? a[places[1][$0]] : b[places[2][$0]] }
        try bindFolded(node, shape, .integers(picked))
        return true
    }

    /// Single float constants: exporters write sqrt(2) and the like as nodes.
    private mutating func foldFloats(_ node: ONNXGraph.Node, _ operands: [Tensor]) throws(InferenceError)
        -> Bool
    {
        let numbers = operands.compactMap { $0.scalar }
        guard numbers.count == operands.count else { return false }
        let rank = operands.map { $0.shape.count }.max() ?? 0
        let shape = Array(repeating: 1, count: rank)
        let result: Float
        switch (node.operatorType, numbers.count) {
        case ("Sqrt", 1): result = numbers[0].squareRoot()
        case ("Neg", 1): result = -numbers[0]
        case ("Reciprocal", 1): result = 1 / numbers[0]
        case ("Add", 2): result = numbers[0] + numbers[1]
        case ("Sub", 2): result = numbers[0] - numbers[1]
        case ("Mul", 2): result = numbers[0] * numbers[1]
        case ("Div", 2): result = numbers[0] / numbers[1]
        default: return false
        }
        try bindFolded(node, shape, .floats([result]))
        return true
    }
}
