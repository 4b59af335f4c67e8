/// Operators that pick elements along an axis, or add some around them. Constants are picked from now.
extension Lowering {
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
}
