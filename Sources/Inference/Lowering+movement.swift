/// Operators that only move elements. Constants are moved now; computed values are relabelled where the layout
/// allows it and copied where not.
extension Lowering {
    func transposed(_ value: Value, _ permutation: [Int]) -> Value {
        if case .constant(let tensor) = value.source {
            let strides = denseStrides(tensor.shape)
            let shape = permutation.map { tensor.shape[$0] }
            let moved = tensor.gathered(
                stridedIndices(shape: shape, strides: permutation.map { strides[$0] }), shape: shape,
                identity: tensor.identity.map { "\($0)|perm\(permutation)" })
            return constantValue(moved)
        }
        var renamed = [Int](repeating: 0, count: value.rank)
        for (new, old) in permutation.enumerated() { renamed[old] = new }
        var out = value
        out.shape = permutation.map { value.shape[$0] }
        out.order = value.order.map { renamed[$0] }
        return out
    }

    mutating func transpose(_ node: ONNXGraph.Node) throws(InferenceError) {
        let attributes = NodeAttributes(node)
        try attributes.allow(["perm"])
        let value = try input(node, 0)
        let permutation =
            try attributes.integers("perm", in: 0...maxRank, count: value.rank)
            ?? Array((0..<value.rank).reversed())
        guard permutation.sorted() == Array(0..<value.rank) else {
            throw attributes.bad("perm", "\(permutation) is not a permutation")
        }
        try bind(node, transposed(value, permutation))
    }

    /// The value under a new shape of the same count, in row-major order.
    mutating func reshaped(_ value: Value, _ shape: [Int], _ node: ONNXGraph.Node) throws(InferenceError)
        -> Value
    {
        if case .constant(let tensor) = value.source { return constantValue(tensor.reshaped(shape)) }
        let arranged = try arranged(value, order: Array(0..<value.rank), node.identity)
        var out = arranged
        out.shape = shape
        out.order = Array(shape.indices)
        return out
    }

    mutating func reshape(_ node: ONNXGraph.Node) throws(InferenceError) {
        let attributes = NodeAttributes(node)
        try attributes.allow(["allowzero"])
        let keepZero = try attributes.flag("allowzero", default: false)
        let value = try input(node, 0)
        guard var shape = try optionalIntegers(node, 1) else {
            throw .missingInput(node: node.identity, input: "shape")
        }
        for i in shape.indices where shape[i] == 0 && !keepZero {
            guard i < value.rank else {
                throw .wrongShape(node: node.identity, reason: "\(shape) copies an axis \(value.shape) lacks")
            }
            shape[i] = value.shape[i]
        }
        let open = shape.indices.filter { shape[$0] == -1 }
        if open.count == 1 {
            shape[open[0]] = 1
            let known = try elementCount(shape)
            guard known > 0, value.count % known == 0 else {
                throw .wrongShape(node: node.identity, reason: "\(value.shape) does not divide into \(shape)")
            }
            shape[open[0]] = value.count / known
        }
        guard shape.allSatisfy({ $0 >= 0 }), try elementCount(shape) == value.count else {
            throw .wrongShape(node: node.identity, reason: "\(value.shape) cannot become \(shape)")
        }
        try bind(node, try reshaped(value, shape, node))
    }

    mutating func flatten(_ node: ONNXGraph.Node) throws(InferenceError) {
        let attributes = NodeAttributes(node)
        try attributes.allow(["axis"])
        let value = try input(node, 0)
        let raw = try attributes.integer("axis", default: 1)
        let axis = raw < 0 ? raw + value.rank : raw
        guard (0...value.rank).contains(axis) else {
            throw .wrongShape(node: node.identity, reason: "axis \(raw) for rank \(value.rank)")
        }
        let shape = [value.shape[..<axis].reduce(1, *), value.shape[axis...].reduce(1, *)]
        try bind(node, try reshaped(value, shape, node))
    }

    mutating func squeeze(_ node: ONNXGraph.Node) throws(InferenceError) {
        let attributes = NodeAttributes(node)
        try attributes.allow([])
        let value = try input(node, 0)
        let listed = try optionalIntegers(node, 1) ?? value.shape.indices.filter { value.shape[$0] == 1 }
        let dropped = Set(try axes(listed, rank: value.rank, node))
        guard dropped.allSatisfy({ value.shape[$0] == 1 }) else {
            throw .wrongShape(node: node.identity, reason: "axes \(listed) of \(value.shape) are not all 1")
        }
        try bind(node, dropping(dropped, from: value))
    }

    mutating func unsqueeze(_ node: ONNXGraph.Node) throws(InferenceError) {
        try NodeAttributes(node).allow([])
        let value = try input(node, 0)
        guard let listed = try optionalIntegers(node, 1) else {
            throw .missingInput(node: node.identity, input: "axes")
        }
        let rank = value.rank + listed.count
        guard rank <= maxRank else { throw .overLimit(limit: "maxRank", allowed: maxRank, got: rank) }
        let added = Set(try axes(listed, rank: rank, node))
        let kept = (0..<rank).filter { !added.contains($0) }
        var out = value
        out.shape = Array(repeating: 1, count: rank)
        for (old, new) in kept.enumerated() { out.shape[new] = value.shape[old] }
        out.order = value.order.map { kept[$0] } + added.sorted()
        if case .constant(let tensor) = value.source { out = constantValue(tensor.reshaped(out.shape)) }
        try bind(node, out)
    }

    mutating func concat(_ node: ONNXGraph.Node) throws(InferenceError) {
        let attributes = NodeAttributes(node)
        try attributes.allow(["axis"])
        var parts: [Value] = []
        for i in node.inputs.indices { parts.append(try input(node, i)) }
        guard let first = parts.first, first.rank > 0 else {
            throw .wrongShape(node: node.identity, reason: "nothing to concatenate")
        }
        let axis = try axis(try attributes.integer("axis", default: 0), rank: first.rank, node)
        var shape = first.shape
        shape[axis] = 0
        for part in parts {
            var other = part.shape
            guard other.count == first.rank else {
                throw .wrongShape(node: node.identity, reason: "ranks \(first.rank) and \(other.count)")
            }
            shape[axis] += other[axis]
            other[axis] = shape[axis]
            guard other == shape else {
                throw .wrongShape(
                    node: node.identity, reason: "\(first.shape) and \(part.shape) on axis \(axis)")
            }
        }
        _ = try elementCount(shape)
        if let joined = concatenated(parts.compactMap { $0.constant }, count: parts.count, axis, shape) {
            try bind(node, constantValue(joined))
            return
        }
        let order = commonOrder(parts, shape)
        let target = Value(shape: shape, order: order, source: .buffer(try newBuffer(for: shape)))
        guard case .buffer(let out) = target.source else { return }
        let strides = target.strides
        var place = 0
        for part in parts {
            let source = try operand(part, order: order, node.identity)
            let dims = order.map { part.shape[$0] }
            let copy = StridedCopy(
                dims: dims, inputStrides: denseStrides(dims), outputStrides: order.map { strides[$0] },
                outputOffset: place * strides[axis])
            emit(.copy(copy.collapsed()), [source], output: out)
            place += part.shape[axis]
        }
        shared.insert(out)
        try bind(node, target)
    }

    /// Constants of one element type joined along `axis`; nil when some part is computed.
    private func concatenated(_ parts: [Tensor], count: Int, _ axis: Int, _ shape: [Int]) -> Tensor? {
        guard parts.count == count else { return nil }
        let outer = shape[..<axis].reduce(1, *)
        func join<T>(_ lists: [[T]]) -> [T] {
            var out: [T] = []
            for o in 0..<outer {
                for list in lists {
                    let each = list.count / max(outer, 1)
                    out += list[(o * each)..<((o + 1) * each)]
                }
            }
            return out
        }
        let integers = parts.compactMap { $0.integers }
        if integers.count == count {
            return Tensor(shape: shape, storage: .integers(join(integers)), identity: nil)
        }
        let floats = parts.compactMap { $0.floats }
        if floats.count == count {
            return Tensor(shape: shape, storage: .floats(join(floats)), identity: nil)
        }
        return nil
    }

    mutating func split(_ node: ONNXGraph.Node) throws(InferenceError) {
        let attributes = NodeAttributes(node)
        try attributes.allow(["axis", "num_outputs"])
        let value = try input(node, 0)
        let axis = try axis(try attributes.integer("axis", default: 0), rank: value.rank, node)
        let count = node.outputs.count
        let size = value.shape[axis]
        let each = (size + count - 1) / max(count, 1)
        let sizes = try optionalIntegers(node, 1) ?? (0..<count).map { min(each, size - $0 * each) }
        guard sizes.count == count, sizes.allSatisfy({ $0 > 0 && $0 <= size }), sizes.reduce(0, +) == size
        else {
            throw .wrongShape(node: node.identity, reason: "\(size) cannot be split into \(sizes)")
        }
        var start = 0
        for (i, length) in sizes.enumerated() {
            let piece = try strided(
                value, starts: [axis: start], steps: [:], shape: value.shape.replacing(axis, with: length),
                node)
            try bind(node, piece, output: i)
            start += length
        }
    }

    /// A box of `value`: along each axis from `starts`, by `steps`, `shape` elements.
    mutating func strided(
        _ value: Value, starts: [Int: Int], steps: [Int: Int], shape: [Int], _ node: ONNXGraph.Node
    ) throws(InferenceError) -> Value {
        if shape == value.shape, steps.values.allSatisfy({ $0 == 1 }) { return value }
        let strides = value.constant.map { denseStrides($0.shape) } ?? value.strides
        var offset = 0
        for (axis, start) in starts { offset += start * strides[axis] }
        let moves = shape.indices.map { strides[$0] * (steps[$0] ?? 1) }
        if case .constant(let tensor) = value.source {
            return constantValue(
                tensor.gathered(stridedIndices(shape: shape, strides: moves, start: offset), shape: shape))
        }
        let source = try operand(value, order: value.order, node.identity)
        let dims = value.order.map { shape[$0] }
        let copy = StridedCopy(
            dims: dims, inputStrides: value.order.map { moves[$0] }, outputStrides: denseStrides(dims),
            inputOffset: offset)
        let out = try newBuffer(for: shape)
        emit(.copy(copy.collapsed()), [source], output: out)
        return Value(shape: shape, order: value.order, source: .buffer(out), isBoolean: value.isBoolean)
    }

    mutating func expand(_ node: ONNXGraph.Node) throws(InferenceError) {
        try NodeAttributes(node).allow([])
        let value = try input(node, 0)
        guard let wanted = try optionalIntegers(node, 1), wanted.allSatisfy({ $0 >= 0 }) else {
            throw .wrongShape(node: node.identity, reason: "no target shape")
        }
        let shape = try broadcast(value.shape, wanted, node)
        if shape == value.shape {
            try bind(node, value)
            return
        }
        let wide = widened(value, to: shape.count)
        let own = wide.constant.map { denseStrides($0.shape) } ?? wide.strides
        let moves = shape.indices.map { wide.shape[$0] == 1 ? 0 : own[$0] }
        if let tensor = wide.constant {
            try bind(
                node,
                constantValue(tensor.gathered(stridedIndices(shape: shape, strides: moves), shape: shape)))
            return
        }
        let source = try operand(wide, order: wide.order, node.identity)
        let dims = wide.order.map { shape[$0] }
        let copy = StridedCopy(
            dims: dims, inputStrides: wide.order.map { moves[$0] }, outputStrides: denseStrides(dims))
        let out = try newBuffer(for: shape)
        emit(.copy(copy.collapsed()), [source], output: out)
        try bind(node, Value(shape: shape, order: wide.order, source: .buffer(out)))
    }
}

extension [Int] {
    func replacing(_ index: Int, with value: Int) -> [Int] {
        var out = self
        out[index] = value
        return out
    }
}
