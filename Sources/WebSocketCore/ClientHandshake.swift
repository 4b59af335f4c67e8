public import HTTPCore

/// The client's side of the opening handshake (RFC 6455 section 4.1).
public struct ClientHandshake: Equatable, Sendable {
    /// What the server agreed to.
    public struct Agreement: Equatable, Sendable {
        /// The subprotocol; nil when the server chose none.
        public let subprotocol: String?
        /// The compression; give it to `WebSocketConnection`.
        public let compression: DeflateParameters?
    }

    private let key: String
    private let subprotocols: [String]
    private let compression: DeflateConfiguration?
    /// The request's bytes.
    public let request: [UInt8]

    /// - Parameters:
    ///   - host: Host field, `host[:port]`; the port is left out if it is the scheme's own.
    ///   - target: path and query, beginning with `/`.
    ///   - nonce: 16 fresh random bytes (shorter or longer ones are filled with 0 or cut).
    ///   - subprotocols: offered, best first.
    ///   - compression: offered if not nil.
    ///   - fields: further ones, such as Authorization or Origin.
    public init(
        host: String, target: String, nonce: [UInt8], subprotocols: [String] = [],
        compression: DeflateConfiguration? = nil, fields: [(String, String)] = []
    ) {
        let nonce = Array(nonce.prefix(16)) + [UInt8](repeating: 0, count: max(0, 16 - nonce.count))
        key = Base64.encode(nonce)
        self.subprotocols = subprotocols
        self.compression = compression
        var lines = [
            ("host", host), ("upgrade", "websocket"), ("connection", "Upgrade"), ("sec-websocket-key", key),
            ("sec-websocket-version", "13"),
        ]
        if !subprotocols.isEmpty {
            lines.append(("sec-websocket-protocol", subprotocols.joined(separator: ", ")))
        }
        if let compression {
            lines.append(("sec-websocket-extensions", DeflateNegotiation.offer(compression)))
        }
        request = RequestHead(method: .get, target: target, host: host, fields: HTTPFields(lines + fields))
            .serialized()
    }

    /// Checks the server's answer. What follows it in the same read belongs to the connection.
    public func confirm(_ answer: ResponseHead) throws(HandshakeError) -> Agreement {
        guard answer.statusCode == 101 else { throw .refused(statusCode: answer.statusCode) }
        let fields = answer.fields
        guard fields.single("upgrade")?.lowercased() == "websocket", fields.hasMember("connection", "upgrade")
        else { throw .answerIsNoUpgrade }
        guard fields.single("sec-websocket-accept") == HandshakeKey.accept(for: key) else {
            throw .wrongAccept
        }
        let chosen = fields.values("sec-websocket-protocol")
        guard chosen.count <= 1, chosen.allSatisfy(subprotocols.contains) else {
            throw .unexpectedSubprotocol
        }
        let extensions = try ExtensionList(fields.values("sec-websocket-extensions"))
        return Agreement(
            subprotocol: chosen.first, compression: try DeflateNegotiation.confirm(extensions, compression))
    }
}
