import Foundation
import Net
import SenseProtocol
import TestSupport
import Testing
import WebSocketCore

@testable import SenseServer

/// A whole server without models on free loopback ports, ended and deleted with the value.
final class WholeServer {
    let server: Server
    private let folder: String

    init() throws {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("server-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        folder = url.path
        let manifest = #"{"schema": 1, "models": []}"#
        try Data(manifest.utf8).write(to: url.appendingPathComponent("manifest.json"))
        var configuration = Configuration()
        configuration.listen = Configuration.Endpoint(host: "127.0.0.1", port: 0)
        configuration.insecureListen = Configuration.Endpoint(host: "127.0.0.1", port: 0)
        configuration.dataPath = folder
        configuration.modelsPath = folder
        configuration.loopCount = 1
        server = try Server(configuration, log: Log(level: .error) { _ in })
    }

    deinit {
        server.stop()
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// A device over plain text.
    func connect(subprotocol: String = "sense.v1") throws -> WebSocketPeer {
        try WebSocketPeer(
            port: #require(server.insecureAddress).port, path: "/v1", subprotocol: subprotocol)
    }

    /// The first device: pairs and waits for its Welcome.
    func pair(_ deviceClass: DeviceClass) throws -> WebSocketPeer {
        var peer = try connect()
        try peer.send(
            Hello(
                deviceClass: deviceClass, deviceName: "test",
                credential: .pairingCode(#require(server.pairingCode))))
        guard case .welcome? = try peer.nextBody() else { throw HandshakeError.answerIsNoUpgrade }
        return peer
    }
}

extension WebSocketPeer {
    mutating func send(_ hello: Hello) throws {
        try send(.binary, Envelope(seq: 1, body: .hello(hello)).serialized())
    }

    /// The body of the next envelope; nil if something else came.
    mutating func nextBody() throws -> Envelope.Body? {
        switch try next() {
        case .binary(let bytes): try Envelope.decode(bytes, limits: .media).message.body
        case .text(let text): try Envelope.decodeJSON(Array(text), limits: .media).message.body
        default: nil
        }
    }

    /// The next error, whatever else comes before.
    mutating func nextError() throws -> ErrorMessage? {
        while let body = try nextBody() {
            if case .error(let error) = body { return error }
        }
        return nil
    }
}
