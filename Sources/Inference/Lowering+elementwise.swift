extension Lowering {
    mutating func unary(_ node: ONNXGraph.Node, _ operation: UnaryOperation) throws(InferenceError) {
        try NodeAttributes(node).allow([])
        try apply(operation, node)
    }

    /// Applies a unary operation to input 0: inside the step that made it if that may absorb it, else on its own.
    mutating func apply(
        _ operation: UnaryOperation, _ node: ONNXGraph.Node, to given: Value? = nil
    ) throws(InferenceError) {
        let value: Value
        if let given { value = given } else { value = try input(node, 0) }
        if try absorb(operation, node, value) { return }
        let source = try operand(value, order: value.order, node.identity)
        let out = try newBuffer(for: value.shape)
        emit(.unary(operation, count: value.count), [source], output: out)
        try bind(node, Value(shape: value.shape, order: value.order, source: .buffer(out)))
    }

    mutating func parametric(
        _ node: ONNXGraph.Node, _ kind: UnaryOperation.Kind, _ parameters: [String: Float]
    ) throws(InferenceError) {
        let attributes = NodeAttributes(node)
        try attributes.allow(Set(parameters.keys))
        let a = try attributes.float("alpha", default: parameters["alpha"] ?? 0)
        let b = try attributes.float("beta", default: parameters["beta"] ?? 0)
        try apply(UnaryOperation(kind: kind, a: a, b: b), node)
    }

    mutating func gelu(_ node: ONNXGraph.Node) throws(InferenceError) {
        let attributes = NodeAttributes(node)
        try attributes.allow(["approximate"])
        switch try attributes.string("approximate", default: "none") {
        case "none": try apply(UnaryOperation(kind: .gelu), node)
        case "tanh": try apply(UnaryOperation(kind: .geluTanh), node)
        case let other: throw attributes.bad("approximate", other)
        }
    }

    mutating func negation(_ node: ONNXGraph.Node) throws(InferenceError) {
        try apply(UnaryOperation(kind: .not), node)
        if let name = node.outputs.first { values[name]?.isBoolean = true }
    }

    mutating func clip(_ node: ONNXGraph.Node) throws(InferenceError) {
        try NodeAttributes(node).allow([])
        let low = try optionalFloat(node, 1) ?? -.infinity
        let high = try optionalFloat(node, 2) ?? .infinity
        try apply(UnaryOperation(kind: .clip, a: low, b: high), node)
    }

    mutating func dropout(_ node: ONNXGraph.Node) throws(InferenceError) {
        guard node.outputs.count < 2 || uses[node.outputs[1], default: 0] == 0 else {
            throw .unsupportedAttribute(
                node: node.identity, attribute: "mask", reason: "the mask output is not made")
        }
        if let training = try optionalConstant(node, 2), case .booleans([true]) = training.storage {
            throw .unsupportedAttribute(
                node: node.identity, attribute: "training_mode", reason: "export the model in eval mode")
        }
        try bind(node, try input(node, 0))
    }

    mutating func cast(_ node: ONNXGraph.Node) throws(InferenceError) {
        let attributes = NodeAttributes(node)
        try attributes.allow(["to", "saturate"])
        let type = try attributes.integer("to", default: 1)
        var value = try input(node, 0)
        if let tensor = value.constant {
            let storage: Tensor.Storage
            switch (type, tensor.storage) {
            case (1, .integers(let v)), (11, .integers(let v)): storage = .floats(v.map { Float($0) })
            case (1, .booleans), (11, .booleans): storage = .floats(tensor.floats ?? [])
            case (1, .floats), (11, .floats): storage = tensor.storage
            case (6, .integers), (7, .integers): storage = tensor.storage
            case (6, .floats(let v)), (7, .floats(let v)):
                storage = .integers(v.map { Int64(exactly: $0.rounded(.towardZero)) ?? 0 })
            case (6, .booleans(let v)), (7, .booleans(let v)): storage = .integers(v.map { $0 ? 1 : 0 })
            case (9, .integers(let v)): storage = .booleans(v.map { $0 != 0 })
            case (9, .floats(let v)): storage = .booleans(v.map { $0 != 0 })
            case (9, .booleans): storage = tensor.storage
            default: throw attributes.bad("to", "element type \(type)")
            }
            try bind(node, constantValue(Tensor(shape: tensor.shape, storage: storage, identity: nil)))
            return
        }
        switch type {
        case 1, 11:
            value.isBoolean = false
            try bind(node, value)
        case 9 where value.isBoolean: try bind(node, value)
        default: throw attributes.bad("to", "computed values are float; element type \(type)")
        }
    }

    mutating func binary(_ node: ONNXGraph.Node, _ kind: BinaryKind) throws(InferenceError) {
        try NodeAttributes(node).allow([])
        let variadic = ["Max", "Min", "Sum"].contains(node.operatorType)
        guard node.inputs.count == 2 || (variadic && node.inputs.count > 0) else {
            throw .wrongShape(node: node.identity, reason: "\(node.inputs.count) inputs")
        }
        var left = try input(node, 0)
        if node.inputs.count == 1 {
            try bind(node, left)
            return
        }
        for index in 1..<node.inputs.count {
            let right = try input(node, index)
            let isLast = index == node.inputs.count - 1
            if isLast, try specialBinary(node, kind, left, right) { return }
            left = try combine(kind, left, right, node)
        }
        left.isBoolean = kind.rawValue >= BinaryKind.greater.rawValue
        try bind(node, left)
    }

    /// Cases cheaper than a general binary step.
    private mutating func specialBinary(
        _ node: ONNXGraph.Node, _ kind: BinaryKind, _ left: Value, _ right: Value
    ) throws(InferenceError) -> Bool {
        if try absorb(kind, node, left, right) { return true }
        if let c = right.constant?.scalar, right.rank <= left.rank, left.constant == nil {
            let operation: UnaryOperation
            switch kind {
            case .add: operation = UnaryOperation(kind: .affine, a: 1, b: c)
            case .subtract: operation = UnaryOperation(kind: .affine, a: 1, b: -c)
            case .multiply: operation = UnaryOperation(kind: .affine, a: c, b: 0)
            case .divide: operation = UnaryOperation(kind: .affine, a: 1 / c, b: 0)
            case .max: operation = UnaryOperation(kind: .clip, a: c, b: .infinity)
            case .min: operation = UnaryOperation(kind: .clip, a: -.infinity, b: c)
            case .prelu: operation = UnaryOperation(kind: .leakyRelu, a: c)
            case .power where c == 2: operation = UnaryOperation(kind: .square)
            case .power where c == 0.5: operation = UnaryOperation(kind: .sqrt)
            case .power where c == 1: operation = UnaryOperation(kind: .identity)
            case .power where c == -1: operation = UnaryOperation(kind: .reciprocal)
            case .power: operation = UnaryOperation(kind: .powScalar, a: c)
            default: return false
            }
            guard c.isFinite, kind != .divide || (1 / c).isFinite else { return false }
            try apply(operation, node, to: left)
            return true
        }
        if let c = left.constant?.scalar, left.rank <= right.rank, right.constant == nil, c.isFinite {
            let operation: UnaryOperation
            switch kind {
            case .add: operation = UnaryOperation(kind: .affine, a: 1, b: c)
            case .subtract: operation = UnaryOperation(kind: .affine, a: -1, b: c)
            case .multiply: operation = UnaryOperation(kind: .affine, a: c, b: 0)
            case .max: operation = UnaryOperation(kind: .clip, a: c, b: .infinity)
            case .min: operation = UnaryOperation(kind: .clip, a: -.infinity, b: c)
            default: return false
            }
            try apply(operation, node, to: right)
            return true
        }
        if kind == .multiply, case .buffer(let a) = left.source, case .buffer(let b) = right.source, a == b,
            left.order == right.order, left.shape == right.shape
        {
            try apply(UnaryOperation(kind: .square), node, to: left)
            return true
        }
        return false
    }

    /// A binary step with broadcasting.
    mutating func combine(
        _ kind: BinaryKind, _ left: Value, _ right: Value, _ node: ONNXGraph.Node
    ) throws(InferenceError) -> Value {
        let shape = try broadcast(left.shape, right.shape, node)
        let wide = [widened(left, to: shape.count), widened(right, to: shape.count)]
        let order = commonOrder(wide, shape)
        var operands: [Operand] = []
        for value in wide { operands.append(try operand(value, order: order, node.identity)) }
        let physical = order.map { shape[$0] }
        let (dims, strides) = collapse(physical, wide.map { value in order.map { value.shape[$0] } })
        let out = try newBuffer(for: shape)
        emit(.binary(kind, dims: dims, left: strides[0], right: strides[1]), operands, output: out)
        return Value(shape: shape, order: order, source: .buffer(out))
    }

    /// The order most of the data already lies in: that of the largest computed operand.
    func commonOrder(_ operands: [Value], _ shape: [Int]) -> [Int] {
        let computed = operands.filter { $0.constant == nil }
        return computed.max { $0.count < $1.count }?.order ?? Array(shape.indices)
    }

    /// Joins neighbouring axes along which every operand either repeats or runs on. `shapes` are the operands'
    /// physical shapes; the strides returned are 0 where they repeat.
    func collapse(_ dims: [Int], _ shapes: [[Int]]) -> (dims: [Int], strides: [[Int]]) {
        let repeats = shapes.map { shape in dims.indices.map { shape[$0] == 1 && dims[$0] != 1 } }
        let dense = shapes.map { denseStrides($0) }
        var outDims: [Int] = []
        var outStrides = [[Int]](repeating: [], count: shapes.count)
        var previous: Int?
        for i in dims.indices where dims[i] != 1 {
            if let last = previous, repeats.allSatisfy({ $0[last] == $0[i] }) {
                outDims[outDims.count - 1] *= dims[i]
                for s in shapes.indices { outStrides[s][outDims.count - 1] = repeats[s][i] ? 0 : dense[s][i] }
            } else {
                outDims.append(dims[i])
                for s in shapes.indices { outStrides[s].append(repeats[s][i] ? 0 : dense[s][i]) }
            }
            previous = i
        }
        if outDims.isEmpty { return ([1], shapes.map { _ in [1] }) }
        return (outDims, outStrides)
    }

    mutating func select(_ node: ONNXGraph.Node) throws(InferenceError) {
        try NodeAttributes(node).allow([])
        let operands = [try input(node, 0), try input(node, 1), try input(node, 2)]
        let first = try broadcast(operands[0].shape, operands[1].shape, node)
        let shape = try broadcast(first, operands[2].shape, node)
        let wide = operands.map { widened($0, to: shape.count) }
        let order = commonOrder(wide, shape)
        var sources: [Operand] = []
        for value in wide { sources.append(try operand(value, order: order, node.identity)) }
        let (dims, strides) = collapse(order.map { shape[$0] }, wide.map { v in order.map { v.shape[$0] } })
        let out = try newBuffer(for: shape)
        emit(
            .select(dims: dims, condition: strides[0], left: strides[1], right: strides[2]), sources,
            output: out)
        try bind(node, Value(shape: shape, order: order, source: .buffer(out)))
    }

    mutating func softmax(_ node: ONNXGraph.Node, logarithm: Bool) throws(InferenceError) {
        let attributes = NodeAttributes(node)
        try attributes.allow(["axis"])
        let value = try input(node, 0)
        let axis = try axis(try attributes.integer("axis", default: -1), rank: value.rank, node)
        let physical = value.physicalShape
        let place = value.order.firstIndex(of: axis) ?? 0
        let source = try operand(value, order: value.order, node.identity)
        let out = try newBuffer(for: value.shape)
        emit(
            .softmax(
                outer: physical[..<place].reduce(1, *), axis: physical[place],
                inner: physical[(place + 1)...].reduce(1, *), logarithm: logarithm), [source], output: out)
        try bind(node, Value(shape: value.shape, order: value.order, source: .buffer(out)))
    }

    mutating func reduce(_ node: ONNXGraph.Node, _ kind: ReduceKind) throws(InferenceError) {
        let attributes = NodeAttributes(node)
        try attributes.allow(["axes", "keepdims", "noop_with_empty_axes"])
        let value = try input(node, 0)
        let keep = try attributes.flag("keepdims", default: true)
        var listed = try attributes.integers("axes", in: -maxRank...maxRank) ?? []
        if let given = try optionalIntegers(node, 1) { listed = given }
        if listed.isEmpty {
            if try attributes.flag("noop_with_empty_axes", default: false) {
                try bind(node, value)
                return
            }
            listed = Array(0..<value.rank)
        }
        try reduce(node, kind, value, axes: Set(try axes(listed, rank: value.rank, node)), keep: keep)
    }

    mutating func globalPool(_ node: ONNXGraph.Node, _ kind: ReduceKind) throws(InferenceError) {
        try NodeAttributes(node).allow([])
        let value = try input(node, 0)
        guard value.rank >= 3 else {
            throw .wrongShape(node: node.identity, reason: "rank \(value.rank); an image has 3 or more")
        }
        try reduce(node, kind, value, axes: Set(2..<value.rank), keep: true)
    }

    /// Reduces over neighbouring places in memory; other layouts are copied first.
    private mutating func reduce(
        _ node: ONNXGraph.Node, _ kind: ReduceKind, _ value: Value, axes: Set<Int>, keep: Bool
    ) throws(InferenceError) {
        guard value.count > 0 else { throw .wrongShape(node: node.identity, reason: "nothing to reduce") }
        var order = value.order
        let places = order.indices.filter { axes.contains(order[$0]) && value.shape[order[$0]] != 1 }
        if let first = places.first, let last = places.last {
            let between = order[first...last].filter { !axes.contains($0) && value.shape[$0] != 1 }
            if !between.isEmpty {
                order = order.filter { !axes.contains($0) } + order.filter { axes.contains($0) }
            }
        }
        let source = try operand(value, order: order, node.identity)
        let reduced = order.indices.filter { axes.contains(order[$0]) && value.shape[order[$0]] != 1 }
        let physical = order.map { value.shape[$0] }
        let start = reduced.first ?? physical.count
        let end = (reduced.last ?? physical.count - 1) + 1
        let outer = physical[..<start].reduce(1, *)
        let count = physical[min(start, end)..<end].reduce(1, *)
        let inner = physical[end...].reduce(1, *)
        let kept = (0..<value.rank).map { axes.contains($0) ? 1 : value.shape[$0] }
        let out = try newBuffer(for: kept)
        emit(.reduce(kind, outer: outer, axis: count, inner: inner), [source], output: out)
        var result = Value(shape: kept, order: order, source: .buffer(out))
        if !keep { result = dropping(axes, from: result) }
        try bind(node, result)
    }

    /// The value without `axes`, all of size one.
    func dropping(_ axes: Set<Int>, from value: Value) -> Value {
        let left = (0..<value.rank).filter { !axes.contains($0) }
        var renamed = [Int](repeating: 0, count: value.rank)
        for (new, old) in left.enumerated() { renamed[old] = new }
        var out = value
        out.shape = left.map { value.shape[$0] }
        out.order = value.order.filter { !axes.contains($0) }.map { renamed[$0] }
        if case .constant(let tensor) = value.source { out.source = .constant(tensor.reshaped(out.shape)) }
        return out
    }
}
