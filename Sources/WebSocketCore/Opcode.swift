/// What a frame carries (RFC 6455 section 5.2). The reserved values 3-7 and 11-15 have no case: a frame with
/// one of them is refused at its header.
public enum Opcode: UInt8, Equatable, Sendable {
    /// A further fragment of the message that is open.
    case continuation = 0x0
    /// UTF-8 text, or its first fragment.
    case text = 0x1
    /// Bytes, or their first fragment.
    case binary = 0x2
    /// The closing handshake.
    case close = 0x8
    /// A liveness question.
    case ping = 0x9
    /// Its answer, or an unasked sign of life.
    case pong = 0xA

    /// Control frames are at most 125 bytes and never fragmented (RFC 6455 section 5.5).
    @inlinable public var isControl: Bool { rawValue & 0x8 != 0 }
}

/// The two kinds of message an application sees.
public enum MessageKind: UInt8, Equatable, Sendable {
    /// UTF-8 text.
    case text = 0x1
    /// Uninterpreted bytes.
    case binary = 0x2
}
