/// Reads frame headers from a byte stream in any cutting and refuses a bad one at the earliest byte that shows
/// it, before any payload (RFC 6455 section 5.2). Payload stays with the caller, who skips `payloadBytes`.
///
/// 24 bytes of state; a header that is whole in the input is read in place.
public struct FrameDecoder: Sendable {
    private let expectsMask: Bool
    private let allowedReservedBits: UInt8
    private var held: UInt8 = 0
    private var first: UInt8 = 0
    private var second: UInt8 = 0
    private var maskKey: UInt32 = 0
    private var length: UInt64 = 0

    /// - Parameters:
    ///   - expectsMask: true for a server, whose peer must mask; false for a client.
    ///   - allowsCompression: whether permessage-deflate was agreed on, which gives RSV1 its meaning.
    public init(expectsMask: Bool, allowsCompression: Bool) {
        self.expectsMask = expectsMask
        allowedReservedBits = allowsCompression ? 0x40 : 0
    }

    /// Whether a part of a header is held.
    public var isInsideHeader: Bool { held > 0 }

    /// The next header, or nil when the input ends inside it; the part seen is then kept.
    ///
    /// - Parameters:
    ///   - input: the bytes received; borrowed for the call.
    ///   - position: index of the first unread byte, moved past what was read.
    /// - Throws: `WebSocketError` for a header that breaks the rules; the decoder must not be used again.
    public mutating func next(
        _ input: Span<UInt8>, at position: inout Int
    ) throws(WebSocketError) -> FrameHeader? {
        if held == 0, let header = try whole(input, at: &position) { return header }
        while position < input.count {
            let byte = input[position]
            position += 1
            if let header = try accept(byte) { return header }
        }
        return nil
    }

    /// A header that lies in the input as a whole, the common case; nil and no effect if it does not.
    private func whole(
        _ input: Span<UInt8>, at position: inout Int
    ) throws(WebSocketError) -> FrameHeader? {
        let available = input.count - position
        guard available >= 2 else { return nil }
        let first = input[position]
        let second = input[position + 1]
        let opcode = try validate(first, second)
        let lengthBytes = Self.lengthBytes(second)
        let headerBytes = 2 + Int(lengthBytes) + (expectsMask ? 4 : 0)
        guard available >= headerBytes else { return nil }
        var length = UInt64(second & 0x7F)
        if lengthBytes > 0 {
            length = 0
            for index in 0..<Int(lengthBytes) { length = length << 8 | UInt64(input[position + 2 + index]) }
            try Self.validate(length: length, lengthBytes: lengthBytes)
        }
        var key: UInt32?
        if expectsMask {
            let start = position + 2 + Int(lengthBytes)
            key =
                UInt32(input[start]) | UInt32(input[start + 1]) << 8 | UInt32(input[start + 2]) << 16
                | UInt32(input[start + 3]) << 24
        }
        position += headerBytes
        return FrameHeader(
            isFinal: first & 0x80 != 0, isCompressed: first & 0x40 != 0, opcode: opcode,
            payloadBytes: Int(clamping: length), maskKey: key)
    }

    /// The next byte of a header that comes in pieces.
    private mutating func accept(_ byte: UInt8) throws(WebSocketError) -> FrameHeader? {
        let lengthBytes = Self.lengthBytes(second)
        switch held {
        case 0:
            first = byte
            second = 0
            length = 0
            maskKey = 0
        case 1:
            second = byte
            _ = try validate(first, second)
            if byte & 0x7F < 126 { length = UInt64(byte & 0x7F) }
        case 2..<(2 + lengthBytes):
            length = length << 8 | UInt64(byte)
            if held == 1 + lengthBytes { try Self.validate(length: length, lengthBytes: lengthBytes) }
        default:
            maskKey |= UInt32(byte) << (8 * UInt32(held - 2 - lengthBytes))
        }
        held += 1
        guard held >= 2, held == 2 + Self.lengthBytes(second) + (expectsMask ? 4 : 0) else { return nil }
        held = 0
        return FrameHeader(
            isFinal: first & 0x80 != 0, isCompressed: first & 0x40 != 0,
            opcode: try validate(first, second), payloadBytes: Int(clamping: length),
            maskKey: expectsMask ? maskKey : nil)
    }

    /// How many bytes of extended length the second byte announces.
    private static func lengthBytes(_ second: UInt8) -> UInt8 {
        switch second & 0x7F {
        case 126: 2
        case 127: 8
        default: 0
        }
    }

    private func validate(_ first: UInt8, _ second: UInt8) throws(WebSocketError) -> Opcode {
        let reserved = first & 0x70
        if reserved & ~allowedReservedBits != 0 { throw .reservedBits(reserved >> 4) }
        guard let opcode = Opcode(rawValue: first & 0x0F) else { throw .reservedOpcode(first & 0x0F) }
        // Only the first frame of a data message may be marked as compressed (RFC 7692 section 6.1).
        if reserved != 0, opcode.isControl || opcode == .continuation { throw .reservedBits(reserved >> 4) }
        if opcode.isControl {
            if first & 0x80 == 0 { throw .fragmentedControlFrame(opcode) }
            if second & 0x7F > 125 { throw .longControlFrame(opcode) }
        }
        if (second & 0x80 != 0) != expectsMask {
            throw expectsMask ? .unmaskedClientFrame : .maskedServerFrame
        }
        return opcode
    }

    private static func validate(length: UInt64, lengthBytes: UInt8) throws(WebSocketError) {
        if length > UInt64(Int64.max) { throw .lengthOutOfRange(length) }
        let smallest: UInt64 = lengthBytes == 2 ? 126 : 65536
        if length < smallest { throw .lengthNotMinimal(length) }
    }
}
