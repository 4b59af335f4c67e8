public import HTTPCore
public import Net
public import WebSocketCore

/// Everything a peer may make one connection hold or take, in one place.
public struct TransportLimits: Sendable {
    /// From the first byte of TCP to the end of the request head (and body): a peer that dribbles is cut.
    /// A phone on a bad network finishes TLS and a head of 1 KB within this.
    public var handshake: Duration = .seconds(10)
    /// How long an HTTP connection may wait for its next request.
    public var idleHTTP: Duration = .seconds(30)
    /// Requests before an HTTP connection is closed: bounds what one pipelined burst can ask for.
    public var maxRequests = 100
    /// From our close frame to the peer's; then the transport is ended.
    public var close: Duration = .seconds(5)
    /// Silence after which we ping; below the 30 s some mobile networks keep an idle mapping for.
    public var pingInterval: Duration = .seconds(20)
    /// Silence after the ping has left, after which the peer counts as gone.
    public var pingTimeout: Duration = .seconds(20)
    /// Messages waiting for a blocked peer.
    public var outbound = OutboundLimits()
    /// The byte stream below.
    public var stream = StreamLimits()
    /// Request heads and bodies.
    public var http = HTTPLimits()
    /// WebSocket messages.
    public var webSocket = WebSocketLimits()
    /// Connections of the whole server; further ones are closed at once. Twice the number this server is
    /// built for, and below the usual limit of descriptors.
    public var maxConnections = 20_000
    /// How long a drain waits for close frames before it cuts the rest.
    public var drain: Duration = .seconds(5)

    /// The defaults.
    public init() {}
}

/// Messages waiting for a peer that takes them too slowly.
public struct OutboundLimits: Equatable, Sendable {
    /// Unsent bytes in the stream up to which messages are encoded at once; above, they wait in the queue where
    /// they can still be dropped. Half a second of the fastest stream (music frames) is far below.
    public var streamBytes = 256 * 1024
    /// Lossy messages kept; above it the oldest are dropped.
    public var lossyBytes = 64 * 1024
    /// Must-deliver messages above which reading pauses: what the peer asks for would only queue up.
    public var pauseReadingBytes = 256 * 1024
    /// Must-deliver messages above which the connection is closed with 1013: the peer does not keep up.
    public var mustBytes = 4 * 1024 * 1024

    /// The defaults.
    public init() {}
}
