import ByteCodec

// What generated `serialize(into:)` is made of. `tag` is the whole tag (number × 8 + wire type).
extension ByteWriter {
    @inline(__always)
    mutating func varint(_ tag: UInt64, _ value: UInt64) {
        appendVarint(tag)
        appendVarint(value)
    }

    @inline(__always)
    mutating func fixed32(_ tag: UInt64, _ value: UInt32) {
        appendVarint(tag)
        append(value, .little)
    }

    @inline(__always)
    mutating func fixed64(_ tag: UInt64, _ value: UInt64) {
        appendVarint(tag)
        append(value, .little)
    }

    mutating func string(_ tag: UInt64, _ value: String) {
        appendVarint(tag)
        appendVarint(UInt64(value.utf8.count))
        append(utf8: value)
    }

    mutating func bytes(_ tag: UInt64, _ value: [UInt8]) {
        appendVarint(tag)
        appendVarint(UInt64(value.count))
        append(contentsOf: value)
    }

    mutating func message(_ tag: UInt64, _ value: some WireMessage) {
        appendVarint(tag)
        appendVarint(UInt64(value.encodedSize))
        value.serialize(into: &self)
    }

    mutating func packed<T: LittleEndianScalar>(_ tag: UInt64, _ values: [T]) {
        appendVarint(tag)
        appendVarint(UInt64(values.count * MemoryLayout<T>.size))
        append(scalars: values)
    }
}

/// Sizes of values on the wire, without their tags.
enum WireSize {
    @inline(__always)
    static func varint(_ value: UInt64) -> Int { ByteWriter.varintSize(value) }

    /// A length prefix and so many bytes.
    @inline(__always)
    static func delimited(_ count: Int) -> Int { varint(UInt64(count)) + count }

    static func string(_ value: String) -> Int { delimited(value.utf8.count) }

    static func message(_ value: some WireMessage) -> Int { delimited(value.encodedSize) }
}

/// Signed integers as varints: the zigzag form keeps small negative ones short.
enum ZigZag {
    static func encode(_ value: Int64) -> UInt64 { UInt64(bitPattern: (value << 1) ^ (value >> 63)) }
}

extension String {
    /// Order of the UTF-8 bytes, which is the order of map keys on the wire.
    static func precedesOnWire(_ left: String, _ right: String) -> Bool {
        left.utf8.lexicographicallyPrecedes(right.utf8)
    }
}
