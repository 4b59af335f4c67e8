/// Decodes a `TensorProto`: float, double (narrowed to float), int32, int64 and bool, raw or typed.
struct ONNXTensorDecoder {
    let bytes: [UInt8]
    let limits: InferenceLimits

    init(_ bytes: [UInt8], limits: InferenceLimits) {
        self.bytes = bytes
        self.limits = limits
    }

    /// `owner` is the node whose attribute this is; nil for an initializer, whose name makes its identity.
    func tensor(_ range: Range<Int>, owner: NodeIdentity?) throws(InferenceError) -> (String, Tensor) {
        var name = ""
        var dims: [Int64] = []
        var type: Int64 = 0
        var raw: Range<Int>?
        var floats: [Float] = []
        var integers: [Int64] = []
        var doubles: [Float] = []
        var external = false
        var cursor = ProtobufCursor(bytes, range, message: "TensorProto")
        while let field = try cursor.next() {
            switch field.number {
            case 1: try cursor.integers(field.value, "dims", into: &dims)
            case 2: type = try cursor.integer(field.value, "data_type")
            case 3: throw .unsupportedModel(reason: "segmented tensor \"\(name)\"")
            case 4: try cursor.floats(field.value, "float_data", into: &floats)
            case 5: try cursor.integers(field.value, "int32_data", into: &integers)
            case 7: try cursor.integers(field.value, "int64_data", into: &integers)
            case 8: name = try cursor.string(field.value, "name", limits: limits)
            case 9: raw = try cursor.bytes(field.value, "raw_data")
            case 10:
                let packed = try cursor.bytes(field.value, "double_data")
                guard packed.count % 8 == 0 else {
                    throw cursor.damaged("double_data is not a list of doubles")
                }
                doubles += LittleEndian.doubles(bytes, packed)
            case 13: external = true
            case 14: external = try cursor.integer(field.value, "data_location") == 1 || external
            default: break
            }
        }
        let label = name.isEmpty ? owner?.description ?? "?" : name
        guard !external else {
            throw .unsupportedModel(
                reason: "tensor \"\(label)\" keeps its data in another file; export with the weights inside")
        }
        guard dims.count <= maxRank else {
            throw .overLimit(limit: "maxRank", allowed: maxRank, got: dims.count)
        }
        var count = 1
        for dim in dims {
            guard dim >= 0 else {
                throw .damagedFile(
                    field: "TensorProto.dims", offset: range.lowerBound,
                    reason: "\"\(label)\" has dimension \(dim)")
            }
            let (product, overflow) = count.multipliedReportingOverflow(by: Int(clamping: dim))
            guard !overflow, product <= limits.maxTensorElements else {
                throw .overLimit(
                    limit: "maxTensorElements", allowed: limits.maxTensorElements,
                    got: overflow ? .max : product)
            }
            count = product
        }
        let storage = try storage(
            type, count: count, raw: raw, label: label, floats, integers, doubles, range)
        let shape = dims.map { Int($0) }
        let identity = owner == nil ? name : nil
        return (name, Tensor(shape: shape, storage: storage, identity: identity))
    }

    private func storage(
        _ type: Int64, count: Int, raw: Range<Int>?, label: String, _ floats: [Float], _ integers: [Int64],
        _ doubles: [Float], _ range: Range<Int>
    ) throws(InferenceError) -> Tensor.Storage {
        let size: Int
        switch type {
        case 1, 6: size = 4
        case 7, 11: size = 8
        case 9: size = 1
        default:
            throw .unsupportedModel(
                reason:
                    "tensor \"\(label)\" has element type \(type); float, double, int32, int64 and bool are read"
            )
        }
        let got =
            if let raw { raw.count / size } else {
                type == 1 ? floats.count : type == 11 ? doubles.count : integers.count
            }
        guard got == count, raw.map({ $0.count % size == 0 }) ?? true else {
            throw .damagedFile(
                field: "TensorProto", offset: range.lowerBound,
                reason: "\"\(label)\" has \(got) elements of data for a shape of \(count)")
        }
        switch type {
        case 1: return .floats(raw.map { LittleEndian.floats(bytes, $0) } ?? floats)
        case 11: return .floats(raw.map { LittleEndian.doubles(bytes, $0) } ?? doubles)
        case 7: return .integers(raw.map { LittleEndian.int64s(bytes, $0) } ?? integers)
        case 6: return .integers(raw.map { LittleEndian.int32s(bytes, $0) } ?? integers)
        default: return .booleans(raw.map { bytes[$0].map { $0 != 0 } } ?? integers.map { $0 != 0 })
        }
    }
}
