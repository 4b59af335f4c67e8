public import Net
import WebSocketCore

/// One accepted connection: HTTP requests first, then perhaps a WebSocket. It joins the byte stream with the
/// parsers and the application, and owns the connection's deadlines.
///
/// Isolation: its loop, for every call; `handle` is for other threads.
public final class ServerConnection: StreamConnectionOwner {
    enum Phase {
        /// Reading requests; nil parser while the application owes an answer.
        case http
        /// Messages flow.
        case webSocket
        /// Our close frame has left or the peer broke the rules; no message flows any more.
        case closing
        /// Nothing flows any more; the stream drains or is gone.
        case ended
    }

    /// The loop and what its connections share.
    public let shard: LoopShard
    /// Unique within the loop.
    public let id: UInt64
    /// Whether the bytes are encrypted.
    public let isSecure: Bool

    let stream: StreamConnection
    var phase = Phase.http
    var http: HTTPExchange?
    var webSocket: WebSocketConnection?
    var handler: (any WebSocketHandler)?
    /// Exists only while messages wait.
    var queue: OutboundQueue?
    var timer: LoopTimer?
    var keepalive: Keepalive?
    var seenReceivedBytes: UInt64 = 0
    var seenAcknowledgedBytes: UInt64 = 0
    /// Why we ended it, if that is not what the stream will report.
    var endReason: WebSocketEnd?

    init(shard: LoopShard, id: UInt64, stream: StreamConnection, isSecure: Bool) {
        self.shard = shard
        self.id = id
        self.stream = stream
        self.isSecure = isSecure
        http = HTTPExchange(limits: shard.limits.http)
    }

    /// Reaches this connection from other threads.
    public var handle: ConnectionHandle { ConnectionHandle(shard: shard, id: id) }

    /// The other end.
    public var peer: SocketAddress? { stream.peer }

    func start() {
        schedule(after: shard.limits.handshake)
        do throws(SystemError) {
            try stream.start(owner: self)
        } catch {
            streamClosed(.failed(error))
        }
    }

    /// Ends the connection at once.
    public func abort() { stream.abort() }

    func drain() {
        switch phase {
        case .http:
            // A request under way gets its answer; an idle connection has nothing to lose.
            if http?.isIdle ?? false { stream.finish() } else { http?.closesAfterAnswer = true }
        case .webSocket: handler?.draining()
        case .closing, .ended: break
        }
    }

    // MARK: StreamConnectionOwner

    /// Called by the stream.
    public func streamOpened() {}

    /// Called by the stream.
    public func streamReceived(_ bytes: Span<UInt8>) {
        var position = 0
        if phase == .http { receiveHTTP(bytes, at: &position) }
        if phase == .webSocket || phase == .closing, position < bytes.count {
            receiveWebSocket(bytes, at: &position)
        }
    }

    /// Called by the stream.
    public func streamReceivedEnd() { stream.finish() }

    /// Called by the stream.
    public func streamWritable() { drainQueue() }

    /// Called by the stream.
    public func streamClosed(_ reason: StreamCloseReason) {
        if case .insecure = reason { shard.counters.insecure.add() }
        webSocket?.transportEnded()
        endWebSocket(endReason ?? .lost(reason))
        phase = .ended
        http = nil
        // Last: the end of a WebSocket arms it anew.
        timer?.cancel()
        timer = nil
        shard.remove(self)
    }

    // MARK: deadlines

    func schedule(after delay: Duration) {
        timer?.cancel()
        // Held by the timer, which is cancelled when the stream closes, at the latest.
        timer = shard.loop.schedule(after: delay) { [self] in deadlinePassed() }
    }

    private func deadlinePassed() {
        timer = nil
        switch phase {
        case .http:
            if !(http?.isIdle ?? true) || http?.answered == 0 { shard.counters.handshakeTimeouts.add() }
            stream.abort()
        case .webSocket: checkKeepalive()
        case .closing:
            endReason = endReason ?? .closeTimeout
            stream.abort()
        case .ended: break
        }
    }
}
