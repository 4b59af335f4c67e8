// Memory kernel. Invariant: the target has room for `headerBytes + payload.count` (the capacity asked for),
// and the payload span is valid for its own count.

/// Writes frames (RFC 6455 section 5.2) to the end of a buffer the caller owns, so that many leave in one write.
public struct FrameEncoder: Sendable {
    private let role: WebSocketRole

    /// - Parameter role: a client's frames are masked, a server's are not.
    public init(role: WebSocketRole) {
        self.role = role
    }

    /// Appends one frame. The length is written in its shortest form.
    ///
    /// - Parameters:
    ///   - opcode: what it carries.
    ///   - payload: borrowed and copied once; at most 125 bytes for a control frame.
    ///   - isFinal: whether it ends its message.
    ///   - isCompressed: sets RSV1; only for the first frame of a compressed message.
    ///   - output: grows by the header (2-14 bytes) and the payload.
    public func append(
        _ opcode: Opcode, _ payload: Span<UInt8>, isFinal: Bool = true, isCompressed: Bool = false,
        to output: inout [UInt8]
    ) {
        let key: UInt32? =
            switch role {
            case .server: nil
            case .client(let maskKeys): maskKeys()
            }
        let first = opcode.rawValue | (isFinal ? 0x80 : 0) | (isCompressed ? 0x40 : 0)
        let maskBit: UInt8 = key == nil ? 0 : 0x80
        let count = payload.count
        output.append(addingCapacity: count + 14) { target in
            target.append(first)
            if count < 126 {
                target.append(UInt8(count) | maskBit)
            } else if count < 65536 {
                target.append(126 | maskBit)
                target.append(UInt8(count >> 8))
                target.append(UInt8(count & 0xFF))
            } else {
                target.append(127 | maskBit)
                for shift in stride(from: 56, through: 0, by: -8) {
                    target.append(UInt8(truncatingIfNeeded: UInt64(count) >> UInt64(shift)))
                }
            }
            if let key {
                for shift in stride(from: 0, to: 32, by: 8) {
                    target.append(UInt8(truncatingIfNeeded: key >> UInt32(shift)))
                }
            }
            unsafe target.withUnsafeMutableBufferPointer { buffer, initialized in
                unsafe payload.withUnsafeBytes { source in
                    guard let from = source.baseAddress, let to = buffer.baseAddress else { return }
                    unsafe Masking.copy(
                        from: from, to: UnsafeMutableRawPointer(to + initialized), count: count, key: key ?? 0
                    )
                }
                initialized += count
            }
        }
    }
}
