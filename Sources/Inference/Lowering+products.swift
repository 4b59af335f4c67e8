extension Lowering {
    // MARK: Windows

    /// Reads kernel, strides, dilations and padding of a node over an image of `spatial` size; one-dimensional
    /// windows become two-dimensional ones of height one.
    func window(
        _ node: ONNXGraph.Node, _ shape: [Int], kernel: [Int], ceiling: Bool
    ) throws(InferenceError) -> Window {
        let attributes = NodeAttributes(node)
        let spatial = Array(shape[2...])
        let axes = spatial.count
        let strides =
            try attributes.integers("strides", in: 1...4096, count: axes) ?? Array(repeating: 1, count: axes)
        let dilations =
            try attributes.integers("dilations", in: 1...4096, count: axes)
            ?? Array(repeating: 1, count: axes)
        var pads =
            try attributes.integers("pads", in: 0...65536, count: 2 * axes)
            ?? Array(repeating: 0, count: 2 * axes)
        let auto = try attributes.string("auto_pad", default: "NOTSET")
        var out: [Int] = []
        for i in 0..<axes {
            let reach = (kernel[i] - 1) * dilations[i] + 1
            switch auto {
            case "NOTSET": break
            case "VALID":
                pads[i] = 0
                pads[axes + i] = 0
            case "SAME_UPPER", "SAME_LOWER":
                let steps = (spatial[i] + strides[i] - 1) / strides[i]
                let total = max((steps - 1) * strides[i] + reach - spatial[i], 0)
                pads[i] = auto == "SAME_UPPER" ? total / 2 : total - total / 2
                pads[axes + i] = total - pads[i]
            default: throw attributes.bad("auto_pad", auto)
            }
            let padded = spatial[i] + pads[i] + pads[axes + i]
            guard padded >= reach else {
                throw .wrongShape(
                    node: node.identity, reason: "a window of \(reach) over \(spatial[i]) padded to \(padded)"
                )
            }
            var count = (padded - reach) / strides[i] + 1
            if ceiling, (padded - reach) % strides[i] != 0, count * strides[i] < spatial[i] + pads[i] {
                count += 1
            }
            out.append(count)
        }
        let one = axes == 1
        return Window(
            images: shape[0], height: one ? 1 : spatial[0], width: spatial[axes - 1], channels: shape[1],
            outHeight: one ? 1 : out[0], outWidth: out[axes - 1],
            kernelHeight: one ? 1 : kernel[0], kernelWidth: kernel[axes - 1],
            strideHeight: one ? 1 : strides[0], strideWidth: strides[axes - 1],
            dilationHeight: one ? 1 : dilations[0], dilationWidth: dilations[axes - 1],
            padTop: one ? 0 : pads[0], padLeft: pads[axes - 1], padBottom: one ? 0 : pads[axes],
            padRight: pads[2 * axes - 1])
    }

    func imageShape(_ window: Window, channels: Int, rank: Int) -> [Int] {
        rank == 3
            ? [window.images, channels, window.outWidth]
            : [window.images, channels, window.outHeight, window.outWidth]
    }

    // MARK: Convolution

    mutating func convolution(_ node: ONNXGraph.Node) throws(InferenceError) {
        let attributes = NodeAttributes(node)
        try attributes.allow(["auto_pad", "dilations", "group", "kernel_shape", "pads", "strides"])
        let value = try input(node, 0)
        let weights = try constantInput(node, 1)
        let groups = try attributes.integer("group", default: 1, in: 1...65536)
        guard value.rank == 3 || value.rank == 4, weights.shape.count == value.rank else {
            throw .wrongShape(
                node: node.identity,
                reason: "input rank \(value.rank), weights rank \(weights.shape.count); 3 or 4 are supported")
        }
        let outChannels = weights.shape[0]
        guard value.shape[1] == weights.shape[1] * groups, outChannels > 0, outChannels % groups == 0,
            weights.count > 0, weights.floats != nil
        else {
            throw .wrongShape(
                node: node.identity,
                reason: "input \(value.shape) and weights \(weights.shape) in \(groups) groups do not fit")
        }
        let kernel = Array(weights.shape[2...])
        guard kernel.allSatisfy({ $0 <= 65536 }) else {
            throw .wrongShape(node: node.identity, reason: "kernel \(kernel)")
        }
        if let stated = try attributes.integers("kernel_shape", in: 1...65536), stated != kernel {
            throw attributes.bad("kernel_shape", "\(stated) but the weights are \(weights.shape)")
        }
        let window = try window(node, value.shape, kernel: kernel, ceiling: false)
        var product = Product(
            node: node.identity, window: window, groups: groups, outChannels: outChannels,
            weights: WeightRecipe(base: weights, identity: weights.identity))
        product.epilogue.bias = try bias(node, 2, count: outChannels)
        let order = channelsLast(value.rank)
        let source = try operand(value, order: order, node.identity)
        let shape = imageShape(window, channels: outChannels, rank: value.rank)
        try emitProduct(product, source, shape: shape, order: order, node)
    }

    private func bias(_ node: ONNXGraph.Node, _ index: Int, count: Int) throws(InferenceError) -> [Float]? {
        guard let tensor = try optionalConstant(node, index) else { return nil }
        guard let floats = tensor.floats, floats.count == count else {
            throw .wrongShape(node: node.identity, reason: "bias of \(tensor.count) for \(count) channels")
        }
        return floats
    }

    mutating func emitProduct(
        _ product: Product, _ source: Operand, shape: [Int], order: [Int], _ node: ONNXGraph.Node
    ) throws(InferenceError) {
        let (perRow, overflow) = product.window.rows.multipliedReportingOverflow(by: product.outChannels)
        let depth =
            product.window.channels / product.groups * product.window.kernelHeight
            * product.window.kernelWidth
        let (work, overflow2) = perRow.multipliedReportingOverflow(by: depth)
        guard !overflow, !overflow2, work <= limits.maxMultiplyAdds - multiplyAdds else {
            throw .overLimit(limit: "maxMultiplyAdds", allowed: limits.maxMultiplyAdds, got: .max)
        }
        multiplyAdds += work
        let out = try newBuffer(for: shape)
        emit(.product(product), [source], output: out)
        try bind(node, Value(shape: shape, order: order, source: .buffer(out)))
    }

    mutating func pool(_ node: ONNXGraph.Node, average: Bool) throws(InferenceError) {
        let attributes = NodeAttributes(node)
        try attributes.allow([
            "auto_pad", "ceil_mode", "dilations", "kernel_shape", "pads", "strides", "storage_order",
            "count_include_pad",
        ])
        let value = try input(node, 0)
        guard value.rank == 3 || value.rank == 4 else {
            throw .wrongShape(node: node.identity, reason: "rank \(value.rank); 3 or 4 are supported")
        }
        guard node.outputs.count < 2 || uses[node.outputs[1], default: 0] == 0 else {
            throw .unsupportedAttribute(node: node.identity, attribute: "Indices", reason: "not made")
        }
        guard let kernel = try attributes.integers("kernel_shape", in: 1...65536, count: value.rank - 2)
        else {
            throw attributes.bad("kernel_shape", "missing")
        }
        let ceiling = try attributes.flag("ceil_mode", default: false)
        let window = try window(node, value.shape, kernel: kernel, ceiling: ceiling)
        let order = channelsLast(value.rank)
        let source = try operand(value, order: order, node.identity)
        let shape = imageShape(window, channels: window.channels, rank: value.rank)
        let out = try newBuffer(for: shape)
        if average {
            let include = try attributes.flag("count_include_pad", default: false)
            emit(.averagePool(window, includePadding: include), [source], output: out)
        } else {
            emit(.maxPool(window), [source], output: out)
        }
        try bind(node, Value(shape: shape, order: order, source: .buffer(out)))
    }

    // MARK: Matrices

    mutating func gemm(_ node: ONNXGraph.Node) throws(InferenceError) {
        let attributes = NodeAttributes(node)
        try attributes.allow(["alpha", "beta", "transA", "transB"])
        let alpha = try attributes.float("alpha", default: 1)
        let beta = try attributes.float("beta", default: 1)
        var a = try input(node, 0)
        var b = try input(node, 1)
        guard a.rank == 2, b.rank == 2 else {
            throw .wrongShape(
                node: node.identity, reason: "ranks \(a.rank) and \(b.rank); 2 and 2 are needed")
        }
        if try attributes.flag("transA", default: false) { a = transposed(a, [1, 0]) }
        let transB = try attributes.flag("transB", default: false)
        guard let weights = b.constant, a.constant == nil else {
            if transB { b = transposed(b, [1, 0]) }
            var result = try matrixProduct(a, b, node)
            if alpha != 1 {
                result = try combine(.multiply, result, scalarValue(alpha), node)
            }
            if var c = try optionalInput(node, 2) {
                if beta != 1 { c = try combine(.multiply, c, scalarValue(beta), node) }
                result = try combine(.add, result, c, node)
            }
            try bind(node, result)
            return
        }
        let depth = transB ? b.shape[1] : b.shape[0]
        let columns = transB ? b.shape[0] : b.shape[1]
        guard a.shape[1] == depth, depth > 0, columns > 0, weights.floats != nil else {
            throw .wrongShape(node: node.identity, reason: "matrices \(a.shape) and \(b.shape) do not fit")
        }
        var product = dense(node, rows: a.shape[0], depth, columns, weights, isTransposed: !transB)
        if alpha != 1 {
            product.weights.scale = Array(repeating: alpha, count: columns)
            product.weights.identity = product.weights.identity.map { "\($0)|alpha\(alpha)" }
        }
        let source = try operand(a, order: [0, 1], node.identity)
        if let c = try optionalInput(node, 2) {
            guard let tensor = c.constant, let floats = tensor.floats,
                floats.count == 1 || (floats.count == columns && c.shape.last == columns)
            else { throw .notConstant(node: node.identity, input: node.inputs[2]) }
            product.epilogue.bias = (0..<columns).map { beta * (floats.count == 1 ? floats[0] : floats[$0]) }
        }
        try emitProduct(product, source, shape: [a.shape[0], columns], order: [0, 1], node)
    }

    func scalarValue(_ number: Float) -> Value {
        constantValue(Tensor(shape: [], storage: .floats([number]), identity: nil))
    }

    private func dense(
        _ node: ONNXGraph.Node, rows: Int, _ depth: Int, _ columns: Int, _ weights: Tensor, isTransposed: Bool
    ) -> Product {
        let window = Window(images: 1, height: 1, width: rows, channels: depth, outHeight: 1, outWidth: rows)
        let suffix = isTransposed ? "|in-out" : ""
        return Product(
            node: node.identity, window: window, groups: 1, outChannels: columns,
            weights: WeightRecipe(
                base: weights, isTransposed: isTransposed, identity: weights.identity.map { $0 + suffix }))
    }

    mutating func matMul(_ node: ONNXGraph.Node) throws(InferenceError) {
        try NodeAttributes(node).allow([])
        let a = try input(node, 0)
        let b = try input(node, 1)
        guard a.rank >= 1, b.rank >= 1 else { throw .wrongShape(node: node.identity, reason: "a scalar") }
        if let weights = b.constant, b.rank == 2, a.constant == nil {
            try matMul(node, rows: a, depthAxis: a.rank - 1, weights, isTransposed: true)
        } else if let weights = a.constant, a.rank == 2, b.rank >= 2, b.constant == nil {
            try matMul(node, rows: b, depthAxis: b.rank - 2, weights, isTransposed: false)
        } else {
            try bind(node, try matrixProduct(a, b, node))
        }
    }

    /// A product with a constant matrix: every row along `depthAxis` is multiplied. With the constant on the left,
    /// (W X) is computed as (X^T W^T)^T, which costs nothing when X already lies transposed.
    private mutating func matMul(
        _ node: ONNXGraph.Node, rows value: Value, depthAxis: Int, _ weights: Tensor, isTransposed: Bool
    ) throws(InferenceError) {
        let depth = isTransposed ? weights.shape[0] : weights.shape[1]
        let columns = isTransposed ? weights.shape[1] : weights.shape[0]
        guard value.shape[depthAxis] == depth, depth > 0, columns > 0, weights.floats != nil, value.count > 0
        else {
            throw .wrongShape(
                node: node.identity, reason: "matrices \(value.shape) and \(weights.shape) do not fit")
        }
        var order = value.order
        order.removeAll { $0 == depthAxis }
        order.append(depthAxis)
        if !value.isStored(in: order) { order = (0..<value.rank).filter { $0 != depthAxis } + [depthAxis] }
        let source = try operand(value, order: order, node.identity)
        var shape = value.shape
        shape[depthAxis] = columns
        let product = dense(
            node, rows: value.count / depth, depth, columns, weights, isTransposed: isTransposed)
        try emitProduct(product, source, shape: shape, order: order, node)
    }

    /// A product of two computed (or batched constant) matrices with broadcasting of the leading axes.
    private mutating func matrixProduct(
        _ left: Value, _ right: Value, _ node: ONNXGraph.Node
    ) throws(InferenceError) -> Value {
        var a = left
        var b = right
        if a.rank == 1 { a = widened(a, to: 2) }
        if b.rank == 1 {
            b = Value(shape: [b.shape[0], 1], order: [0, 1], source: b.source)
            if case .constant(let tensor) = right.source { b.source = .constant(tensor.reshaped(b.shape)) }
        }
        let (m, k, n) = (a.shape[a.rank - 2], a.shape[a.rank - 1], b.shape[b.rank - 1])
        guard b.shape[b.rank - 2] == k, m * n * k > 0 else {
            throw .wrongShape(
                node: node.identity, reason: "matrices \(left.shape) and \(right.shape) do not fit")
        }
        let lead = try broadcast(Array(a.shape.dropLast(2)), Array(b.shape.dropLast(2)), node)
        let pairs = lead.reduce(1, *)
        let (work, overflow) = (m * n).multipliedReportingOverflow(by: k)
        let (total, overflow2) = work.multipliedReportingOverflow(by: pairs)
        guard !overflow, !overflow2, total <= limits.maxMultiplyAdds - multiplyAdds else {
            throw .overLimit(limit: "maxMultiplyAdds", allowed: limits.maxMultiplyAdds, got: .max)
        }
        multiplyAdds += total
        var offsets: [[Int]] = []
        for value in [a, b] {
            let own = Array(widened(value, to: lead.count + 2).shape.dropLast(2))
            let strides = denseStrides(own + Array(value.shape.suffix(2)))
            offsets.append(
                stridedIndices(shape: lead, strides: lead.indices.map { own[$0] == 1 ? 0 : strides[$0] }))
        }
        let operands = [
            try operand(a, order: Array(0..<a.rank), node.identity),
            try operand(b, order: Array(0..<b.rank), node.identity),
        ]
        var shape = lead + [m, n]
        let out = try newBuffer(for: shape)
        emit(
            .matrixProduct(
                MatrixProduct(m: m, n: n, k: k, leftOffsets: offsets[0], rightOffsets: offsets[1])), operands,
            output: out)
        if left.rank == 1 { shape.remove(at: shape.count - 2) }
        if right.rank == 1 { shape.removeLast() }
        return Value(shape: shape, order: Array(shape.indices), source: .buffer(out))
    }

    // MARK: Spectrum

    /// STFT of real frames: a real FFT when the length is a power of two and the spectrum one-sided, else the
    /// transform's matrix as a convolution over the samples.
    mutating func shortTimeFourier(_ node: ONNXGraph.Node) throws(InferenceError) {
        let attributes = NodeAttributes(node)
        try attributes.allow(node.domain == GraphRewrite.domain ? ["onesided", "spectrum"] : ["onesided"])
        let spectrum: SpectrumKind
        switch try attributes.string("spectrum", default: "complex") {
        case "complex": spectrum = .complex
        case "power": spectrum = .power
        case "magnitude": spectrum = .magnitude
        case let other: throw attributes.bad("spectrum", other)
        }
        let oneSided = try attributes.flag("onesided", default: true)
        let signal = try input(node, 0)
        guard signal.rank == 2 || (signal.rank == 3 && signal.shape[2] == 1) else {
            throw .wrongShape(
                node: node.identity, reason: "signal \(signal.shape); [N, samples] or [N, samples, 1]")
        }
        let window = try optionalConstant(node, 2)
        let stated = try optionalIntegers(node, 3)?.first
        guard let hop = try optionalIntegers(node, 1)?.first, hop > 0,
            let length = stated ?? window?.count, length > 0
        else { throw .wrongShape(node: node.identity, reason: "frame step and frame length must be above 0") }
        let (images, samples) = (signal.shape[0], signal.shape[1])
        guard length <= samples, hop <= samples, length <= 1 << 16 else {
            throw .wrongShape(
                node: node.identity, reason: "frames of \(length) by \(hop) from \(samples) samples")
        }
        let shape =
            window
            ?? Tensor(
                shape: [length], storage: .floats(Array(repeating: 1, count: length)),
                identity: "ones\(length)")
        guard let taper = shape.floats, taper.count == length else {
            throw .wrongShape(
                node: node.identity, reason: "a window of \(shape.count) for frames of \(length)")
        }
        let frames = (samples - length) / hop + 1
        let bins = oneSided ? length / 2 + 1 : length
        let source = try operand(signal, order: Array(0..<signal.rank), node.identity)
        let complex = [images, frames, bins, 2]
        let result = spectrum == .complex ? complex : [images, frames, bins]
        if oneSided, length >= 4, length & (length - 1) == 0 {
            let tapered = addConstant(taper, key: shape.identity)
            let out = try newBuffer(for: result)
            let framing = FourierFrames(
                batch: images, samples: samples, frames: frames, hop: hop, length: length, bins: bins,
                spectrum: spectrum)
            emit(.stft(framing), [source, tapered], output: out)
            try bind(node, Value(shape: result, order: Array(result.indices), source: .buffer(out)))
            return
        }
        _ = try elementCount([2 * bins, length])
        let matrix = Tensor(
            shape: [2 * bins, 1, length], storage: .floats(fourierMatrix(taper, bins: bins)),
            identity: shape.identity.map { "dft \(bins) \($0)" })
        let geometry = Window(
            images: images, height: 1, width: samples, channels: 1, outHeight: 1, outWidth: frames,
            kernelWidth: length, strideWidth: hop)
        let product = Product(
            node: node.identity, window: geometry, groups: 1, outChannels: 2 * bins,
            weights: WeightRecipe(base: matrix, identity: matrix.identity))
        try emitProduct(product, source, shape: complex, order: [0, 1, 2, 3], node)
        guard spectrum != .complex, let pairs = values[node.outputs.first ?? ""]?.source.buffer else {
            return
        }
        let out = try newBuffer(for: result)
        let kind = spectrum == .power ? ReduceKind.sumSquare : .l2
        emit(.reduce(kind, outer: images * frames * bins, axis: 2, inner: 1), [.buffer(pairs)], output: out)
        try bind(node, Value(shape: result, order: Array(result.indices), source: .buffer(out)))
    }
}
