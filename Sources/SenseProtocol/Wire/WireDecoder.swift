import ByteCodec

/// Reads the fields of one message from bytes, within limits.
///
/// One decoder serves a message and everything nested in it; the typed readers (`WireDecoder+scalars.swift`,
/// `WireDecoder+repeated.swift`) are called by generated code.
public struct WireDecoder: Sendable {
    var reader: ByteReader
    let limits: WireLimits
    private var depth = 1
    private var elements = 0
    private var scalars = 0

    /// Fields skipped because the schema does not know them.
    public private(set) var unknownFields = 0
    /// Number of the last unknown field of the outermost message; 0 if none.
    public private(set) var unknownOutermostField: UInt32 = 0

    init(_ bytes: [UInt8], limits: WireLimits) throws(WireError) {
        if bytes.count > limits.maxMessageBytes {
            throw WireError(
                .overLimit(.messageBytes, max: limits.maxMessageBytes, got: UInt64(bytes.count)), offset: 0)
        }
        reader = ByteReader(bytes)
        self.limits = limits
    }

    /// Reads fields up to the end of the current window.
    mutating func mergeFields<M: WireMessage>(into message: inout M) throws(WireError) {
        while !reader.isAtEnd {
            let tag = try nextTag()
            do throws(WireError) {
                try message.decodeField(tag, from: &self)
            } catch {
                throw error.inside(M.fieldName(tag.number))
            }
        }
    }

    /// Reads a nested message into `message`, adding to what it holds (a field given twice is merged, as proto3 says).
    mutating func message<M: WireMessage>(into message: inout M, _ tag: WireTag) throws(WireError) {
        let length = try lengthPrefix(tag)
        let outer = try mapped { reader throws(ByteError) in try reader.narrow(to: length) }
        try enter(at: tag.offset)
        try mergeFields(into: &message)
        depth -= 1
        reader.widen(to: outer)
    }

    /// Skips a field that the schema does not know. `nested`: inside a map entry, which has no depth of its own.
    mutating func skipUnknown(_ tag: WireTag, nested: Bool = false) throws(WireError) {
        unknownFields += 1
        if depth == 1 && !nested { unknownOutermostField = tag.number }
        try skipValue(tag)
    }

    private mutating func skipValue(_ tag: WireTag) throws(WireError) {
        switch tag.type {
        case .varint: _ = try varint()
        case .fixed64: try mapped { reader throws(ByteError) in try reader.skip(8) }
        case .fixed32: try mapped { reader throws(ByteError) in try reader.skip(4) }
        case .lengthDelimited:
            try mapped { reader throws(ByteError) in try reader.skip(try reader.readLength()) }
        case .startGroup:
            try enter(at: tag.offset)
            while true {
                let inner = try nextTag()
                if inner.type == .endGroup {
                    if inner.number != tag.number {
                        throw WireError(.unmatchedGroup(inner.number), offset: inner.offset)
                    }
                    break
                }
                try skipValue(inner)
            }
            depth -= 1
        case .endGroup:
            throw WireError(.unmatchedGroup(tag.number), offset: tag.offset)
        }
    }

    mutating func nextTag() throws(WireError) -> WireTag {
        let start = reader.offset
        let raw = try varint()
        // Stock protobuf reads tags of at most five bytes, however padded.
        if reader.offset &- start > 5 { throw WireError(.overlongVarint, offset: start) }
        let number = raw >> 3
        guard number >= 1, number <= 536_870_911 else {
            throw WireError(.invalidFieldNumber(number), offset: start)
        }
        guard let type = WireType(rawValue: UInt8(truncatingIfNeeded: raw & 7)) else {
            throw WireError(.invalidWireType(UInt8(truncatingIfNeeded: raw & 7)), offset: start)
        }
        return WireTag(number: UInt32(truncatingIfNeeded: number), type: type, offset: start)
    }

    private mutating func enter(at offset: Int) throws(WireError) {
        guard depth < limits.maxDepth else {
            throw WireError(.overLimit(.depth, max: limits.maxDepth, got: UInt64(depth + 1)), offset: offset)
        }
        depth += 1
    }

    /// Counts one more element of a repeated field of messages, texts, byte strings or map entries.
    mutating func countElement(at offset: Int) throws(WireError) {
        guard elements < limits.maxElements else {
            throw WireError(
                .overLimit(.elements, max: limits.maxElements, got: UInt64(elements + 1)), offset: offset)
        }
        elements += 1
    }

    /// Counts `count` more numbers of repeated fields.
    mutating func countScalars(_ count: Int, at offset: Int) throws(WireError) {
        guard count <= limits.maxScalars - scalars else {
            throw WireError(
                .overLimit(.scalars, max: limits.maxScalars, got: UInt64(scalars) + UInt64(count)),
                offset: offset)
        }
        scalars += count
    }

    /// Throws unless the field is encoded as its type demands. Stock protobuf treats such a field as unknown; here it
    /// is an error, because a peer that confuses types is better told than ignored.
    func expect(_ expected: WireType, _ tag: WireTag) throws(WireError) {
        if tag.type != expected {
            throw WireError(.wrongWireType(expected: expected, got: tag.type), offset: tag.offset)
        }
    }

    mutating func varint() throws(WireError) -> UInt64 {
        do throws(ByteError) { return try reader.readVarint() } catch { throw WireError(error) }
    }

    /// The length of a length-delimited value, no more than the bytes that are left.
    mutating func lengthPrefix(_ tag: WireTag) throws(WireError) -> Int {
        try expect(.lengthDelimited, tag)
        do throws(ByteError) { return try reader.readLength() } catch { throw WireError(error) }
    }

    @inline(__always)
    mutating func mapped<R>(_ read: (inout ByteReader) throws(ByteError) -> R) throws(WireError) -> R {
        do throws(ByteError) { return try read(&reader) } catch { throw WireError(error) }
    }
}

extension WireError {
    /// A reader's error as a fault of the message it was reading.
    init(_ error: ByteError) {
        switch error {
        case .truncated(let offset, let needed, let available):
            self.init(.truncated(neededBytes: needed, availableBytes: available), offset: offset)
        case .overlongVarint(let offset):
            self.init(.overlongVarint, offset: offset)
        case .overLimit(let offset, let limit, let got):
            self.init(.overLimit(.messageBytes, max: limit, got: got), offset: offset)
        case .negativeCount(let offset, _):
            self.init(.truncated(neededBytes: 0, availableBytes: 0), offset: offset)
        }
    }
}
