import SenseProtocol
import SessionCore
import WebSocketCore

/// Joins one WebSocket to one session. Isolation: the connection's loop; owned by the connection.
final class SessionHandler: WebSocketHandler, SessionTransport {
    /// Held until the WebSocket ends.
    private var connection: ServerConnection?
    private let isJSON: Bool
    private let log: Log
    private var session: SessionConnection?

    init(
        connection: ServerConnection, services: ServerServices, batcher: LetterBatcher, subprotocol: String?,
        headerToken: String?
    ) {
        self.connection = connection
        isJSON = subprotocol == SenseApplication.jsonSubprotocol
        log = services.log
        session = SessionConnection(
            services: services, loop: connection.shard.loop, batcher: batcher, isJSON: isJSON,
            headerToken: headerToken, peer: connection.peer, transport: self)
    }

    func received(_ kind: MessageKind, _ message: [UInt8]) {
        if (kind == .text) == isJSON {
            session?.receive(message)
        } else {
            session?.receiveWrongKind(isText: kind == .text)
        }
    }

    func draining() { session?.drain(retryAfterMs: 1000) }

    func closing(_ end: WebSocketEnd) -> (kind: MessageKind, message: [UInt8])? {
        guard let session, let problem = Self.problem(end, session),
            let words = session.lastWords(problem)
        else { return nil }
        return (isJSON ? .text : .binary, words)
    }

    /// What the device is told before the transport closes.
    private static func problem(_ end: WebSocketEnd, _ session: SessionConnection) -> FieldProblem? {
        switch end {
        case .protocolError(.messageTooBig(let bytes, _)):
            FieldProblem(
                .tooLarge, field: "message", expected: "at most \(session.maxMessageBytes) bytes",
                got: "\(bytes) bytes")
        case .protocolError(let error):
            FieldProblem(.malformed, field: "frame", expected: "frames of RFC 6455", got: error.reason)
        case .tooSlow:
            FieldProblem(
                .unavailable, field: "session", expected: "messages to be taken as fast as they come",
                got: "too many that wait", retryAfterMs: 1000)
        case .clean, .silent, .closeTimeout, .lost: nil
        }
    }

    func closed(_ end: WebSocketEnd) {
        log(.debug, "session \(session?.id.rawValue ?? 0) ended: \(end)")
        session?.disconnected()
        session = nil
        connection = nil
    }

    func send(_ bytes: [UInt8], isText: Bool, _ delivery: DeliveryClass) {
        connection?.send(isText ? .text : .binary, bytes, delivery == .lossy ? .latest : .must)
    }

    func setMaxMessageBytes(_ bytes: Int) { connection?.setMaxMessageBytes(bytes) }

    func close(_ code: ErrorCode, reason: String) {
        connection?.close(
            CloseCode(rawValue: UInt16(clamping: code.rawValue)), reason: String(reason.prefix(100)))
    }
}
