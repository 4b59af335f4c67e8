/// Reads messages from canonical protobuf JSON, within limits.
///
/// Accepts what stock protobuf accepts: both spellings of a field's name, numbers as text, enum values by name or
/// number, base64 in both alphabets with or without padding, `null` for "not set". Unknown members are skipped and
/// counted; a member given twice is refused. Text rules are RFC 8259's; the typed readers stand in
/// `JSONReader+values.swift`.
public struct JSONReader: Sendable {
    let text: [UInt8]
    var offset = 0
    let limits: WireLimits
    private var depth = 0
    private var elements = 0
    private var scalars = 0

    /// Members and enum names that the schema does not know.
    public internal(set) var unknownFields = 0
    /// Name of the last unknown member of the outermost message, at most 64 bytes of it.
    public private(set) var unknownOutermostKey: String?

    init(_ text: [UInt8], limits: WireLimits) throws(WireError) {
        if text.count > limits.maxJSONBytes {
            throw WireError(
                .overLimit(.jsonBytes, max: limits.maxJSONBytes, got: UInt64(text.count)), offset: 0)
        }
        self.text = text
        self.limits = limits
    }

    /// Reads one message and nothing after it.
    mutating func wholeMessage<M: WireMessage>(into message: inout M) throws(WireError) {
        try self.message(into: &message)
        skipSpace()
        if offset < text.count { throw syntax("the end of the text") }
    }

    mutating func message<M: WireMessage>(into message: inout M) throws(WireError) {
        guard peekAfterSpace() == UInt8(ascii: "{") else {
            throw WireError(.wrongJSONValue(expected: "an object"), offset: offset)
        }
        var seen: [UInt32] = []
        try members { reader, key, keyOffset throws(WireError) in
            guard let number = M.fieldNumber(jsonName: key) else {
                reader.countUnknown(key)
                do throws(WireError) {
                    try reader.skipValue()
                } catch {
                    // No path: what is inside an unknown member has no name in the schema.
                    throw WireError(error.fault, offset: error.offset)
                }
                return
            }
            do throws(WireError) {
                if seen.contains(number) { throw WireError(.duplicateJSONField, offset: keyOffset) }
                seen.append(number)
                if try reader.consumeNull() { return }
                try message.decodeJSONField(number, from: &reader)
            } catch {
                throw error.inside(M.fieldName(number))
            }
        }
    }

    /// Walks the members of an object; `member` must consume the value.
    mutating func members(
        _ member: (inout JSONReader, String, Int) throws(WireError) -> Void
    ) throws(WireError) {
        try enter(UInt8(ascii: "{"), "an object")
        if try closes(UInt8(ascii: "}")) { return }
        while true {
            _ = peekAfterSpace()
            let keyOffset = offset
            let key = try quoted(maxBytes: limits.maxStringBytes)
            try take(UInt8(ascii: ":"), "a colon")
            try member(&self, key, keyOffset)
            if try closes(UInt8(ascii: "}")) { return }
            try take(UInt8(ascii: ","), "a comma or }")
        }
    }

    /// Walks the elements of an array; `element` must consume the value and gets its index.
    mutating func array(
        _ element: (inout JSONReader, Int) throws(WireError) -> Void
    ) throws(WireError) {
        guard peekAfterSpace() == UInt8(ascii: "[") else {
            throw WireError(.wrongJSONValue(expected: "an array"), offset: offset)
        }
        try enter(UInt8(ascii: "["), "an array")
        if try closes(UInt8(ascii: "]")) { return }
        var index = 0
        while true {
            do throws(WireError) {
                try element(&self, index)
            } catch {
                throw error.inside("[\(index)]")
            }
            index += 1
            if try closes(UInt8(ascii: "]")) { return }
            try take(UInt8(ascii: ","), "a comma or ]")
        }
    }

    /// Skips any value, checking its grammar.
    mutating func skipValue() throws(WireError) {
        switch peekAfterSpace() {
        case UInt8(ascii: "{"):
            try members { reader, _, _ throws(WireError) in try reader.skipValue() }
        case UInt8(ascii: "["):
            try array { reader, _ throws(WireError) in try reader.skipValue() }
        case UInt8(ascii: "\""): _ = try quoted(maxBytes: limits.maxJSONBytes)
        case UInt8(ascii: "t"): try word("true")
        case UInt8(ascii: "f"): try word("false")
        case UInt8(ascii: "n"): try word("null")
        default: _ = try numberToken()
        }
    }

    mutating func consumeNull() throws(WireError) -> Bool {
        guard peekAfterSpace() == UInt8(ascii: "n") else { return false }
        try word("null")
        return true
    }

    /// Throws if a member of the same choice was given before.
    func requireUnset<Choice>(_ choice: Choice?) throws(WireError) {
        if choice != nil { throw WireError(.duplicateJSONField, offset: offset) }
    }

    mutating func countElement() throws(WireError) {
        guard elements < limits.maxElements else {
            throw WireError(
                .overLimit(.elements, max: limits.maxElements, got: UInt64(elements + 1)), offset: offset)
        }
        elements += 1
    }

    mutating func countScalar() throws(WireError) {
        guard scalars < limits.maxScalars else {
            throw WireError(
                .overLimit(.scalars, max: limits.maxScalars, got: UInt64(scalars + 1)), offset: offset)
        }
        scalars += 1
    }

    private mutating func countUnknown(_ key: String) {
        unknownFields += 1
        if depth == 1 { unknownOutermostKey = String(decoding: key.utf8.prefix(64), as: UTF8.self) }
    }

    /// Opens an object or array. Arrays count too, so that unknown values cannot nest without end; the schema's own
    /// messages alternate with at most one array each, hence twice the depth.
    private mutating func enter(_ bracket: UInt8, _ what: String) throws(WireError) {
        try take(bracket, what)
        guard depth < 2 * limits.maxDepth else {
            throw WireError(
                .overLimit(.depth, max: 2 * limits.maxDepth, got: UInt64(depth + 1)), offset: offset)
        }
        depth += 1
    }

    private mutating func closes(_ bracket: UInt8) throws(WireError) -> Bool {
        guard peekAfterSpace() == bracket else { return false }
        offset += 1
        depth -= 1
        return true
    }

    mutating func take(_ byte: UInt8, _ what: String) throws(WireError) {
        guard peekAfterSpace() == byte else { throw syntax(what) }
        offset += 1
    }

    mutating func word(_ word: StaticString) throws(WireError) {
        let end = offset + word.utf8CodeUnitCount
        guard end <= text.count, text[offset..<end].elementsEqual(word.description.utf8) else {
            throw syntax("a value")
        }
        offset = end
    }

    mutating func peekAfterSpace() -> UInt8? {
        skipSpace()
        return offset < text.count ? text[offset] : nil
    }

    private mutating func skipSpace() {
        while offset < text.count {
            switch text[offset] {
            case 0x20, 0x09, 0x0a, 0x0d: offset += 1
            default: return
            }
        }
    }

    func syntax(_ expected: String) -> WireError {
        WireError(.invalidJSON(expected: expected), offset: offset)
    }
}
