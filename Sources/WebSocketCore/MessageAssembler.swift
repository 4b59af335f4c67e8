/// Joins the fragments of one message (RFC 6455 section 5.4) within limits, and checks text as it arrives.
///
/// Holds no buffer between messages. Memory follows the bytes received, never a length that was only declared.
struct MessageAssembler: ~Copyable {
    var limits: WebSocketLimits
    /// Kind of the message that is open.
    private(set) var kind: MessageKind?
    /// Whether the open message is compressed.
    private(set) var isCompressed = false
    /// The open message so far, inflated.
    private(set) var bytes: [UInt8] = []
    private var text = UTF8Validator()
    private var fragments = 0
    private var smallFragments = 0
    /// Bytes of a compressed message before inflation.
    private var wireBytes = 0

    init(limits: WebSocketLimits) {
        self.limits = limits
    }

    /// Takes a data frame's header: order, fragment limits and size, all before the payload.
    mutating func begin(_ header: FrameHeader) throws(WebSocketError) {
        switch header.opcode {
        case .continuation:
            if kind == nil { throw .unexpectedContinuation }
        case .text, .binary:
            if kind != nil { throw .expectedContinuation(header.opcode) }
            kind = header.opcode == .text ? .text : .binary
            isCompressed = header.isCompressed
        case .close, .ping, .pong:
            return
        }
        fragments += 1
        if fragments > limits.maxFragments { throw .tooManyFragments(limit: limits.maxFragments) }
        if !header.isFinal, header.payloadBytes < limits.smallFragmentBytes {
            smallFragments += 1
            if smallFragments > limits.maxSmallFragments {
                throw .tooManySmallFragments(limit: limits.maxSmallFragments)
            }
        }
        // What deflate may add to data it cannot compress is far below an eighth.
        let allowance = isCompressed ? limits.maxMessageBytes / 8 + 1024 : 0
        let held = isCompressed ? wireBytes : bytes.count
        let (limit, overflow) = limits.maxMessageBytes.addingReportingOverflow(allowance)
        if header.payloadBytes > (overflow ? Int.max : limit) - held {
            throw .messageTooBig(
                bytes: header.payloadBytes.addingReportingOverflow(held).overflow
                    ? Int.max : header.payloadBytes + held,
                limit: limits.maxMessageBytes)
        }
        wireBytes += isCompressed ? header.payloadBytes : 0
    }

    /// The whole payload of an unfragmented, uncompressed message that lies in `input`: one copy, no state.
    mutating func whole(
        _ header: FrameHeader, _ input: Span<UInt8>, from start: Int
    ) throws(WebSocketError) -> [UInt8] {
        let message = Masking.masked(input, from: start, count: header.payloadBytes, key: header.maskKey ?? 0)
        if header.opcode == .text {
            var validator = UTF8Validator()
            guard validator.consume(message.span), validator.isComplete else { throw .invalidUTF8 }
        }
        reset()
        return message
    }

    /// Appends a part of the open frame's payload, which starts at offset `phase` of it.
    mutating func append(
        _ header: FrameHeader, _ input: Span<UInt8>, from start: Int, count: Int, phase: Int
    ) throws(WebSocketError) {
        let held = bytes.count
        if held == 0, count < header.payloadBytes {
            // Room ahead only in proportion to what has really arrived.
            bytes.reserveCapacity(
                min(header.payloadBytes, count.multipliedReportingOverflow(by: 8).partialValue))
        }
        Masking.append(
            input, from: start, count: count, key: header.maskKey ?? 0, phase: phase, to: &bytes)
        try validate(from: held)
    }

    /// Appends a part of a compressed message; `plain` is unmasked.
    mutating func inflate(
        _ plain: Span<UInt8>, with deflate: inout PermessageDeflate?
    ) throws(WebSocketError) {
        let held = bytes.count
        do throws(WebSocketError) {
            try deflate?.inflate(plain, into: &bytes, maxBytes: limits.maxMessageBytes)
        } catch {
            // What came out before the fault is judged first, so that the cutting of the input never shows.
            try validate(from: held)
            throw error
        }
        try validate(from: held)
    }

    /// Ends a compressed message.
    mutating func finishInflating(with deflate: inout PermessageDeflate?) throws(WebSocketError) {
        let held = bytes.count
        try deflate?.finishInflating(into: &bytes, maxBytes: limits.maxMessageBytes)
        try validate(from: held)
    }

    /// The message after its last frame; the assembler is then empty.
    mutating func finish() throws(WebSocketError) -> [UInt8] {
        if kind == .text, !text.isComplete { throw .invalidUTF8 }
        let message = bytes
        reset()
        return message
    }

    private mutating func validate(from start: Int) throws(WebSocketError) {
        guard kind == .text else { return }
        var validator = text
        guard validator.consume(bytes.span, from: start) else { throw .invalidUTF8 }
        text = validator
    }

    /// Forgets the open message and releases its memory.
    mutating func reset() {
        kind = nil
        isCompressed = false
        if !bytes.isEmpty { bytes = [] }
        text = UTF8Validator()
        fragments = 0
        smallFragments = 0
        wireBytes = 0
    }
}
