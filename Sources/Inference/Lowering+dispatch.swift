extension Lowering {
    /// Unary operators without parameters.
    static let plainUnary: [String: UnaryOperation] = [
        "Exp": UnaryOperation(kind: .exp), "Log": UnaryOperation(kind: .log),
        "Sqrt": UnaryOperation(kind: .sqrt),
        "Abs": UnaryOperation(kind: .abs), "Neg": UnaryOperation(kind: .negate),
        "Sigmoid": UnaryOperation(kind: .sigmoid), "Tanh": UnaryOperation(kind: .tanh),
        "Erf": UnaryOperation(kind: .erf), "Softplus": UnaryOperation(kind: .softplus),
        "Reciprocal": UnaryOperation(kind: .reciprocal), "Floor": UnaryOperation(kind: .floor),
        "Ceil": UnaryOperation(kind: .ceil), "Round": UnaryOperation(kind: .round),
        "Sign": UnaryOperation(kind: .sign), "Sin": UnaryOperation(kind: .sin),
        "Cos": UnaryOperation(kind: .cos),
        "HardSwish": UnaryOperation(kind: .hardSwish),
        "Relu": UnaryOperation(kind: .clip, a: 0, b: .infinity),
        "Silu": UnaryOperation(kind: .silu),
    ]

    static let binary: [String: BinaryKind] = [
        "Add": .add, "Sub": .subtract, "Mul": .multiply, "Div": .divide, "Pow": .power, "PRelu": .prelu,
        "Max": .max, "Min": .min, "Sum": .add, "Equal": .equal, "Greater": .greater,
        "GreaterOrEqual": .greaterEqual, "Less": .less, "LessOrEqual": .lessEqual, "And": .and, "Or": .or,
    ]

    static let reductions: [String: ReduceKind] = [
        "ReduceSum": .sum, "ReduceMean": .mean, "ReduceMax": .max, "ReduceMin": .min, "ReduceL1": .l1,
        "ReduceL2": .l2, "ReduceSumSquare": .sumSquare, "ReduceProd": .product,
    ]

    mutating func lower(_ node: ONNXGraph.Node) throws(InferenceError) {
        guard node.domain.isEmpty || node.domain == "ai.onnx" || node.domain == GraphRewrite.domain else {
            throw .unsupportedOperator(node: node.identity, domain: node.domain)
        }
        for name in node.inputs where !name.isEmpty && values[name] == nil {
            throw .missingInput(node: node.identity, input: name)
        }
        if try foldInteger(node) { return }
        switch node.operatorType {
        case "Conv": try convolution(node)
        case "Gemm": try gemm(node)
        case "MatMul": try matMul(node)
        case "BatchNormalization": try batchNormalization(node)
        case "MaxPool": try pool(node, average: false)
        case "AveragePool": try pool(node, average: true)
        case "GlobalAveragePool": try globalPool(node, .mean)
        case "GlobalMaxPool": try globalPool(node, .max)
        case "Clip": try clip(node)
        case "LeakyRelu": try parametric(node, .leakyRelu, ["alpha": 0.01])
        case "Elu": try parametric(node, .elu, ["alpha": 1])
        case "HardSigmoid": try parametric(node, .hardSigmoid, ["alpha": 0.2, "beta": 0.5])
        case "Gelu": try gelu(node)
        case "Not": try negation(node)
        case "Softmax": try softmax(node, logarithm: false)
        case "LogSoftmax": try softmax(node, logarithm: true)
        case "Identity": try bind(node, try input(node, 0))
        case "Dropout": try dropout(node)
        case "Cast": try cast(node)
        case "Constant": try constant(node)
        case "Shape": try shapeOf(node)
        case "Size": try bind(node, constantValue(.integers([Int64(try input(node, 0).count)]).reshaped([])))
        case "ConstantOfShape": try constantOfShape(node)
        case "Range": try range(node)
        case "Reshape": try reshape(node)
        case "Flatten": try flatten(node)
        case "Squeeze": try squeeze(node)
        case "Unsqueeze": try unsqueeze(node)
        case "Transpose": try transpose(node)
        case "Concat": try concat(node)
        case "Split": try split(node)
        case "Slice": try slice(node)
        case "Gather": try gather(node)
        case "Pad": try pad(node)
        case "Expand": try expand(node)
        case "Where": try select(node)
        case "STFT": try shortTimeFourier(node)
        default:
            if let operation = Self.plainUnary[node.operatorType] {
                try unary(node, operation)
            } else if let kind = Self.binary[node.operatorType] {
                try binary(node, kind)
            } else if let kind = Self.reductions[node.operatorType] {
                try reduce(node, kind)
            } else {
                throw .unsupportedOperator(node: node.identity, domain: node.domain)
            }
        }
    }

    func constantValue(_ tensor: Tensor) -> Value {
        Value(shape: tensor.shape, order: Array(tensor.shape.indices), source: .constant(tensor))
    }

    /// An axis attribute or input, negative ones counted from the end.
    func axis(_ raw: Int, rank: Int, _ node: ONNXGraph.Node) throws(InferenceError) -> Int {
        let resolved = raw < 0 ? raw + rank : raw
        guard resolved >= 0, resolved < rank else {
            throw .wrongShape(node: node.identity, reason: "axis \(raw) for rank \(rank)")
        }
        return resolved
    }

    func axes(_ raw: [Int], rank: Int, _ node: ONNXGraph.Node) throws(InferenceError) -> [Int] {
        var out: [Int] = []
        for item in raw { out.append(try axis(item, rank: rank, node)) }
        guard Set(out).count == out.count else {
            throw .wrongShape(node: node.identity, reason: "an axis is named twice")
        }
        return out
    }

    /// The shape two shapes broadcast to.
    func broadcast(_ a: [Int], _ b: [Int], _ node: ONNXGraph.Node) throws(InferenceError) -> [Int] {
        let rank = max(a.count, b.count)
        let wideA = Array(repeating: 1, count: rank - a.count) + a
        let wideB = Array(repeating: 1, count: rank - b.count) + b
        var out: [Int] = []
        for i in 0..<rank {
            guard wideA[i] == wideB[i] || wideA[i] == 1 || wideB[i] == 1 else {
                throw .wrongShape(node: node.identity, reason: "shapes \(a) and \(b) do not broadcast")
            }
            out.append(wideA[i] == 1 ? wideB[i] : wideA[i])
        }
        _ = try elementCount(out)
        return out
    }

    /// `value` with leading axes of size one up to `rank`.
    func widened(_ value: Value, to rank: Int) -> Value {
        let lead = rank - value.rank
        guard lead > 0 else { return value }
        var out = value
        out.shape = Array(repeating: 1, count: lead) + value.shape
        out.order = Array(0..<lead) + value.order.map { $0 + lead }
        if case .constant(let tensor) = value.source { out.source = .constant(tensor.reshaped(out.shape)) }
        return out
    }
}
