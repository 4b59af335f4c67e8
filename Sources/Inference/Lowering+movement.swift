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
    private mutating func strided(
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

    mutating func slice(_ node: ONNXGraph.Node) throws(InferenceError) {
        try NodeAttributes(node).allow([])
        let value = try input(node, 0)
        guard let starts = try optionalIntegers(node, 1), let ends = try optionalIntegers(node, 2),
            starts.count == ends.count
        else { throw .wrongShape(node: node.identity, reason: "starts and ends do not pair") }
        let listed = try optionalIntegers(node, 3) ?? Array(0..<starts.count)
        let steps = try optionalIntegers(node, 4) ?? Array(repeating: 1, count: starts.count)
        guard listed.count == starts.count, steps.count == starts.count, steps.allSatisfy({ $0 != 0 }) else {
            throw .wrongShape(node: node.identity, reason: "axes or steps do not pair with starts")
        }
        let axes = try axes(listed, rank: value.rank, node)
        var shape = value.shape
        var from: [Int: Int] = [:]
        var by: [Int: Int] = [:]
        for (i, axis) in axes.enumerated() {
            let size = value.shape[axis]
            let step = steps[i]
            let start = starts[i] < 0 ? starts[i] + size : starts[i]
            let end = ends[i] < 0 ? ends[i] + size : ends[i]
            let first = step > 0 ? min(max(start, 0), size) : min(max(start, 0), size - 1)
            let last = step > 0 ? min(max(end, 0), size) : min(max(end, -1), size - 1)
            let span = step > 0 ? last - first : first - last
            let stride = abs(step)
            shape[axis] = max(0, (span + stride - 1) / stride)
            from[axis] = first
            by[axis] = step
        }
        guard value.constant != nil || shape.allSatisfy({ $0 > 0 }) else {
            throw .wrongShape(node: node.identity, reason: "an empty slice of \(value.shape)")
        }
        try bind(node, try strided(value, starts: from, steps: by, shape: shape, node))
    }

    mutating func gather(_ node: ONNXGraph.Node) throws(InferenceError) {
        let attributes = NodeAttributes(node)
        try attributes.allow(["axis"])
        let value = try input(node, 0)
        let axis = try axis(try attributes.integer("axis", default: 0), rank: value.rank, node)
        let table = try constantInput(node, 1)
        guard let raw = table.integers else {
            throw .wrongType(node: node.identity, reason: "indices are not integers")
        }
        var indices: [Int] = []
        for item in raw {
            let place = item < 0 ? item &+ Int64(value.shape[axis]) : item
            guard place >= 0, place < Int64(value.shape[axis]) else {
                throw .wrongShape(
                    node: node.identity, reason: "index \(item) on an axis of \(value.shape[axis])")
            }
            indices.append(Int(place))
        }
        let shape = Array(value.shape[..<axis]) + table.shape + Array(value.shape[(axis + 1)...])
        _ = try elementCount(shape)
        if let tensor = value.constant {
            let inner = tensor.shape[(axis + 1)...].reduce(1, *)
            let outer = tensor.shape[..<axis].reduce(1, *)
            var picked: [Int] = []
            for o in 0..<outer {
                for index in indices {
                    let start = (o * tensor.shape[axis] + index) * inner
                    picked += start..<(start + inner)
                }
            }
            try bind(node, constantValue(tensor.gathered(picked, shape: shape)))
            return
        }
        guard !indices.isEmpty else { throw .wrongShape(node: node.identity, reason: "no indices") }
        var result = try picked(value, axis, indices, fill: 0, node)
        if table.shape.count == 1 {
            try bind(node, result)
        } else if table.shape.isEmpty {
            try bind(node, dropping([axis], from: result))
        } else {
            result = try reshaped(result, shape, node)
            try bind(node, result)
        }
    }

    /// Elements `indices` along one axis; -1 is `fill`.
    private mutating func picked(
        _ value: Value, _ axis: Int, _ indices: [Int], fill: Float, _ node: ONNXGraph.Node
    ) throws(InferenceError) -> Value {
        let physical = value.physicalShape
        let place = value.order.firstIndex(of: axis) ?? 0
        let shape = value.shape.replacing(axis, with: indices.count)
        let source = try operand(value, order: value.order, node.identity)
        let out = try newBuffer(for: shape)
        let kind = Step.Kind.gather(
            outer: physical[..<place].reduce(1, *), axis: physical[place],
            inner: physical[(place + 1)...].reduce(1, *), indices: indices.map { Int32($0) }, fill: fill)
        emit(kind, [source], output: out)
        return Value(shape: shape, order: value.order, source: .buffer(out), isBoolean: value.isBoolean)
    }

    mutating func pad(_ node: ONNXGraph.Node) throws(InferenceError) {
        let attributes = NodeAttributes(node)
        try attributes.allow(["mode"])
        let mode = try attributes.string("mode", default: "constant")
        guard ["constant", "edge", "reflect"].contains(mode) else { throw attributes.bad("mode", mode) }
        var value = try input(node, 0)
        guard let pads = try optionalIntegers(node, 1) else {
            throw .missingInput(node: node.identity, input: "pads")
        }
        let fill = try optionalFloat(node, 2) ?? 0
        let listed = try optionalIntegers(node, 3) ?? Array(0..<value.rank)
        let axes = try axes(listed, rank: value.rank, node)
        guard pads.count == 2 * axes.count else {
            throw .wrongShape(node: node.identity, reason: "\(pads.count) pads for \(axes.count) axes")
        }
        for (i, axis) in axes.enumerated() where pads[i] != 0 || pads[axes.count + i] != 0 {
            let size = value.shape[axis]
            let (before, after) = (pads[i], pads[axes.count + i])
            let total = before + size + after
            guard abs(before) <= 1 << 24, abs(after) <= 1 << 24, total > 0, total < Int(Int32.max) else {
                throw .wrongShape(node: node.identity, reason: "pads \(before) and \(after) on \(size)")
            }
            // Before anything of that size is built: a file of a few bytes may ask for gigabytes.
            _ = try elementCount(value.shape.replacing(axis, with: total))
            let indices = try padIndices(size, before, after, mode: mode, node)
            value = try picked(value, axis, indices, fill: fill, node)
        }
        try bind(node, value)
    }

    /// Where each element of a padded axis comes from; -1 is the fill.
    private func padIndices(
        _ size: Int, _ before: Int, _ after: Int, mode: String, _ node: ONNXGraph.Node
    ) throws(InferenceError) -> [Int] {
        let places = -before..<(size + after)
        switch mode {
        case "edge": return places.map { min(max($0, 0), size - 1) }
        case "reflect":
            let turned = places.map { $0 < 0 ? -$0 : $0 >= size ? 2 * (size - 1) - $0 : $0 }
            guard turned.allSatisfy({ (0..<size).contains($0) }) else {
                throw .wrongShape(node: node.identity, reason: "reflecting \(before), \(after) on \(size)")
            }
            return turned
        default: return places.map { (0..<size).contains($0) ? $0 : -1 }
        }
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
