/// Fusion: what follows a product (convolution or dense layer) becomes part of it.
extension Lowering {
    /// The product that made `value`, if nothing else reads it.
    private func absorbing(_ value: Value) -> (index: Int, buffer: Int, product: Product)? {
        guard case .buffer(let buffer) = value.source, !shared.contains(buffer),
            let index = producers[buffer], case .product(let product)? = steps[index]?.kind
        else { return nil }
        return (index, buffer, product)
    }

    /// A unary operation after a product.
    mutating func absorb(
        _ operation: UnaryOperation, _ node: ONNXGraph.Node, _ value: Value
    ) throws(InferenceError) -> Bool {
        guard let (index, buffer, found) = absorbing(value) else { return false }
        var product = found
        switch operation.kind {
        case .identity: break
        case .clip where !product.epilogue.isClamped && product.epilogue.post.kind == .identity:
            product.epilogue.low = operation.a
            product.epilogue.high = operation.b
        case .affine where product.epilogue.isLinear:
            let factors = [Float](repeating: operation.a, count: product.outChannels)
            let offsets = [Float](repeating: operation.b, count: product.outChannels)
            product.fold(scale: factors, offset: offsets, key: "affine\(operation.a),\(operation.b)")
        case _ where product.epilogue.post.kind == .identity: product.epilogue.post = operation
        default: return false
        }
        steps[index]?.kind = .product(product)
        try bind(node, Value(shape: value.shape, order: value.order, source: .buffer(buffer)))
        return true
    }

    /// Adding or scaling by a constant per channel, or adding another computed value (a residual connection).
    mutating func absorb(
        _ kind: BinaryKind, _ node: ONNXGraph.Node, _ left: Value, _ right: Value
    ) throws(InferenceError) -> Bool {
        if try absorbConstant(kind, node, left, right, isSwapped: false) { return true }
        if try absorbConstant(kind, node, right, left, isSwapped: true) { return true }
        guard kind == .add, left.shape == right.shape, left.constant == nil, right.constant == nil,
            left.source.buffer != right.source.buffer
        else { return false }
        // The later product waits for the other side anyway.
        let candidates = [(left, right), (right, left)]
            .compactMap { own, other in absorbing(own).map { ($0, own, other) } }
            .filter { $0.0.product.epilogue.isLinear }
        guard let (found, own, other) = candidates.max(by: { $0.0.index < $1.0.index }) else { return false }
        var product = found.product
        product.epilogue.residual = try operand(other, order: own.order, node.identity)
        guard var step = steps[found.index] else { return false }
        step.kind = .product(product)
        steps[found.index] = nil
        steps.append(step)
        producers[found.buffer] = steps.count - 1
        try bind(node, Value(shape: own.shape, order: own.order, source: .buffer(found.buffer)))
        return true
    }

    private mutating func absorbConstant(
        _ kind: BinaryKind, _ node: ONNXGraph.Node, _ value: Value, _ other: Value, isSwapped: Bool
    ) throws(InferenceError) -> Bool {
        guard let tensor = other.constant, let floats = tensor.floats, other.rank <= value.rank,
            let (index, buffer, found) = absorbing(value), found.epilogue.isLinear
        else { return false }
        // One value for all, or one along the axis the product's columns run on.
        let axis = value.order.last ?? 0
        let wide = widened(other, to: value.rank).shape
        guard wide.indices.allSatisfy({ wide[$0] == 1 || ($0 == axis && wide[$0] == value.shape[$0]) }),
            value.shape[axis] == found.outChannels
        else { return false }
        let perChannel = floats.count == 1 ? Array(repeating: floats[0], count: found.outChannels) : floats
        let zeros = [Float](repeating: 0, count: found.outChannels)
        let ones = [Float](repeating: 1, count: found.outChannels)
        let key = tensor.identity ?? (floats.count == 1 ? "scalar\(floats[0])" : nil)
        var product = found
        switch kind {
        case .add: product.fold(scale: nil, offset: perChannel, key: "")
        case .subtract where !isSwapped: product.fold(scale: nil, offset: perChannel.map { -$0 }, key: "")
        case .subtract:
            product.fold(scale: ones.map { -$0 }, offset: perChannel, key: "negated")
        case .multiply: product.fold(scale: perChannel, offset: zeros, key: key.map { "mul \($0)" })
        case .divide where !isSwapped && perChannel.allSatisfy { $0 != 0 }:
            product.fold(scale: perChannel.map { 1 / $0 }, offset: zeros, key: key.map { "div \($0)" })
        default: return false
        }
        steps[index]?.kind = .product(product)
        try bind(node, Value(shape: value.shape, order: value.order, source: .buffer(buffer)))
        return true
    }

    mutating func batchNormalization(_ node: ONNXGraph.Node) throws(InferenceError) {
        let attributes = NodeAttributes(node)
        try attributes.allow(["epsilon", "momentum", "training_mode", "spatial"])
        guard try !attributes.flag("training_mode", default: false) else {
            throw attributes.bad("training_mode", "export the model in eval mode")
        }
        let value = try input(node, 0)
        guard value.rank >= 2 else { throw .wrongShape(node: node.identity, reason: "rank \(value.rank)") }
        let channels = value.shape[1]
        var parameters: [[Float]] = []
        for i in 1...4 {
            let tensor = try constantInput(node, i)
            guard let floats = tensor.floats, floats.count == channels else {
                throw .wrongShape(
                    node: node.identity,
                    reason: "input \"\(node.inputs[i])\" has \(tensor.count) values for \(channels) channels")
            }
            parameters.append(floats)
        }
        let epsilon = try attributes.float("epsilon", default: 1e-5)
        var scale: [Float] = []
        var offset: [Float] = []
        for c in 0..<channels {
            let factor = Double(parameters[0][c]) / (Double(parameters[3][c]) + Double(epsilon)).squareRoot()
            scale.append(Float(factor))
            offset.append(Float(Double(parameters[1][c]) - Double(parameters[2][c]) * factor))
        }
        let key = "bn \(node.inputs[1]),\(node.inputs[2]),\(node.inputs[3]),\(node.inputs[4])"
        if value.order.last == 1, let (index, buffer, found) = absorbing(value), found.epilogue.isLinear,
            found.outChannels == channels
        {
            var product = found
            product.fold(scale: scale, offset: offset, key: key)
            steps[index]?.kind = .product(product)
            try bind(node, Value(shape: value.shape, order: value.order, source: .buffer(buffer)))
            return
        }
        let shape = [channels] + Array(repeating: 1, count: value.rank - 2)
        let factor = constantValue(Tensor(shape: shape, storage: .floats(scale), identity: key + "|scale"))
        let shift = constantValue(Tensor(shape: shape, storage: .floats(offset), identity: key + "|offset"))
        let scaled = try combine(.multiply, value, factor, node)
        try bind(node, try combine(.add, scaled, shift, node))
    }
}

extension Value.Source {
    var buffer: Int? {
        if case .buffer(let number) = self { return number }
        return nil
    }
}

extension Product {
    /// Applies y -> scale * y + offset per output channel. `key` names the scale's content for the weight store;
    /// nil keeps the weights out of it.
    mutating func fold(scale: [Float]?, offset: [Float], key: String?) {
        var bias = epilogue.bias ?? [Float](repeating: 0, count: outChannels)
        if let scale {
            for c in 0..<outChannels { bias[c] *= scale[c] }
            if let old = weights.scale {
                weights.scale = zip(old, scale).map { $0 * $1 }
            } else {
                weights.scale = scale
            }
            if let key, let identity = weights.identity {
                weights.identity = "\(identity)|\(key)"
            } else {
                weights.identity = nil
            }
        }
        for c in 0..<outChannels { bias[c] += offset[c] }
        epilogue.bias = bias
    }
}
