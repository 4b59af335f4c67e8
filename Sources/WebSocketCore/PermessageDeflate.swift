/// Compression of whole messages (RFC 7692). A context exists only from its first use on; it goes back to the
/// pool after each message when the direction keeps no window, or on `releaseIdle`.
///
/// Isolation: the connection's owner, and the pool's.
struct PermessageDeflate: ~Copyable {
    private let configuration: DeflateConfiguration
    private let pool: DeflateContextPool
    private let keepsOutboundWindow: Bool
    private let keepsInboundWindow: Bool
    private let outboundWindowBits: UInt8
    private let inboundWindowBits: UInt8
    private var deflater: Deflater?
    private var inflater: Inflater?

    /// A connection's compression in the role it has.
    init(
        _ parameters: DeflateParameters, isServer: Bool, configuration: DeflateConfiguration,
        pool: DeflateContextPool
    ) {
        self.configuration = configuration
        self.pool = pool
        let own = isServer ? parameters.serverMaxWindowBits : parameters.clientMaxWindowBits
        let peer = isServer ? parameters.clientMaxWindowBits : parameters.serverMaxWindowBits
        outboundWindowBits = UInt8(clamping: min(own, configuration.maxWindowBits))
        inboundWindowBits = UInt8(clamping: min(15, max(8, peer)))
        keepsOutboundWindow =
            isServer ? !parameters.serverNoContextTakeover : !parameters.clientNoContextTakeover
        keepsInboundWindow =
            isServer ? !parameters.clientNoContextTakeover : !parameters.serverNoContextTakeover
    }

    /// The compressed form of a message, or nil when it is better sent as it is: too small, no memory, or a
    /// window of 256 bytes, which zlib cannot keep to (RFC 7692 section 6 leaves the sender the choice).
    mutating func deflate(_ payload: Span<UInt8>) -> [UInt8]? {
        guard payload.count >= max(1, configuration.minCompressBytes), outboundWindowBits >= 9 else {
            return nil
        }
        let context =
            deflater ?? pool.takeDeflater(windowBits: Int(outboundWindowBits), configuration: configuration)
        guard let context else { return nil }
        var compressed: [UInt8] = []
        guard context.deflateSynced(payload, into: &compressed), compressed.count > 4 else {
            deflater = nil
            return nil
        }
        compressed.removeLast(4)  // 00 00 FF FF, which the receiver puts back (section 7.2.1)
        if keepsOutboundWindow {
            deflater = context
        } else {
            pool.put(context)
        }
        return compressed
    }

    /// Inflates a part of a message.
    mutating func inflate(
        _ input: Span<UInt8>, into message: inout [UInt8], maxBytes: Int
    ) throws(WebSocketError) {
        guard let context = inflater ?? pool.takeInflater(windowBits: Int(inboundWindowBits)) else {
            throw .compressionUnavailable
        }
        inflater = context
        try check(context.inflate(input, into: &message, maxBytes: maxBytes), message, maxBytes)
    }

    /// Inflates the four bytes the sender left out, and checks that the message ends where a block ends.
    mutating func finishInflating(into message: inout [UInt8], maxBytes: Int) throws(WebSocketError) {
        let tail: [UInt8] = [0x00, 0x00, 0xFF, 0xFF]
        try inflate(tail.span, into: &message, maxBytes: maxBytes)
        guard let context = inflater, context.isBetweenBlocks else { throw .invalidDeflateData }
        if !keepsInboundWindow {
            inflater = nil
            pool.put(context)
        }
    }

    /// Gives back what an idle connection need not hold. Dropping our own window is always allowed: the next
    /// message just refers to nothing before it. The peer's window must stay.
    mutating func releaseIdle() {
        if let context = deflater { pool.put(context) }
        deflater = nil
    }

    private func check(
        _ outcome: Inflater.Outcome, _ message: borrowing [UInt8], _ maxBytes: Int
    ) throws(WebSocketError) {
        switch outcome {
        case .done: return
        case .limit: throw .messageTooBig(bytes: message.count, limit: maxBytes)
        case .invalid: throw .invalidDeflateData
        case .noMemory: throw .compressionUnavailable
        }
    }
}
