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
        while position < input.count {
            let byte = input[position]
            position += 1
            switch held {
            case 0:
                first = byte
                length = 0
                maskKey = 0
            case 1:
                second = byte
                try validateOpening()
                length = byte & 0x7F < 126 ? UInt64(byte & 0x7F) : 0
            case 2..<(2 + lengthBytes):
                length = length << 8 | UInt64(byte)
                if held == 1 + lengthBytes { try validateLength() }
            default:
                maskKey |= UInt32(byte) << (8 * UInt32(held - 2 - lengthBytes))
            }
            held += 1
            if held >= 2, held == 2 + lengthBytes + (expectsMask ? 4 : 0) { return finish() }
        }
        return nil
    }

    /// How many bytes of extended length the second byte announces.
    private var lengthBytes: UInt8 {
        switch second & 0x7F {
        case 126: 2
        case 127: 8
        default: 0
        }
    }

    private func validateOpening() throws(WebSocketError) {
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
    }

    private func validateLength() throws(WebSocketError) {
        if length > UInt64(Int64.max) { throw .lengthOutOfRange(length) }
        let smallest: UInt64 = lengthBytes == 2 ? 126 : 65536
        if length < smallest { throw .lengthNotMinimal(length) }
    }

    private mutating func finish() -> FrameHeader {
        held = 0
        return FrameHeader(
            isFinal: first & 0x80 != 0, isCompressed: first & 0x40 != 0,
            opcode: Opcode(rawValue: first & 0x0F) ?? .close, payloadBytes: Int(clamping: length),
            maskKey: expectsMask ? maskKey : nil)
    }
}
