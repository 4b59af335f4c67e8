import Synchronization

/// What the transport counts; one object per loop, read by anyone, summed by `ServerGroup.counters`.
public final class TransportCounters: Sendable {
    /// One number that only one loop changes and any thread may read.
    public struct Counter: ~Copyable, Sendable {
        private let value = Atomic<UInt64>(0)

        init() {}

        /// The current value.
        public var current: UInt64 { value.load(ordering: .relaxed) }

        func add(_ amount: UInt64 = 1) { value.wrappingAdd(amount, ordering: .relaxed) }
        func subtract(_ amount: UInt64 = 1) { value.wrappingSubtract(amount, ordering: .relaxed) }
    }

    /// Connections that are open now.
    public let open = Counter()
    /// WebSockets that are open now.
    public let webSockets = Counter()
    /// Connections accepted.
    public let accepted = Counter()
    /// Connections closed at once because there were too many.
    public let refused = Counter()
    /// Connections that did not finish TLS and the request in time.
    public let handshakeTimeouts = Counter()
    /// Connections that failed TLS.
    public let insecure = Counter()
    /// HTTP requests answered, without upgrades.
    public let requests = Counter()
    /// HTTP requests refused as malformed.
    public let badRequests = Counter()
    /// Messages received.
    public let messagesIn = Counter()
    /// Messages sent or queued.
    public let messagesOut = Counter()
    /// Lossy messages dropped for slow peers.
    public let droppedLossy = Counter()
    /// Connections closed because the peer did not take must-deliver messages.
    public let tooSlow = Counter()
    /// Connections cut because the peer gave no sign of life.
    public let silent = Counter()
    /// WebSockets ended because the peer broke the protocol.
    public let protocolErrors = Counter()

    init() {}
}
