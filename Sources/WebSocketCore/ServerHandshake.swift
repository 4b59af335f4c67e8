public import HTTPCore

/// The server's side of the opening handshake (RFC 6455 section 4.2). Look at Origin, path and rights first.
public struct ServerHandshake: Equatable, Sendable {
    /// What a server offers.
    public struct Options: Equatable, Sendable {
        /// Subprotocols spoken; the client's order of preference decides.
        public var subprotocols: [String]
        /// Whether a client that offers none of them is refused.
        public var requiresSubprotocol: Bool
        /// Compression, or nil to decline it.
        public var compression: DeflateConfiguration?

        /// Nothing but plain WebSocket by default.
        public init(
            subprotocols: [String] = [], requiresSubprotocol: Bool = false,
            compression: DeflateConfiguration? = nil
        ) {
            self.subprotocols = subprotocols
            self.requiresSubprotocol = requiresSubprotocol
            self.compression = compression
        }
    }

    /// The subprotocol agreed on.
    public let subprotocol: String?
    /// The compression agreed on; give it to `WebSocketConnection`.
    public let compression: DeflateParameters?
    /// The 101 answer. What follows the request in the same read belongs to the connection.
    public let response: HTTPResponse

    /// Accepts a request.
    ///
    /// - Throws: why not; `error.response` is the answer, after which the server closes.
    public init(_ request: RequestHead, _ options: Options) throws(HandshakeError) {
        let fields = request.fields
        guard fields.hasMember("upgrade", "websocket"), fields.hasMember("connection", "upgrade") else {
            throw .notAnUpgrade
        }
        guard request.method == .get else { throw .wrongMethod(request.method) }
        guard request.minorVersion >= 1 else { throw .oldHTTPVersion }
        guard fields.single("sec-websocket-version") == "13" else { throw .unsupportedVersion }
        guard let key = fields.single("sec-websocket-key"), Base64.encodesSixteenBytes(key) else {
            throw .invalidKey
        }
        let offered = fields.members("sec-websocket-protocol")
        guard offered.allSatisfy({ ASCII.isToken($0.utf8) }) else { throw .noCommonSubprotocol }
        subprotocol = offered.first { options.subprotocols.contains($0) }
        if subprotocol == nil, options.requiresSubprotocol { throw .noCommonSubprotocol }

        var answer = HTTPFields([
            ("upgrade", "websocket"), ("connection", "Upgrade"),
            ("sec-websocket-accept", HandshakeKey.accept(for: key)),
        ])
        if let subprotocol { answer.append("sec-websocket-protocol", subprotocol) }
        let offers = try ExtensionList(fields.values("sec-websocket-extensions"))
        if let configuration = options.compression,
            let accepted = DeflateNegotiation.accept(offers, configuration)
        {
            compression = accepted.agreed
            answer.append("sec-websocket-extensions", accepted.answer)
        } else {
            compression = nil
        }
        response = HTTPResponse(status: .switchingProtocols, fields: answer)
    }
}
