import WebSocketCore

/// Hand-made frames, right and wrong: every bit is the caller's, nothing is shared with the encoder tested.
struct Wire {
    var first: UInt8
    var payload: [UInt8] = []
    var mask: [UInt8]? = [0x37, 0xFA, 0x21, 0x3D]
    /// Overrides the length bytes, the mask bit excluded.
    var length: [UInt8]?

    var bytes: [UInt8] {
        var lengthBytes =
            length
            ?? (payload.count < 126
                ? [UInt8(payload.count)]
                : payload.count < 65536
                    ? [126] + Self.bigEndian(payload.count, 2) : [127] + Self.bigEndian(payload.count, 8))
        if mask != nil { lengthBytes[0] |= 0x80 }
        let body = payload.enumerated().map { offset, byte in byte ^ (mask?[offset % 4] ?? 0) }
        return [first] + lengthBytes + (mask ?? []) + body
    }

    static func bigEndian(_ number: Int, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * (count - 1 - $0))) }
    }

    static func text(_ text: String, fin: Bool = true) -> [UInt8] {
        Wire(first: fin ? 0x81 : 0x01, payload: Array(text.utf8)).bytes
    }

    static func binary(_ payload: [UInt8], fin: Bool = true) -> [UInt8] {
        Wire(first: fin ? 0x82 : 0x02, payload: payload).bytes
    }

    static func continuation(_ payload: [UInt8], fin: Bool) -> [UInt8] {
        Wire(first: fin ? 0x80 : 0x00, payload: payload).bytes
    }

    static func ping(_ payload: [UInt8] = []) -> [UInt8] { Wire(first: 0x89, payload: payload).bytes }

    static func close(_ body: [UInt8] = []) -> [UInt8] { Wire(first: 0x88, payload: body).bytes }

    static func close(_ code: Int, _ reason: [UInt8] = []) -> [UInt8] {
        close(bigEndian(code, 2) + reason)
    }

    /// What a server sends.
    static func fromServer(_ first: UInt8, _ payload: [UInt8]) -> [UInt8] {
        Wire(first: first, payload: payload, mask: nil).bytes
    }

    /// A server's close frame.
    static func closeFromServer(_ code: CloseCode, _ reason: String = "") -> [UInt8] {
        fromServer(0x88, bigEndian(Int(code.rawValue), 2) + Array(reason.utf8))
    }
}

/// A connection with what came out of it, so that tests read as scripts.
final class Endpoint {
    var connection: WebSocketConnection
    var output: [UInt8] = []
    var events: [WebSocketEvent] = []

    init(_ connection: consuming WebSocketConnection) {
        self.connection = connection
    }

    static func server(
        _ limits: WebSocketLimits = WebSocketLimits(), compression: DeflateParameters? = nil,
        configuration: DeflateConfiguration = DeflateConfiguration(minCompressBytes: 0),
        pool: DeflateContextPool? = nil
    ) -> Endpoint {
        Endpoint(
            WebSocketConnection(
                role: .server, limits: limits, compression: compression, configuration: configuration,
                pool: pool))
    }

    static func client(
        _ limits: WebSocketLimits = WebSocketLimits(), compression: DeflateParameters? = nil,
        configuration: DeflateConfiguration = DeflateConfiguration(minCompressBytes: 0)
    ) -> Endpoint {
        Endpoint(
            WebSocketConnection(
                role: .client(maskKeys: { 0x3D21_FA37 }), limits: limits, compression: compression,
                configuration: configuration))
    }

    /// Feeds one read; returns its events.
    @discardableResult
    func receive(_ input: [UInt8]) -> [WebSocketEvent] {
        var position = 0
        var new: [WebSocketEvent] = []
        while let event = connection.nextEvent(input.span, at: &position, output: &output) {
            new.append(event)
        }
        events += new
        return new
    }

    @discardableResult
    func send(_ kind: MessageKind, _ payload: [UInt8]) -> Bool {
        connection.send(kind, payload, output: &output)
    }

    var state: WebSocketState { connection.state }
    var disconnectsAfterFlush: Bool { connection.disconnectsAfterFlush }
    var expectsClose: Bool { connection.expectsClose }

    @discardableResult
    func ping(_ payload: [UInt8] = []) -> Bool { connection.ping(payload, output: &output) }

    @discardableResult
    func pong(_ payload: [UInt8] = []) -> Bool { connection.pong(payload, output: &output) }

    @discardableResult
    func close(_ code: CloseCode = .normal, reason: String = "") -> Bool {
        connection.close(code, reason: reason, output: &output)
    }

    func takeOutput() -> [UInt8] {
        defer { output = [] }
        return output
    }
}
