/// What can be wrong with the bytes or the JSON of a message.
public enum WireFault: Sendable, Equatable {
    /// The input ends inside a value.
    case truncated(neededBytes: Int, availableBytes: Int)
    /// A varint longer than ten bytes or wider than 64 bits.
    case overlongVarint
    /// A tag with field number 0 or above 536,870,911.
    case invalidFieldNumber(UInt64)
    /// A tag with wire type 6 or 7.
    case invalidWireType(UInt8)
    /// A known field came in another encoding than its type's.
    case wrongWireType(expected: WireType, got: WireType)
    /// A group ended that had not begun, or under another number.
    case unmatchedGroup(UInt32)
    /// Text that is not UTF-8.
    case invalidUTF8
    /// The bytes of packed scalars are not a whole number of them.
    case unevenPackedLength(elementBytes: Int, got: Int)
    /// A named limit is exceeded; refused before anything was allocated for it.
    case overLimit(WireLimitName, max: Int, got: UInt64)
    /// Text that does not follow RFC 8259.
    case invalidJSON(expected: String)
    /// JSON of the wrong kind or range for its field.
    case wrongJSONValue(expected: String)
    /// A JSON object names one field twice, or two members of one choice.
    case duplicateJSONField
}

/// The limits a message can exceed; the numbers stand in `WireLimits`.
public enum WireLimitName: String, Sendable, Equatable {
    case messageBytes, depth, elements, scalars, stringBytes, bytesBytes, jsonBytes
}

extension WireFault: CustomStringConvertible {
    /// What was expected and what came.
    public var description: String {
        switch self {
        case .truncated(let needed, let available): "ends early: needs \(needed) bytes, has \(available)"
        case .overlongVarint: "a varint of more than 64 bits"
        case .invalidFieldNumber(let got): "field number \(got) is outside 1…536870911"
        case .invalidWireType(let got): "wire type \(got) does not exist"
        case .wrongWireType(let expected, let got): "expected wire type \(expected), got \(got)"
        case .unmatchedGroup(let got): "end of group \(got) without its start"
        case .invalidUTF8: "text is not valid UTF-8"
        case .unevenPackedLength(let size, let got): "\(got) bytes are not a multiple of \(size)"
        case .overLimit(let limit, let max, let got): "\(limit.rawValue): at most \(max), got \(got)"
        case .invalidJSON(let expected): "invalid JSON: expected \(expected)"
        case .wrongJSONValue(let expected): "expected \(expected)"
        case .duplicateJSONField: "the field is given twice"
        }
    }
}
