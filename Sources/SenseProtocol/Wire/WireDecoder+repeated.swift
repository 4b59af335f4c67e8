import ByteCodec

// Repeated fields and maps. Packed and unpacked scalars are both accepted, whatever the schema says.
extension WireDecoder {
    /// A nested message in an optional field; given twice, the second is merged into the first.
    mutating func optionalMessage<M: WireMessage>(into field: inout M?, _ tag: WireTag) throws(WireError) {
        var value = field ?? M()
        field = nil
        try message(into: &value, tag)
        field = value
    }

    /// A message that is one member of a choice; merged into what is there if it is the same member.
    @inline(never)
    mutating func choice<M: WireMessage, Choice>(
        _ field: inout Choice?, _ tag: WireTag, member: (Choice) -> M?, make: (M) -> Choice
    ) throws(WireError) {
        var value = field.flatMap(member) ?? M()
        try message(into: &value, tag)
        field = make(value)
    }

    mutating func append<M: WireMessage>(message list: inout [M], _ tag: WireTag) throws(WireError) {
        try countElement(at: tag.offset)
        var value = M()
        do throws(WireError) {
            try message(into: &value, tag)
        } catch {
            throw error.inside("[\(list.count)]")
        }
        list.append(value)
    }

    mutating func append(string list: inout [String], _ tag: WireTag) throws(WireError) {
        try countElement(at: tag.offset)
        do throws(WireError) {
            list.append(try string(tag))
        } catch {
            throw error.inside("[\(list.count)]")
        }
    }

    mutating func append(bytes list: inout [[UInt8]], _ tag: WireTag) throws(WireError) {
        try countElement(at: tag.offset)
        do throws(WireError) {
            list.append(try bytes(tag))
        } catch {
            throw error.inside("[\(list.count)]")
        }
    }

    /// Scalars whose memory is their wire form: a packed run is copied at once.
    mutating func append<T: LittleEndianScalar>(scalar list: inout [T], _ tag: WireTag) throws(WireError) {
        let size = MemoryLayout<T>.size
        var count = 1
        if tag.type == .lengthDelimited {
            let length = try lengthPrefix(tag)
            guard length % size == 0 else {
                throw WireError(.unevenPackedLength(elementBytes: size, got: length), offset: tag.offset)
            }
            count = length / size
        } else {
            try expect(size == 8 ? .fixed64 : .fixed32, tag)
        }
        try countScalars(count, at: tag.offset)
        do throws(ByteError) {
            try reader.readScalars(count, appendingTo: &list)
        } catch {
            throw WireError(error)
        }
    }

    /// Scalars that are varints on the wire; `read` is the reader of a single one.
    mutating func append<T>(
        varint list: inout [T], _ tag: WireTag,
        _ read: (inout WireDecoder, WireTag) throws(WireError) -> T
    ) throws(WireError) {
        guard tag.type == .lengthDelimited else {
            try countScalars(1, at: tag.offset)
            list.append(try read(&self, tag))
            return
        }
        let length = try lengthPrefix(tag)
        let outer = try mapped { reader throws(ByteError) in try reader.narrow(to: length) }
        while !reader.isAtEnd {
            try countScalars(1, at: reader.offset)
            list.append(try read(&self, WireTag(number: tag.number, type: .varint, offset: reader.offset)))
        }
        reader.widen(to: outer)
    }

    /// One entry of a map: a message with the key as field 1 and the value as field 2, either of which may be absent.
    mutating func mapEntry<Key: Hashable, Value>(
        into map: inout [Key: Value], _ tag: WireTag, _ defaultKey: Key, _ defaultValue: Value,
        key readKey: (inout WireDecoder, WireTag) throws(WireError) -> Key,
        value readValue: (inout WireDecoder, WireTag) throws(WireError) -> Value
    ) throws(WireError) {
        try countElement(at: tag.offset)
        let length = try lengthPrefix(tag)
        let outer = try mapped { reader throws(ByteError) in try reader.narrow(to: length) }
        var key = defaultKey
        var value = defaultValue
        while !reader.isAtEnd {
            let inner = try nextTag()
            do throws(WireError) {
                switch inner.number {
                case 1: key = try readKey(&self, inner)
                case 2: value = try readValue(&self, inner)
                default: try skipUnknown(inner, nested: true)
                }
            } catch {
                throw error.inside(
                    inner.number == 1 ? "key" : inner.number == 2 ? "value" : "#\(inner.number)")
            }
        }
        reader.widen(to: outer)
        map[key] = value
    }
}
