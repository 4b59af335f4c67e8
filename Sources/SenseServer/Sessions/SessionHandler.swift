import SenseProtocol
import SessionCore
import WebSocketCore

/// Joins one WebSocket to one session. Isolation: the connection's loop; owned by the connection.
final class SessionHandler: WebSocketHandler, SessionTransport {
    private weak var connection: ServerConnection?
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

    func closed(_ end: WebSocketEnd) {
        log(.debug, "session \(session?.id.rawValue ?? 0) ended: \(end)")
        session?.disconnected()
        session = nil
    }

    func send(_ bytes: [UInt8], isText: Bool, _ delivery: SessionCore.DeliveryClass) {
        connection?.send(isText ? .text : .binary, bytes, delivery == .lossy ? .latest : .must)
    }

    func close(_ code: ErrorCode, reason: String) {
        connection?.close(
            CloseCode(rawValue: UInt16(clamping: code.rawValue)), reason: String(reason.prefix(100)))
    }
}
