import HTTPCore
import SenseServer
import WebSocketCore

/// Accepts a WebSocket on every path and sends each message back.
struct EchoApplication: TransportApplication {
    func answer(_ request: HTTPRequest, on connection: ServerConnection) -> HTTPAnswer {
        if request.head.path == "/health" { return .response(.text(.ok, "ok")) }
        // Small messages too: the Autobahn driver fails on an uncompressed answer to its 16-byte messages.
        let options = ServerHandshake.Options(compression: DeflateConfiguration(minCompressBytes: 0))
        return .webSocket(options, .any) { connection, _ in EchoHandler(connection) }
    }
}

private final class EchoHandler: WebSocketHandler {
    private let connection: ServerConnection

    init(_ connection: ServerConnection) { self.connection = connection }

    func received(_ kind: MessageKind, _ message: [UInt8]) { connection.send(kind, message) }

    func draining() { connection.close(.goingAway, reason: "the server is going down") }
}
