import Dispatch
import HTTPCore
import Net
import Synchronization
import TLS
import TestSupport
import Testing
import WebSocketCore

@testable import SenseServer

/// What a test wants of a WebSocket; the closures run on the connection's loop.
final class ScriptedHandler: WebSocketHandler {
    let connection: ServerConnection
    private let script: Script

    init(_ connection: ServerConnection, _ script: Script) {
        self.connection = connection
        self.script = script
    }

    func opened() { script.onOpen(connection) }
    func received(_ kind: MessageKind, _ message: [UInt8]) { script.onMessage(connection, kind, message) }
    func writable() { script.onWritable(connection) }
    func draining() { script.onDrain(connection) }
    func closing(_ end: WebSocketEnd) -> (kind: MessageKind, message: [UInt8])? {
        script.lastWords.map { (.text, Array($0.utf8)) }
    }
    func closed(_ end: WebSocketEnd) { script.onEnd(connection, end) }
}

struct Script: Sendable {
    var onOpen: @Sendable (ServerConnection) -> Void = { _ in }
    var onMessage: @Sendable (ServerConnection, MessageKind, [UInt8]) -> Void = { connection, kind, message in
        connection.send(kind, message)
    }
    var onWritable: @Sendable (ServerConnection) -> Void = { _ in }
    var onDrain: @Sendable (ServerConnection) -> Void = { $0.close(.goingAway) }
    var onEnd: @Sendable (ServerConnection, WebSocketEnd) -> Void = { _, _ in }
    var lastWords: String?
    var origins = OriginPolicy.any
    var options = ServerHandshake.Options()
}

/// `/ws` is the scripted WebSocket, `/health` and `/echo` are plain HTTP, `/later` is answered by a later job.
struct ScriptedApplication: TransportApplication {
    let script: Script

    func answer(_ request: HTTPRequest, on connection: ServerConnection) -> HTTPAnswer {
        switch request.head.path {
        case "/ws":
            return .webSocket(script.options, script.origins) { [script] connection, _ in
                ScriptedHandler(connection, script)
            }
        case "/health": return .response(.text(.ok, "ok"))
        case "/echo": return .response(HTTPResponse(status: .ok, body: request.body))
        case "/later":
            connection.handle.post { $0.respond(.text(.ok, "later")) }
            return .later
        default: return .response(.text(.notFound, "no such page"))
        }
    }
}

/// A running server on a free loopback port, ended with the test.
final class RunningServer: Sendable {
    let group: ServerGroup
    var port: UInt16 { group.addresses[0].port }

    init(
        _ script: Script = Script(), limits: TransportLimits = TransportLimits(), loops: Int = 1,
        tls: TLSContext? = nil
    ) throws {
        group = try ServerGroup(
            application: ScriptedApplication(script: script),
            endpoints: [ServerEndpoint(address: .loopback(port: 0), tls: tls)], loops: loops, limits: limits)
    }

    deinit {
        for shard in group.shards { shard.loop.stop() }
        group.join()
    }

    /// Waits until each loop has waited for a few milliseconds of its own time.
    func turn() {
        for shard in group.shards {
            let done = DispatchSemaphore(value: 0)
            shard.loop.post { shard.loop.schedule(after: .milliseconds(5)) { done.signal() } }
            _ = done.wait(timeout: .now() + 1)
        }
    }

    /// Takes turns until `condition` holds; false after about 10 s. For counters that the loops change.
    func eventually(_ condition: (ServerGroup) -> Bool) -> Bool {
        for _ in 0..<2000 {
            if condition(group) { return true }
            turn()
        }
        return false
    }
}

/// A WebSocket client over a blocking socket, with the handshake done by hand.
struct WebSocketPeer: ~Copyable {
    let socket: BlockingSocket
    private var connection: WebSocketConnection
    private var unread: [WebSocketEvent] = []

    static let request = request(path: "/ws", subprotocol: nil)

    private static func request(path: String, subprotocol: String?) -> String {
        "GET \(path) HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            + (subprotocol.map { "Sec-WebSocket-Protocol: \($0)\r\n" } ?? "")
            + "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n\r\n"
    }

    init(
        port: UInt16, path: String = "/ws", subprotocol: String? = nil, receiveBufferBytes: Int32? = nil
    ) throws {
        self.init(
            socket: try Self.upgraded(
                port, Self.request(path: path, subprotocol: subprotocol), receiveBufferBytes))
    }

    private init(socket: consuming BlockingSocket) {
        self.socket = socket
        connection = WebSocketConnection(role: .client(maskKeys: { 0x1234_5678 }), limits: .conformance)
    }

    private static func upgraded(
        _ port: UInt16, _ request: String, _ receiveBufferBytes: Int32?
    ) throws -> BlockingSocket {
        let socket = try BlockingSocket(port: port, receiveBufferBytes: receiveBufferBytes)
        try socket.send(request)
        var head: [UInt8] = []
        while !head.suffix(4).elementsEqual("\r\n\r\n".utf8) {
            let more = try socket.receive(exactly: 1)
            guard !more.isEmpty else { throw HandshakeError.answerIsNoUpgrade }
            head += more
        }
        guard head.starts(with: "HTTP/1.1 101".utf8) else {
            Issue.record("refused: \(String(decoding: head, as: UTF8.self))")
            throw HandshakeError.answerIsNoUpgrade
        }
        return socket
    }

    mutating func send(_ kind: MessageKind, _ message: [UInt8]) throws {
        var output: [UInt8] = []
        connection.send(kind, message, output: &output)
        try socket.send(output)
    }

    mutating func close(_ code: CloseCode) throws {
        var output: [UInt8] = []
        connection.close(code, output: &output)
        try socket.send(output)
    }

    /// The next event, answering pings and closes on the way; nil at the end of the stream.
    mutating func next() throws -> WebSocketEvent? {
        while unread.isEmpty {
            let bytes = try socket.receive()
            if bytes.isEmpty { return nil }
            var position = 0
            var output: [UInt8] = []
            while let event = connection.nextEvent(bytes.span, at: &position, output: &output) {
                unread.append(event)
            }
            if !output.isEmpty { try? socket.send(output) }
        }
        return unread.removeFirst()
    }
}

/// Values collected from the loops.
final class Collected<Value: Sendable>: Sendable {
    private let values = Mutex<[Value]>([])
    func add(_ value: Value) { values.withLock { $0.append(value) } }
    var all: [Value] { values.withLock { $0 } }
}
