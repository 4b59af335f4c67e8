/// What a peer did wrong, with the evidence. Each case maps to one close code.
public enum WebSocketError: Error, Equatable, Sendable {
    /// An opcode that RFC 6455 reserves.
    case reservedOpcode(UInt8)
    /// A reserved bit without an extension that gives it meaning; the three bits as 0...7.
    case reservedBits(UInt8)
    /// A client sent a frame without a mask (RFC 6455 section 5.1).
    case unmaskedClientFrame
    /// A server sent a masked frame.
    case maskedServerFrame
    /// A control frame with FIN clear.
    case fragmentedControlFrame(Opcode)
    /// A control frame above 125 bytes.
    case longControlFrame(Opcode)
    /// A 64-bit length with the top bit set.
    case lengthOutOfRange(UInt64)
    /// A length that fits a shorter encoding.
    case lengthNotMinimal(UInt64)
    /// A message, or what it declares, above the limit.
    case messageTooBig(bytes: Int, limit: Int)
    /// A message in more fragments than allowed.
    case tooManyFragments(limit: Int)
    /// A message in more fragments below the minimum size than allowed.
    case tooManySmallFragments(limit: Int)
    /// A continuation frame while no message is open.
    case unexpectedContinuation
    /// A new data frame while a message is open.
    case expectedContinuation(Opcode)
    /// Text that is not UTF-8.
    case invalidUTF8
    /// A close body of 1 byte.
    case truncatedCloseBody
    /// A close code that may not appear on the wire.
    case invalidCloseCode(UInt16)
    /// A close reason that is not UTF-8.
    case invalidCloseReason
    /// Compressed data that does not inflate, or ends inside a block.
    case invalidDeflateData
    /// The compression library could not get memory.
    case compressionUnavailable

    /// What the close frame says.
    public var closeCode: CloseCode {
        switch self {
        case .reservedOpcode, .reservedBits, .unmaskedClientFrame, .maskedServerFrame,
            .fragmentedControlFrame, .longControlFrame, .lengthOutOfRange, .lengthNotMinimal,
            .unexpectedContinuation, .expectedContinuation, .truncatedCloseBody, .invalidCloseCode:
            .protocolError
        case .invalidUTF8, .invalidCloseReason, .invalidDeflateData: .invalidData
        case .messageTooBig: .messageTooBig
        case .tooManyFragments, .tooManySmallFragments: .policyViolation
        case .compressionUnavailable: .internalError
        }
    }

    /// A short reason for the close frame, at most 123 bytes, naming what was expected.
    public var reason: String {
        switch self {
        case .reservedOpcode(let opcode): "reserved opcode \(opcode)"
        case .reservedBits(let bits): "reserved bits \(bits) without an extension"
        case .unmaskedClientFrame: "frames from a client must be masked"
        case .maskedServerFrame: "frames from a server must not be masked"
        case .fragmentedControlFrame(let opcode): "fragmented \(opcode) frame"
        case .longControlFrame(let opcode): "\(opcode) frame above 125 bytes"
        case .lengthOutOfRange: "frame length above 2^63-1"
        case .lengthNotMinimal(let length): "length \(length) not in its shortest form"
        case .messageTooBig(_, let limit): "message above \(limit) bytes"
        case .tooManyFragments(let limit): "message in more than \(limit) fragments"
        case .tooManySmallFragments(let limit): "more than \(limit) small fragments in a message"
        case .unexpectedContinuation: "continuation without a message"
        case .expectedContinuation(let opcode): "\(opcode) frame inside a fragmented message"
        case .invalidUTF8: "text is not UTF-8"
        case .truncatedCloseBody: "close body of 1 byte"
        case .invalidCloseCode(let code): "close code \(code) may not be sent"
        case .invalidCloseReason: "close reason is not UTF-8"
        case .invalidDeflateData: "compressed data is damaged"
        case .compressionUnavailable: "no memory for compression"
        }
    }
}
