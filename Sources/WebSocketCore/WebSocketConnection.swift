/// One WebSocket connection after its handshake, either role, without I/O (RFC 6455, RFC 7692): bytes in,
/// events and bytes out.
///
/// Contract for the owner of the socket:
/// ```swift
/// var position = 0
/// while let event = connection.nextEvent(input.span, at: &position, output: &output) { ... }
/// // all of `input` is used; write `output` at once, then:
/// if connection.disconnectsAfterFlush { ... close once `output` has left ... }
/// else if connection.expectsClose { ... arm the close timer, once ... }
/// ```
/// Sending between two events is fine and keeps the order. Bad input never throws and never traps: it gives
/// `failed` and a close frame. A peer can make `output` grow by at most the size of the pings it sent; the
/// owner stops reading while too much is unsent.
///
/// Isolation: its owner. A connection at rest holds no heap memory, apart from compression windows if context
/// takeover was agreed on.
public struct WebSocketConnection: ~Copyable {
    private var decoder: FrameDecoder
    private let encoder: FrameEncoder
    private let isServer: Bool
    private var assembler: MessageAssembler
    private var deflate: PermessageDeflate?
    /// The frame whose payload is being received.
    private var frame: FrameHeader?
    private var receivedBytes = 0
    private var control: [UInt8] = []
    /// Where the closing handshake stands.
    public private(set) var state = WebSocketState.open

    /// A connection right after the handshake.
    ///
    /// - Parameters:
    ///   - role: which end this is.
    ///   - limits: what the peer may make it hold.
    ///   - compression: the parameters agreed on in the handshake, if any.
    ///   - configuration: of the compression.
    ///   - pool: contexts shared by the connections of one loop; nil gives the connection its own.
    public init(
        role: WebSocketRole, limits: WebSocketLimits = WebSocketLimits(),
        compression: DeflateParameters? = nil,
        configuration: DeflateConfiguration = DeflateConfiguration(), pool: DeflateContextPool? = nil
    ) {
        isServer = role.expectsMask
        decoder = FrameDecoder(expectsMask: role.expectsMask, allowsCompression: compression != nil)
        encoder = FrameEncoder(role: role)
        assembler = MessageAssembler(limits: limits)
        if let compression {
            deflate = PermessageDeflate(
                compression, isServer: role.expectsMask, configuration: configuration,
                pool: pool ?? DeflateContextPool(maxIdleContexts: 0))
        } else {
            deflate = nil
        }
    }

    /// Sets the largest message taken from the peer, for frames that begin from now on: a peer that has said who it
    /// is may send more than a stranger. Negative numbers count as 0.
    public mutating func setMaxMessageBytes(_ bytes: Int) {
        assembler.limits.maxMessageBytes = max(0, bytes)
    }

    // MARK: Receiving

    /// The next event of the bytes received, or nil when all of them are used.
    ///
    /// - Parameters:
    ///   - input: the bytes of one read, the same until this returns nil; borrowed. What belongs to an
    ///     unfinished message is kept inside.
    ///   - position: index of the first unread byte; 0 for a fresh read.
    ///   - output: pongs and close frames are appended.
    public mutating func nextEvent(
        _ input: Span<UInt8>, at position: inout Int, output: inout [UInt8]
    ) -> WebSocketEvent? {
        if case .closed = state {
            position = input.count
            return nil
        }
        do {
            while let header = try openFrame(input, at: &position) {
                let available = input.count - position
                let missing = header.payloadBytes - receivedBytes
                if available >= missing, receivedBytes == 0, header.isFinal, !header.isCompressed,
                    header.opcode == .binary || header.opcode == .text
                {
                    let message = try assembler.whole(header, input, from: position)
                    position += missing
                    frame = nil
                    return header.opcode == .text ? .text(message) : .binary(message)
                }
                let count = min(available, missing)
                try take(header, input, from: position, count: count)
                position += count
                guard count == missing else {
                    frame = header
                    receivedBytes += count
                    return nil
                }
                frame = nil
                receivedBytes = 0
                if let event = try finish(header, output: &output) { return event }
            }
            return nil
        } catch {
            position = input.count
            return fail(error, output: &output)
        }
    }

    private mutating func openFrame(
        _ input: Span<UInt8>, at position: inout Int
    ) throws(WebSocketError) -> FrameHeader? {
        if let frame { return frame }
        guard let header = try decoder.next(input, at: &position) else { return nil }
        if !header.opcode.isControl { try assembler.begin(header) }
        return header
    }

    private mutating func take(
        _ header: FrameHeader, _ input: Span<UInt8>, from start: Int, count: Int
    ) throws(WebSocketError) {
        guard count > 0 else { return }
        let key = header.maskKey ?? 0
        if header.opcode.isControl {
            Masking.append(input, from: start, count: count, key: key, phase: receivedBytes, to: &control)
        } else if assembler.isCompressed {
            let plain = Masking.masked(input, from: start, count: count, key: key, phase: receivedBytes)
            try assembler.inflate(plain.span, with: &deflate)
        } else {
            try assembler.append(header, input, from: start, count: count, phase: receivedBytes)
        }
    }

    private mutating func finish(
        _ header: FrameHeader, output: inout [UInt8]
    ) throws(WebSocketError) -> WebSocketEvent? {
        switch header.opcode {
        case .continuation, .text, .binary:
            guard header.isFinal, let kind = assembler.kind else { return nil }
            if assembler.isCompressed { try assembler.finishInflating(with: &deflate) }
            let message = try assembler.finish()
            return kind == .text ? .text(message) : .binary(message)
        case .ping:
            let payload = takeControl()
            if case .open = state { encoder.append(.pong, payload.span, to: &output) }
            return .ping(payload)
        case .pong:
            return .pong(takeControl())
        case .close:
            return .close(try receiveClose(takeControl(), output: &output))
        }
    }

    private mutating func takeControl() -> [UInt8] {
        let payload = control
        if !control.isEmpty { control = [] }
        return payload
    }

    private mutating func receiveClose(
        _ body: [UInt8], output: inout [UInt8]
    ) throws(WebSocketError) -> CloseFrame {
        let received = try CloseFrame(body: body)
        if case .open = state {
            // The answer echoes the code alone (RFC 6455 section 5.5.1).
            encoder.append(.close, CloseFrame(code: received.code).body.span, to: &output)
        }
        end(.clean(received))
        return received
    }

    private mutating func end(_ outcome: WebSocketState.Outcome) {
        state = .closed(outcome)
        frame = nil
        receivedBytes = 0
        control = []
        assembler.reset()
        deflate = nil
    }

    private mutating func fail(_ error: WebSocketError, output: inout [UInt8]) -> WebSocketEvent {
        if case .open = state {
            encoder.append(
                .close, CloseFrame(code: error.closeCode, reason: error.reason).body.span, to: &output)
        }
        end(.failed(error))
        return .failed(error)
    }

    // MARK: Sending

    /// Appends a message as one frame, compressed where agreed on and worth it.
    ///
    /// - Returns: false when a close frame was sent or received: nothing may follow it, nothing was appended.
    @discardableResult
    public mutating func send(
        _ kind: MessageKind, _ payload: Span<UInt8>, output: inout [UInt8]
    ) -> Bool {
        guard case .open = state else { return false }
        let opcode: Opcode = kind == .text ? .text : .binary
        if let compressed = deflate?.deflate(payload) {
            encoder.append(opcode, compressed.span, isCompressed: true, to: &output)
        } else {
            encoder.append(opcode, payload, to: &output)
        }
        return true
    }

    /// As `send` with a span. Text must be valid UTF-8; the peer closes with 1007 otherwise.
    @discardableResult
    public mutating func send(_ kind: MessageKind, _ payload: [UInt8], output: inout [UInt8]) -> Bool {
        send(kind, payload.span, output: &output)
    }

    /// Appends a ping; the payload is cut to 125 bytes. Returns as `send`.
    @discardableResult
    public mutating func ping(_ payload: [UInt8] = [], output: inout [UInt8]) -> Bool {
        guard case .open = state else { return false }
        encoder.append(.ping, Array(payload.prefix(125)).span, to: &output)
        return true
    }

    /// Appends an unasked pong, cut to 125 bytes: a one-way heartbeat. Returns as `send`.
    @discardableResult
    public mutating func pong(_ payload: [UInt8] = [], output: inout [UInt8]) -> Bool {
        guard case .open = state else { return false }
        encoder.append(.pong, Array(payload.prefix(125)).span, to: &output)
        return true
    }

    /// Starts the closing handshake. Messages of the peer still arrive until its close frame does.
    ///
    /// - Parameters:
    ///   - code: one that may appear on the wire; others become 1011 (a fault of the caller).
    ///   - reason: cut to 123 bytes at a character's end.
    /// - Returns: false when a close frame was sent before.
    @discardableResult
    public mutating func close(
        _ code: CloseCode = .normal, reason: String = "", output: inout [UInt8]
    ) -> Bool {
        guard case .open = state else { return false }
        let sent = CloseFrame(code: code.mayAppearOnWire ? code : .internalError, reason: reason)
        encoder.append(.close, sent.body.span, to: &output)
        state = .closing(sent)
        return true
    }

    // MARK: Transport

    /// The transport ended: end of file, reset, or a timer of the owner fired.
    public mutating func transportEnded() {
        if case .closed = state { return }
        end(.lost)
    }

    /// Gives back memory an idle connection need not hold: our compression window.
    public mutating func releaseIdle() {
        deflate?.releaseIdle()
    }

    /// Whether the owner must end the transport once the output has left: always for a server whose close
    /// handshake is done (RFC 6455 section 7.1.1), for both roles after a failure.
    public var disconnectsAfterFlush: Bool {
        switch state {
        case .open, .closing: false
        case .closed(.clean): isServer
        case .closed(.failed), .closed(.lost): true
        }
    }

    /// Whether the peer is now due to do something: answer our close frame, or, for a client, end the transport.
    /// The owner arms its close timer when this becomes true.
    public var expectsClose: Bool {
        if case .open = state { return false }
        return true
    }
}
