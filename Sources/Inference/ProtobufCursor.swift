/// A bounded reader of protobuf wire format over part of a byte array.
///
/// Source: https://protobuf.dev/programming-guides/encoding/. Groups (wire types 3 and 4) are refused: ONNX has none.
struct ProtobufCursor {
    enum Value {
        case varint(UInt64)
        case fixed64(UInt64)
        case fixed32(UInt32)
        /// Bounds inside the array the cursor reads.
        case bytes(Range<Int>)
    }

    struct Field {
        let number: UInt64
        let value: Value
    }

    let bytes: [UInt8]
    private(set) var offset: Int
    let end: Int
    /// What is being read, for errors.
    let message: String

    init(_ bytes: [UInt8], _ range: Range<Int>, message: String) {
        self.bytes = bytes
        self.offset = range.lowerBound
        self.end = range.upperBound
        self.message = message
    }

    /// The next field, or nil at the end of the message.
    mutating func next() throws(InferenceError) -> Field? {
        guard offset < end else { return nil }
        let key = try varint()
        let number = key >> 3
        guard number > 0 else { throw damaged("field number 0") }
        switch key & 7 {
        case 0: return Field(number: number, value: .varint(try varint()))
        case 1: return Field(number: number, value: .fixed64(try fixed(8)))
        case 2:
            let length = try varint()
            guard length <= UInt64(end - offset) else { throw damaged("length \(length) passes the end") }
            let range = offset..<(offset + Int(length))
            offset = range.upperBound
            return Field(number: number, value: .bytes(range))
        case 5: return Field(number: number, value: .fixed32(UInt32(truncatingIfNeeded: try fixed(4))))
        case let wire: throw damaged("wire type \(wire)")
        }
    }

    /// Reads one varint; used for packed lists too.
    mutating func varint() throws(InferenceError) -> UInt64 {
        var value: UInt64 = 0
        var shift: UInt64 = 0
        while offset < end {
            let byte = bytes[offset]
            offset += 1
            guard shift < 63 || byte <= 1 else { throw damaged("varint above 64 bits") }
            value |= UInt64(byte & 0x7f) << shift
            if byte < 0x80 { return value }
            shift += 7
        }
        throw damaged("ends inside a varint")
    }

    private mutating func fixed(_ count: Int) throws(InferenceError) -> UInt64 {
        guard end - offset >= count else { throw damaged("ends inside a fixed number") }
        var value: UInt64 = 0
        for i in 0..<count { value |= UInt64(bytes[offset + i]) << UInt64(8 * i) }
        offset += count
        return value
    }

    func damaged(_ reason: String) -> InferenceError {
        .damagedFile(field: message, offset: offset, reason: reason)
    }
}

extension ProtobufCursor {
    /// A field of string type.
    func string(_ value: Value, _ name: String, limits: InferenceLimits) throws(InferenceError) -> String {
        let range = try bytes(value, name)
        guard range.count <= limits.maxNameBytes else {
            throw .overLimit(limit: "maxNameBytes", allowed: limits.maxNameBytes, got: range.count)
        }
        guard let text = String(validating: bytes[range], as: UTF8.self) else {
            throw .damagedFile(field: "\(message).\(name)", offset: range.lowerBound, reason: "invalid UTF-8")
        }
        return text
    }

    /// The bounds of a length-delimited field.
    func bytes(_ value: Value, _ name: String) throws(InferenceError) -> Range<Int> {
        guard case .bytes(let range) = value else { throw wrongWireType(name) }
        return range
    }

    /// A field of int32, int64 or enum type.
    func integer(_ value: Value, _ name: String) throws(InferenceError) -> Int64 {
        guard case .varint(let raw) = value else { throw wrongWireType(name) }
        return Int64(bitPattern: raw)
    }

    /// One element of a repeated integer field, or a packed run of them.
    func integers(_ value: Value, _ name: String, into list: inout [Int64]) throws(InferenceError) {
        switch value {
        case .varint(let raw): list.append(Int64(bitPattern: raw))
        case .bytes(let range):
            var inner = ProtobufCursor(bytes, range, message: "\(message).\(name)")
            while inner.offset < inner.end { list.append(Int64(bitPattern: try inner.varint())) }
        case .fixed32, .fixed64: throw wrongWireType(name)
        }
    }

    /// One element of a repeated float field, or a packed run of them.
    func floats(_ value: Value, _ name: String, into list: inout [Float]) throws(InferenceError) {
        switch value {
        case .fixed32(let raw): list.append(Float(bitPattern: raw))
        case .bytes(let range):
            guard range.count % 4 == 0 else { throw damaged("\(name) is not a list of floats") }
            list += LittleEndian.floats(bytes, range)
        case .varint, .fixed64: throw wrongWireType(name)
        }
    }

    func float(_ value: Value, _ name: String) throws(InferenceError) -> Float {
        guard case .fixed32(let raw) = value else { throw wrongWireType(name) }
        return Float(bitPattern: raw)
    }

    private func wrongWireType(_ name: String) -> InferenceError {
        .damagedFile(field: "\(message).\(name)", offset: offset, reason: "wrong wire type")
    }
}
