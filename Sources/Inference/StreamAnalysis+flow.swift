extension StreamAnalysis {
    /// Operators that treat every element alone, or broadcast.
    private static let elementwise: Set<String> = Set(Lowering.plainUnary.keys)
        .union(Lowering.binary.keys)
        .union([
            "Clip", "LeakyRelu", "Elu", "HardSigmoid", "Gelu", "Not", "Identity", "Dropout", "Cast", "Where",
        ])

    /// What `node`, which reads at least one value with time, does to it.
    func flow(_ node: ONNXGraph.Node) throws(InferenceError) -> TimeFlow {
        let kind = node.operatorType
        if Self.elementwise.contains(kind) { return try broadcasting(node) }
        if Lowering.reductions[kind] != nil { return try reduction(node) }
        switch kind {
        case "Conv", "MaxPool", "AveragePool": return try window(node)
        case "STFT": return try frames(node)
        case "BatchNormalization": return try untouched(node, axis(node), [1])
        case "MatMul": return try product(node)
        case "Softmax", "LogSoftmax":
            let axis = try axis(node)
            return try listed(node, "axis", default: -1) == axis ? .reduces : .columns(axis: axis)
        case "GlobalAveragePool", "GlobalMaxPool":
            return try axis(node) >= 2 ? .reduces : .columns(axis: axis(node))
        case "Reshape", "Flatten", "Squeeze", "Unsqueeze": return try regrouped(node)
        case "Transpose": return try transposed(node)
        case "Concat": return try joined(node)
        case "Split": return try untouched(node, axis(node), [listed(node, "axis", default: 0)])
        case "Gather": return try gathered(node)
        case "Slice": return try sliced(node)
        case "Pad": return try padded(node)
        default: throw mixes(node, "how it treats time is not known")
        }
    }

    // MARK: Parts

    private func shape(_ name: String) -> [Int] { values[name]?.shape ?? [] }

    private func outputShape(_ node: ONNXGraph.Node) -> [Int] { node.outputs.first.map { shape($0) } ?? [] }

    /// The time axis of the first input, which must be the one with time.
    private func axis(_ node: ONNXGraph.Node) throws(InferenceError) -> Int {
        guard let first = node.inputs.first, let axis = time[first]?.axis else {
            throw mixes(node, "time is not in its first input")
        }
        return axis
    }

    private func rank(_ node: ONNXGraph.Node) -> Int { node.inputs.first.map { shape($0).count } ?? 0 }

    /// An axis attribute, counted from the front.
    private func listed(
        _ node: ONNXGraph.Node, _ name: String, default fallback: Int
    ) throws(InferenceError) -> Int {
        let raw = try NodeAttributes(node).integer(name, default: fallback)
        return raw < 0 ? raw + rank(node) : raw
    }

    /// A constant list of integers given as an input.
    private func integers(_ node: ONNXGraph.Node, _ index: Int) -> [Int]? {
        guard index < node.inputs.count, let raw = values[node.inputs[index]]?.constant?.integers else {
            return nil
        }
        return raw.map { Int(clamping: $0) }
    }

    private func untouched(
        _ node: ONNXGraph.Node, _ axis: Int, _ touched: [Int]
    ) throws(InferenceError) -> TimeFlow {
        guard !touched.contains(axis) else { throw mixes(node, "it works along time") }
        return .columns(axis: axis)
    }

    // MARK: Kinds of nodes

    private func broadcasting(_ node: ONNXGraph.Node) throws(InferenceError) -> TimeFlow {
        let rank = outputShape(node).count
        let axes = node.inputs.compactMap { name in
            time[name].map { $0.axis + rank - shape(name).count }
        }
        guard let axis = axes.first, axes.allSatisfy({ $0 == axis }) else {
            throw mixes(node, "its inputs have time on different axes")
        }
        for name in node.inputs where !name.isEmpty && time[name] == nil {
            let own = axis - (rank - shape(name).count)
            guard own < 0 || shape(name)[own] == 1 else {
                throw mixes(node, "\"\(name)\" differs along time")
            }
        }
        return .columns(axis: axis)
    }

    private func reduction(_ node: ONNXGraph.Node) throws(InferenceError) -> TimeFlow {
        let attributes = NodeAttributes(node)
        let axis = try axis(node)
        let rank = rank(node)
        let stated = try attributes.integers("axes", in: -maxRank...maxRank) ?? integers(node, 1) ?? []
        if stated.isEmpty, try attributes.flag("noop_with_empty_axes", default: false) {
            return .columns(axis: axis)
        }
        let axes = stated.map { $0 < 0 ? $0 + rank : $0 }
        if axes.isEmpty || axes.contains(axis) { return .reduces }
        let keeps = try attributes.flag("keepdims", default: true)
        return .columns(axis: keeps ? axis : axis - axes.count { $0 < axis })
    }

    private func window(_ node: ONNXGraph.Node) throws(InferenceError) -> TimeFlow {
        let attributes = NodeAttributes(node)
        let axis = try axis(node)
        let spatial = rank(node) - 2
        let place = axis - 2
        guard place >= 0, place < spatial else { throw mixes(node, "time is not among its spatial axes") }
        let kernel =
            node.operatorType == "Conv"
            ? Array(shape(node.inputs[1])[2...])
            : try attributes.integers("kernel_shape", in: 1...65536, count: spatial) ?? []
        let stride = try attributes.integers("strides", in: 1...4096, count: spatial)?[place] ?? 1
        let dilation = try attributes.integers("dilations", in: 1...4096, count: spatial)?[place] ?? 1
        let pads = try attributes.integers("pads", in: 0...65536, count: 2 * spatial) ?? []
        guard place < kernel.count else { throw mixes(node, "no kernel along time") }
        let columns = (kernel[place] - 1) * dilation + 1
        let isPadded =
            switch try attributes.string("auto_pad", default: "NOTSET") {
            case "NOTSET": pads.isEmpty ? false : pads[place] + pads[spatial + place] > 0
            case "VALID": false
            default: columns > 1
            }
        guard !isPadded else { throw mixes(node, "it pads along time") }
        let ceils = try attributes.flag("ceil_mode", default: false)
        guard stride == 1 || !ceils else {
            throw mixes(node, "it may reach beyond the end of time (ceil_mode)")
        }
        return .windows(TimeWindow(columns: columns, stride: stride, axis: axis), axis: axis)
    }

    private func frames(_ node: ONNXGraph.Node) throws(InferenceError) -> TimeFlow {
        guard try axis(node) == 1, let hop = integers(node, 1)?.first, hop > 0 else {
            throw mixes(node, "the signal is not [N, samples]")
        }
        let taper = node.inputs.count > 2 ? shape(node.inputs[2]).first : nil
        guard let length = integers(node, 3)?.first ?? taper else { throw mixes(node, "no frame length") }
        return .windows(TimeWindow(columns: length, stride: hop, axis: 1), axis: 1)
    }

    private func product(_ node: ONNXGraph.Node) throws(InferenceError) -> TimeFlow {
        let timed = node.inputs.indices.filter { time[node.inputs[$0]] != nil }
        guard timed.count == 1, let index = timed.first, node.inputs.count == 2,
            let axis = time[node.inputs[index]]?.axis, shape(node.inputs[1 - index]).count <= 2
        else { throw mixes(node, "it multiplies columns with columns") }
        let rank = shape(node.inputs[index]).count
        return try untouched(node, axis, [index == 0 ? rank - 1 : rank - 2])
    }

    /// Axes that are joined, split, added or dropped around time: what lies before it must stay as much.
    private func regrouped(_ node: ONNXGraph.Node) throws(InferenceError) -> TimeFlow {
        let from = shape(node.inputs[0])
        let axis = try axis(node)
        let to = outputShape(node)
        let before = from[..<axis].reduce(1, *)
        let found = to.indices.filter { to[$0] == from[axis] && to[..<$0].reduce(1, *) == before }
        guard from[axis] > 1, let place = found.last, place > 0 else {
            throw mixes(node, "\(from) to \(to) does not keep time apart")
        }
        return .columns(axis: place)
    }

    private func transposed(_ node: ONNXGraph.Node) throws(InferenceError) -> TimeFlow {
        let axis = try axis(node)
        let rank = rank(node)
        let order =
            try NodeAttributes(node).integers("perm", in: 0...maxRank, count: rank)
            ?? Array((0..<rank).reversed())
        guard let place = order.firstIndex(of: axis) else { throw mixes(node, "no place for time") }
        return .columns(axis: place)
    }

    private func joined(_ node: ONNXGraph.Node) throws(InferenceError) -> TimeFlow {
        let axes = node.inputs.map { time[$0]?.axis }
        guard let axis = axes.first ?? nil, axes.allSatisfy({ $0 == axis }) else {
            throw mixes(node, "time is not on the same axis of all its inputs")
        }
        return try untouched(node, axis, [listed(node, "axis", default: 0)])
    }

    private func gathered(_ node: ONNXGraph.Node) throws(InferenceError) -> TimeFlow {
        let axis = try axis(node)
        let along = try listed(node, "axis", default: 0)
        guard along != axis, node.inputs.count > 1 else { throw mixes(node, "it picks columns") }
        return .columns(axis: along < axis ? axis - 1 + shape(node.inputs[1]).count : axis)
    }

    private func sliced(_ node: ONNXGraph.Node) throws(InferenceError) -> TimeFlow {
        let axis = try axis(node)
        let rank = rank(node)
        let count = integers(node, 1)?.count ?? 0
        let axes = (integers(node, 3) ?? Array(0..<count)).map { $0 < 0 ? $0 + rank : $0 }
        let size = shape(node.inputs[0])[axis]
        guard !axes.contains(axis) || outputShape(node)[axis] == size else {
            throw mixes(node, "it picks columns")
        }
        // A step of -1 keeps the count but turns time round.
        if let place = axes.firstIndex(of: axis), let steps = integers(node, 4), steps[place] != 1 {
            throw mixes(node, "it picks columns")
        }
        return .columns(axis: axis)
    }

    private func padded(_ node: ONNXGraph.Node) throws(InferenceError) -> TimeFlow {
        let axis = try axis(node)
        let rank = rank(node)
        let pads = integers(node, 1) ?? []
        let axes = (integers(node, 3) ?? Array(0..<(pads.count / 2))).map { $0 < 0 ? $0 + rank : $0 }
        guard let place = axes.firstIndex(of: axis) else { return .columns(axis: axis) }
        guard pads[place] == 0, pads[axes.count + place] == 0 else {
            throw mixes(node, "it pads along time")
        }
        return .columns(axis: axis)
    }
}
