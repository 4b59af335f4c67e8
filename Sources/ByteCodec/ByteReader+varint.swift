extension ByteReader {
    /// A base-128 varint of up to 64 bits (protobuf encoding). Non-minimal encodings are accepted as stock protobuf
    /// does; more than ten bytes are refused, and so are bits above the 64th.
    @inlinable
    public mutating func readVarint() throws(ByteError) -> UInt64 {
        let start = position
        guard start < limit else { throw .truncated(offset: start, needed: 1, available: 0) }
        let first = storage[start]
        if first < 0x80 {
            position = start &+ 1
            return UInt64(first)
        }
        return try readLongVarint()
    }

    @usableFromInline
    mutating func readLongVarint() throws(ByteError) -> UInt64 {
        var value: UInt64 = 0
        var shift: UInt64 = 0
        var index = position
        while true {
            guard index < limit else {
                throw .truncated(offset: position, needed: index - position + 1, available: limit - position)
            }
            let byte = storage[index]
            index += 1
            if shift == 63 && byte > 1 { throw .overlongVarint(offset: position) }
            value |= UInt64(byte & 0x7f) << shift
            if byte < 0x80 { break }
            shift += 7
        }
        position = index
        return value
    }

    /// A varint that counts bytes which follow: at most `limit`, and no more than are left.
    @inlinable
    public mutating func readLength(limit lengthLimit: Int = .max) throws(ByteError) -> Int {
        let start = position
        let value = try readVarint()
        guard let length = Int(exactly: value), length <= lengthLimit else {
            position = start
            throw .overLimit(offset: start, limit: lengthLimit, got: value)
        }
        guard length <= limit &- position else {
            let available = limit &- position
            position = start
            throw .truncated(offset: start, needed: length, available: available)
        }
        return length
    }
}
