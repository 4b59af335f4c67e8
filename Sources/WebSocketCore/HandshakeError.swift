public import HTTPCore

/// Why a handshake did not come about.
public enum HandshakeError: Error, Equatable, Sendable {
    /// The request asks for no upgrade to WebSocket; the answer is 426 with `Upgrade: websocket`.
    case notAnUpgrade
    /// Not GET.
    case wrongMethod(HTTPMethod)
    /// HTTP/1.0, which has no upgrade.
    case oldHTTPVersion
    /// Sec-WebSocket-Key that is not one field of 16 base64-encoded bytes.
    case invalidKey
    /// Sec-WebSocket-Version that is not 13; the answer is 426 and names 13.
    case unsupportedVersion
    /// Sec-WebSocket-Protocol with a member that is no token, or none that the server speaks where one is needed.
    case noCommonSubprotocol
    /// Sec-WebSocket-Extensions that is no extension list.
    case malformedExtensions
    /// Client: the server answered with this status instead of 101.
    case refused(statusCode: Int)
    /// Client: Upgrade or Connection of the answer do not name the upgrade.
    case answerIsNoUpgrade
    /// Client: Sec-WebSocket-Accept does not match the key.
    case wrongAccept
    /// Client: a subprotocol that was not offered.
    case unexpectedSubprotocol
    /// Client: an extension, or a parameter of one, that was not offered.
    case unexpectedExtension

    /// The server's answer, after which it closes.
    public var response: HTTPResponse {
        var response: HTTPResponse
        switch self {
        case .notAnUpgrade, .unsupportedVersion:
            response = .text(.upgradeRequired, "\(self)")
            response.fields.append("upgrade", "websocket")
            response.fields.append("connection", "upgrade")
            response.fields.append("sec-websocket-version", "13")
        case .wrongMethod:
            response = .text(.methodNotAllowed, "\(self)")
            response.fields.append("allow", "GET")
        case .oldHTTPVersion, .invalidKey, .noCommonSubprotocol, .malformedExtensions, .refused,
            .answerIsNoUpgrade, .wrongAccept, .unexpectedSubprotocol, .unexpectedExtension:
            response = .text(.badRequest, "\(self)")
        }
        response.closesConnection = true
        return response
    }
}

extension HandshakeError: CustomStringConvertible {
    /// One line for the answer or the log.
    public var description: String {
        switch self {
        case .notAnUpgrade: "this address speaks WebSocket: send Upgrade: websocket and Connection: upgrade"
        case .wrongMethod(let method): "a WebSocket handshake is a GET, not \(method.rawValue)"
        case .oldHTTPVersion: "a WebSocket handshake needs HTTP/1.1"
        case .invalidKey: "Sec-WebSocket-Key must be one field of 16 base64-encoded bytes"
        case .unsupportedVersion: "only Sec-WebSocket-Version 13 is spoken"
        case .noCommonSubprotocol: "none of the offered subprotocols is spoken here"
        case .malformedExtensions: "malformed Sec-WebSocket-Extensions"
        case .refused(let statusCode): "the server answered \(statusCode)"
        case .answerIsNoUpgrade: "the server's 101 does not upgrade to WebSocket"
        case .wrongAccept: "Sec-WebSocket-Accept does not match the key"
        case .unexpectedSubprotocol: "the server chose a subprotocol that was not offered"
        case .unexpectedExtension: "the server chose an extension that was not offered"
        }
    }
}
