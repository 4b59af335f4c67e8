public import HTTPCore
public import Net
public import WebSocketCore

/// A request with its body, as the application sees it.
public struct HTTPRequest: Sendable {
    /// The checked head.
    public let head: RequestHead
    /// The body, within `HTTPLimits.maxBodyBytes`.
    public let body: [UInt8]
    /// Where it came from.
    public let peer: SocketAddress?
    /// Whether it came through TLS.
    public let isSecure: Bool
}

/// What the application says to a request.
public enum HTTPAnswer {
    /// This response.
    case response(HTTPResponse)
    /// The application calls `ServerConnection.respond(_:)` later, on the connection's loop; the connection
    /// closes after it.
    case later
    /// A WebSocket, if the request asks for one properly and comes from an allowed origin. The closure makes
    /// the handler after the 101 response was written; the string is the subprotocol agreed on.
    case webSocket(
        ServerHandshake.Options, OriginPolicy,
        (ServerConnection, _ subprotocol: String?) -> any WebSocketHandler)
}

/// Decides what is served. One instance for all loops.
public protocol TransportApplication: Sendable {
    /// Answers a request. Isolation: the connection's loop; must not block.
    func answer(_ request: HTTPRequest, on connection: ServerConnection) -> HTTPAnswer
}

/// The application's side of one WebSocket. Called on the connection's loop only.
public protocol WebSocketHandler: AnyObject {
    /// Right after the handshake.
    func opened()
    /// A whole message.
    func received(_ kind: MessageKind, _ message: [UInt8])
    /// All waiting messages have been handed to the socket after some had to wait.
    func writable()
    /// The server is going down: say goodbye and `close` soon; the rest is cut after `TransportLimits.drain`.
    func draining()
    /// The transport is about to close because of `end`: a last message to send before the close frame, or nil.
    /// Must not send anything itself.
    func closing(_ end: WebSocketEnd) -> (kind: MessageKind, message: [UInt8])?
    /// The WebSocket has ended; the last call.
    func closed(_ end: WebSocketEnd)
}

/// How a WebSocket ended.
public enum WebSocketEnd: Equatable, Sendable {
    /// Both sides said close; the code is the peer's.
    case clean(CloseFrame)
    /// The peer broke the protocol.
    case protocolError(WebSocketError)
    /// The peer did not take its must-deliver messages.
    case tooSlow
    /// The peer gave no sign of life.
    case silent
    /// The peer did not answer our close frame in time.
    case closeTimeout
    /// The connection broke, or was aborted by us.
    case lost(StreamCloseReason)
}

extension WebSocketHandler {
    /// Nothing to do.
    public func opened() {}
    /// Nothing to do.
    public func writable() {}
    /// Nothing to say.
    public func closing(_ end: WebSocketEnd) -> (kind: MessageKind, message: [UInt8])? { nil }
    /// Nothing to do.
    public func closed(_ end: WebSocketEnd) {}
}
