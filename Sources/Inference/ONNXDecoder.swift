/// Decodes the protobuf messages of an ONNX file that an executor needs; other fields are skipped.
///
/// Source: onnx/onnx.proto. Nothing is allocated by a declared size alone: every list grows as bytes are read.
struct ONNXDecoder {
    let bytes: [UInt8]
    let limits: InferenceLimits
    private var valueCount = 0

    init(_ bytes: [UInt8], limits: InferenceLimits) {
        self.bytes = bytes
        self.limits = limits
    }

    mutating func model() throws(InferenceError) -> ONNXGraph {
        guard bytes.count <= limits.maxFileBytes else {
            throw .overLimit(limit: "maxFileBytes", allowed: limits.maxFileBytes, got: bytes.count)
        }
        var graph = ONNXGraph()
        var graphRange: Range<Int>?
        var irVersion: Int64 = 0
        var cursor = ProtobufCursor(bytes, 0..<bytes.count, message: "ModelProto")
        while let field = try cursor.next() {
            switch field.number {
            case 1: irVersion = try cursor.integer(field.value, "ir_version")
            case 2: graph.producer = try cursor.string(field.value, "producer_name", limits: limits)
            case 7: graphRange = try cursor.bytes(field.value, "graph")
            case 8:
                let (domain, version) = try operatorSet(try cursor.bytes(field.value, "opset_import"))
                if domain.isEmpty || domain == "ai.onnx" { graph.opset = version }
            case 14: try metadata(try cursor.bytes(field.value, "metadata_props"), into: &graph)
            default: break
            }
        }
        guard irVersion >= 3, let graphRange else {
            throw .damagedFile(field: "ModelProto", offset: 0, reason: "no graph: not an ONNX file")
        }
        guard (13...24).contains(graph.opset) else {
            throw .unsupportedModel(reason: "operator set \(graph.opset); 13 to 24 are supported")
        }
        try self.graph(graphRange, into: &graph)
        return graph
    }

    private func operatorSet(_ range: Range<Int>) throws(InferenceError) -> (String, Int64) {
        var domain = ""
        var version: Int64 = 0
        var cursor = ProtobufCursor(bytes, range, message: "OperatorSetIdProto")
        while let field = try cursor.next() {
            switch field.number {
            case 1: domain = try cursor.string(field.value, "domain", limits: limits)
            case 2: version = try cursor.integer(field.value, "version")
            default: break
            }
        }
        return (domain, version)
    }

    private mutating func metadata(_ range: Range<Int>, into graph: inout ONNXGraph) throws(InferenceError) {
        var key = ""
        var value = ""
        // Metadata values carry label lists and the like; they may be longer than names.
        var wide = limits
        wide.maxNameBytes = 1 << 20
        var cursor = ProtobufCursor(bytes, range, message: "metadata_props")
        while let field = try cursor.next() {
            switch field.number {
            case 1: key = try cursor.string(field.value, "key", limits: limits)
            case 2: value = try cursor.string(field.value, "value", limits: wide)
            default: break
            }
        }
        try countValue()
        graph.metadata[key] = value
    }

    private mutating func countValue() throws(InferenceError) {
        valueCount += 1
        guard valueCount <= limits.maxValues else {
            throw .overLimit(limit: "maxValues", allowed: limits.maxValues, got: valueCount)
        }
    }

    private mutating func graph(_ range: Range<Int>, into graph: inout ONNXGraph) throws(InferenceError) {
        var cursor = ProtobufCursor(bytes, range, message: "GraphProto")
        while let field = try cursor.next() {
            switch field.number {
            case 1:
                guard graph.nodes.count < limits.maxNodes else {
                    throw .overLimit(limit: "maxNodes", allowed: limits.maxNodes, got: graph.nodes.count + 1)
                }
                graph.nodes.append(try node(try cursor.bytes(field.value, "node")))
            case 5:
                try countValue()
                let (name, tensor) = try ONNXTensorDecoder(bytes, limits: limits)
                    .tensor(try cursor.bytes(field.value, "initializer"), owner: nil)
                guard graph.initializers[name] == nil else {
                    throw .invalidGraph(reason: "initializer \"\(name)\" is defined twice")
                }
                graph.initializers[name] = tensor
            case 11:
                try countValue()
                graph.inputs.append(try valueInfo(try cursor.bytes(field.value, "input")))
            case 12:
                try countValue()
                graph.outputs.append(try valueInfo(try cursor.bytes(field.value, "output")))
            case 15: throw .unsupportedModel(reason: "sparse initializers")
            default: break
            }
        }
    }

    private func node(_ range: Range<Int>) throws(InferenceError) -> ONNXGraph.Node {
        var node = ONNXGraph.Node(
            name: "", operatorType: "", domain: "", inputs: [], outputs: [], attributes: [:])
        var attributes: [Range<Int>] = []
        var cursor = ProtobufCursor(bytes, range, message: "NodeProto")
        while let field = try cursor.next() {
            switch field.number {
            case 1: node.inputs.append(try cursor.string(field.value, "input", limits: limits))
            case 2: node.outputs.append(try cursor.string(field.value, "output", limits: limits))
            case 3: node.name = try cursor.string(field.value, "name", limits: limits)
            case 4: node.operatorType = try cursor.string(field.value, "op_type", limits: limits)
            case 5: attributes.append(try cursor.bytes(field.value, "attribute"))
            case 7: node.domain = try cursor.string(field.value, "domain", limits: limits)
            default: break
            }
        }
        for range in attributes {
            let (name, value) = try attribute(range, owner: node.identity)
            node.attributes[name] = value
        }
        return node
    }

    private func attribute(
        _ range: Range<Int>, owner: NodeIdentity
    ) throws(InferenceError) -> (String, ONNXGraph.Attribute) {
        var name = ""
        var kind: Int64 = 0
        var float: Float = 0
        var integer: Int64 = 0
        var string = ""
        var tensor: Tensor?
        var floats: [Float] = []
        var integers: [Int64] = []
        var strings: [String] = []
        var cursor = ProtobufCursor(bytes, range, message: "AttributeProto")
        while let field = try cursor.next() {
            switch field.number {
            case 1: name = try cursor.string(field.value, "name", limits: limits)
            case 2: float = try cursor.float(field.value, "f")
            case 3: integer = try cursor.integer(field.value, "i")
            case 4: string = try cursor.string(field.value, "s", limits: limits)
            case 5:
                (_, tensor) = try ONNXTensorDecoder(bytes, limits: limits)
                    .tensor(try cursor.bytes(field.value, "t"), owner: owner)
            case 7: try cursor.floats(field.value, "floats", into: &floats)
            case 8: try cursor.integers(field.value, "ints", into: &integers)
            case 9: strings.append(try cursor.string(field.value, "strings", limits: limits))
            case 20: kind = try cursor.integer(field.value, "type")
            default: break
            }
        }
        let value: ONNXGraph.Attribute
        switch kind {
        case 1: value = .float(float)
        case 2: value = .integer(integer)
        case 3: value = .string(string)
        case 4:
            guard let tensor else {
                throw .damagedFile(
                    field: "AttributeProto.t", offset: range.lowerBound,
                    reason: "tensor attribute without tensor")
            }
            value = .tensor(tensor)
        case 6: value = .floats(floats)
        case 7: value = .integers(integers)
        case 8: value = .strings(strings)
        default: value = .other
        }
        return (name, value)
    }

    private func valueInfo(_ range: Range<Int>) throws(InferenceError) -> ONNXGraph.ValueInfo {
        var info = ONNXGraph.ValueInfo(name: "", elementType: 0, dimensions: nil)
        var cursor = ProtobufCursor(bytes, range, message: "ValueInfoProto")
        while let field = try cursor.next() {
            switch field.number {
            case 1: info.name = try cursor.string(field.value, "name", limits: limits)
            case 2:
                var type = ProtobufCursor(bytes, try cursor.bytes(field.value, "type"), message: "TypeProto")
                while let inner = try type.next() {
                    guard inner.number == 1 else { continue }
                    try tensorType(try type.bytes(inner.value, "tensor_type"), into: &info)
                }
            default: break
            }
        }
        return info
    }

    private func tensorType(
        _ range: Range<Int>, into info: inout ONNXGraph.ValueInfo
    ) throws(InferenceError) {
        var cursor = ProtobufCursor(bytes, range, message: "TypeProto.Tensor")
        while let field = try cursor.next() {
            switch field.number {
            case 1: info.elementType = try cursor.integer(field.value, "elem_type")
            case 2:
                var dimensions: [ONNXGraph.Dimension] = []
                var shape = ProtobufCursor(
                    bytes, try cursor.bytes(field.value, "shape"), message: "TensorShapeProto")
                while let inner = try shape.next() {
                    guard inner.number == 1 else { continue }
                    guard dimensions.count < maxRank else {
                        throw .overLimit(limit: "maxRank", allowed: maxRank, got: dimensions.count + 1)
                    }
                    dimensions.append(try dimension(try shape.bytes(inner.value, "dim")))
                }
                info.dimensions = dimensions
            default: break
            }
        }
    }

    private func dimension(_ range: Range<Int>) throws(InferenceError) -> ONNXGraph.Dimension {
        var result = ONNXGraph.Dimension.symbol("")
        var cursor = ProtobufCursor(bytes, range, message: "Dimension")
        while let field = try cursor.next() {
            switch field.number {
            case 1:
                let value = try cursor.integer(field.value, "dim_value")
                guard value >= 0, value <= Int64(limits.maxTensorElements) else {
                    throw .overLimit(
                        limit: "maxTensorElements", allowed: limits.maxTensorElements,
                        got: Int(clamping: value))
                }
                result = .fixed(Int(value))
            case 2: result = .symbol(try cursor.string(field.value, "dim_param", limits: limits))
            default: break
            }
        }
        return result
    }
}

/// Highest rank of a tensor. Seven is the most a batched grouped layout needs; the kernels take eight.
let maxRank = 8
