/// A frame's header, validated (RFC 6455 section 5.2).
public struct FrameHeader: Equatable, Sendable {
    /// Whether this frame ends its message.
    public var isFinal: Bool
    /// RSV1: the message is compressed (RFC 7692 section 6); only on its first frame.
    public var isCompressed: Bool
    /// What the frame carries.
    public var opcode: Opcode
    /// Payload bytes that follow.
    public var payloadBytes: Int
    /// The mask in `Masking`'s order; nil for an unmasked frame.
    public var maskKey: UInt32?

    /// A header; `payloadBytes` must not be negative.
    public init(
        isFinal: Bool = true, isCompressed: Bool = false, opcode: Opcode, payloadBytes: Int,
        maskKey: UInt32? = nil
    ) {
        precondition(payloadBytes >= 0, "a payload has no negative length")
        self.isFinal = isFinal
        self.isCompressed = isCompressed
        self.opcode = opcode
        self.payloadBytes = payloadBytes
        self.maskKey = maskKey
    }
}
