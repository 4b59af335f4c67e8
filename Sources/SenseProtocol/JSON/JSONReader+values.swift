// One reader per protobuf type, called by generated code.
extension JSONReader {
    mutating func uint32() throws(WireError) -> UInt32 { try integer("an integer 0…4294967295") }
    mutating func int32() throws(WireError) -> Int32 { try integer("an integer of 32 bits") }
    mutating func uint64() throws(WireError) -> UInt64 { try integer("an integer 0…18446744073709551615") }
    mutating func int64() throws(WireError) -> Int64 { try integer("an integer of 64 bits") }

    private mutating func integer<T: FixedWidthInteger>(_ expected: String) throws(WireError) -> T {
        _ = peekAfterSpace()
        let start = offset
        let (token, isNumber) = try numberTokenMaybeQuoted()
        if isNumber {
            if let value = T(token) { return value }
            // Such as 1e3 or 5.0: allowed if it is a whole number that fits.
            if let number = Double(token), let value = T(exactly: number) { return value }
        }
        throw WireError(.wrongJSONValue(expected: expected), offset: start)
    }

    mutating func float() throws(WireError) -> Float { try floatingPoint("a number of 32 bits") }
    mutating func double() throws(WireError) -> Double { try floatingPoint("a number of 64 bits") }

    private mutating func floatingPoint<T: BinaryFloatingPoint & LosslessStringConvertible>(
        _ expected: String
    ) throws(WireError) -> T {
        _ = peekAfterSpace()
        let start = offset
        let (token, isNumber) = try numberTokenMaybeQuoted()
        if isNumber, let value = T(token), value.isFinite { return value }
        switch token {
        case "NaN": return .nan
        case "Infinity": return .infinity
        case "-Infinity": return -.infinity
        default: throw WireError(.wrongJSONValue(expected: expected), offset: start)
        }
    }

    mutating func bool() throws(WireError) -> Bool {
        switch peekAfterSpace() {
        case UInt8(ascii: "t"):
            try word("true")
            return true
        case UInt8(ascii: "f"):
            try word("false")
            return false
        default: throw WireError(.wrongJSONValue(expected: "true or false"), offset: offset)
        }
    }

    mutating func string() throws(WireError) -> String {
        guard peekAfterSpace() == UInt8(ascii: "\"") else {
            throw WireError(.wrongJSONValue(expected: "a text"), offset: offset)
        }
        return try quoted(maxBytes: limits.maxStringBytes)
    }

    mutating func bytes() throws(WireError) -> [UInt8] {
        guard peekAfterSpace() == UInt8(ascii: "\"") else {
            throw WireError(.wrongJSONValue(expected: "base64"), offset: offset)
        }
        let start = offset
        let text = try quoted(maxBytes: limits.maxJSONBytes)
        guard let bytes = Base64.decode(text) else {
            throw WireError(.wrongJSONValue(expected: "base64"), offset: start)
        }
        if bytes.count > limits.maxBytesBytes {
            throw WireError(
                .overLimit(.bytesBytes, max: limits.maxBytesBytes, got: UInt64(bytes.count)), offset: start)
        }
        return bytes
    }

    /// By name or number. A name of a later version cannot be kept; it counts as an unknown field and reads as not
    /// given, which every enum reads in the safe direction.
    mutating func enumeration<E: WireEnum>() throws(WireError) -> E {
        guard peekAfterSpace() == UInt8(ascii: "\"") else { return E(rawValue: try int32()) }
        if let value = E(protoName: try quoted(maxBytes: 128)) { return value }
        unknownFields += 1
        return .unspecified
    }

    mutating func message<M: WireMessage>() throws(WireError) -> M {
        var value = M()
        try message(into: &value)
        return value
    }

    /// A repeated field of numbers, booleans or enum values.
    mutating func append<T>(
        scalars list: inout [T], _ read: (inout JSONReader) throws(WireError) -> T
    ) throws(WireError) {
        try array { reader, _ throws(WireError) in
            try reader.countScalar()
            list.append(try read(&reader))
        }
    }

    /// A repeated field of texts, byte strings or messages.
    mutating func append<T>(
        elements list: inout [T], _ read: (inout JSONReader) throws(WireError) -> T
    ) throws(WireError) {
        try array { reader, _ throws(WireError) in
            try reader.countElement()
            list.append(try read(&reader))
        }
    }

    /// A map; `key` turns a member's name into the key.
    mutating func map<Key: Hashable, Value>(
        into map: inout [Key: Value], key: (String) -> Key?,
        value: (inout JSONReader) throws(WireError) -> Value
    ) throws(WireError) {
        guard peekAfterSpace() == UInt8(ascii: "{") else {
            throw WireError(.wrongJSONValue(expected: "an object"), offset: offset)
        }
        try members { reader, name, nameOffset throws(WireError) in
            try reader.countElement()
            guard let key = key(name) else {
                throw WireError(.wrongJSONValue(expected: "a \(Key.self) as name"), offset: nameOffset)
            }
            if map[key] != nil { throw WireError(.duplicateJSONField, offset: nameOffset) }
            do throws(WireError) {
                map[key] = try value(&reader)
            } catch {
                throw error.inside("value")
            }
        }
    }
}
