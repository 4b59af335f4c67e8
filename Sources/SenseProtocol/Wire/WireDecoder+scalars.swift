import ByteCodec

// One reader per protobuf scalar type. With a tag the wire type is checked; without, the value alone is read (an
// element of a packed run or of a map entry whose tag was checked before).
extension WireDecoder {
    mutating func uint64(_ tag: WireTag) throws(WireError) -> UInt64 {
        try expect(.varint, tag)
        return try varint()
    }
    mutating func uint32(_ tag: WireTag) throws(WireError) -> UInt32 {
        UInt32(truncatingIfNeeded: try uint64(tag))
    }
    mutating func int64(_ tag: WireTag) throws(WireError) -> Int64 { Int64(bitPattern: try uint64(tag)) }
    mutating func int32(_ tag: WireTag) throws(WireError) -> Int32 {
        Int32(truncatingIfNeeded: try uint64(tag))
    }
    mutating func sint64(_ tag: WireTag) throws(WireError) -> Int64 { Self.unzigzag(try uint64(tag)) }
    mutating func sint32(_ tag: WireTag) throws(WireError) -> Int32 {
        Int32(truncatingIfNeeded: Self.unzigzag(try uint64(tag) & 0xffff_ffff))
    }
    mutating func bool(_ tag: WireTag) throws(WireError) -> Bool { try uint64(tag) != 0 }
    mutating func enumeration<E: WireEnum>(_ tag: WireTag) throws(WireError) -> E {
        E(rawValue: Int32(truncatingIfNeeded: try uint64(tag)))
    }

    mutating func fixed32(_ tag: WireTag) throws(WireError) -> UInt32 {
        try expect(.fixed32, tag)
        return try mapped { reader throws(ByteError) in try reader.readInteger(UInt32.self, .little) }
    }
    mutating func fixed64(_ tag: WireTag) throws(WireError) -> UInt64 {
        try expect(.fixed64, tag)
        return try mapped { reader throws(ByteError) in try reader.readInteger(UInt64.self, .little) }
    }
    mutating func sfixed32(_ tag: WireTag) throws(WireError) -> Int32 { Int32(bitPattern: try fixed32(tag)) }
    mutating func sfixed64(_ tag: WireTag) throws(WireError) -> Int64 { Int64(bitPattern: try fixed64(tag)) }
    mutating func float(_ tag: WireTag) throws(WireError) -> Float { Float(bitPattern: try fixed32(tag)) }
    mutating func double(_ tag: WireTag) throws(WireError) -> Double { Double(bitPattern: try fixed64(tag)) }

    mutating func string(_ tag: WireTag) throws(WireError) -> String {
        let length = try lengthPrefix(tag)
        if length > limits.maxStringBytes {
            throw WireError(
                .overLimit(.stringBytes, max: limits.maxStringBytes, got: UInt64(length)), offset: tag.offset)
        }
        let text = try mapped { reader throws(ByteError) in try reader.readUTF8(length) }
        guard let text else { throw WireError(.invalidUTF8, offset: reader.offset) }
        return text
    }

    mutating func bytes(_ tag: WireTag) throws(WireError) -> [UInt8] {
        let length = try lengthPrefix(tag)
        if length > limits.maxBytesBytes {
            throw WireError(
                .overLimit(.bytesBytes, max: limits.maxBytesBytes, got: UInt64(length)), offset: tag.offset)
        }
        return try mapped { reader throws(ByteError) in try reader.readBytes(length) }
    }

    private static func unzigzag(_ value: UInt64) -> Int64 {
        Int64(bitPattern: value >> 1) ^ -Int64(bitPattern: value & 1)
    }
}
