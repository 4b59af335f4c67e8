public import Net
import TLS
import WebSocketCore

/// The part of the server that lives on one loop: its connections and what they share.
///
/// `@unchecked Sendable`: only `loop` and `counters` are touched by other threads, and both are Sendable; the
/// rest is confined to the loop, which asserts it.
public final class LoopShard: @unchecked Sendable {
    /// The loop.
    public let loop: EventLoop
    /// Its position among the server's loops.
    public let index: Int
    /// What its connections count.
    public let counters = TransportCounters()

    let application: any TransportApplication
    let limits: TransportLimits
    // Confined to the loop from here on.
    let deflatePool = DeflateContextPool()
    private var connections: [UInt64: ServerConnection] = [:]
    private var lastID: UInt64 = 0
    private(set) var isDraining = false

    init(loop: EventLoop, index: Int, application: any TransportApplication, limits: TransportLimits) {
        self.loop = loop
        self.index = index
        self.application = application
        self.limits = limits
    }

    /// Takes over an accepted socket. Isolation: loop.
    func adopt(_ descriptor: consuming FileDescriptor, peer: SocketAddress?, tls: TLSContext?) {
        loop.assertOnLoop()
        counters.accepted.add()
        guard !isDraining else { return }
        // An engine fails only without memory; the socket then closes, as its owner ends here.
        guard let engine = try? tls.map({ context throws(TLSError) in try context.makeEngine() }) ?? nil
        else {
            if tls != nil {
                counters.refused.add()
                return
            }
            start(
                StreamConnection(loop: loop, descriptor: descriptor, peer: peer, limits: limits.stream), false
            )
            return
        }
        start(
            StreamConnection(
                loop: loop, descriptor: descriptor, peer: peer, channel: engine, limits: limits.stream), true)
    }

    private func start(_ stream: StreamConnection, _ isSecure: Bool) {
        lastID += 1
        let connection = ServerConnection(shard: self, id: lastID, stream: stream, isSecure: isSecure)
        connections[lastID] = connection
        counters.open.add()
        connection.start()
    }

    func remove(_ connection: ServerConnection) {
        if connections.removeValue(forKey: connection.id) != nil { counters.open.subtract() }
    }

    /// The connection with this id, if it is still open. Isolation: loop.
    func connection(_ id: UInt64) -> ServerConnection? {
        loop.assertOnLoop()
        return connections[id]
    }

    /// Asks every connection to end, cuts the rest after the drain limit, then calls `done`. Isolation: loop.
    func drain(_ done: @escaping @Sendable () -> Void) {
        loop.assertOnLoop()
        guard !isDraining else { return }
        isDraining = true
        for connection in connections.values { connection.drain() }
        awaitEmpty(until: loop.now.advanced(by: limits.drain), done)
    }

    private func awaitEmpty(until deadline: MonotonicInstant, _ done: @escaping @Sendable () -> Void) {
        if connections.isEmpty {
            done()
        } else if loop.now >= deadline {
            for connection in Array(connections.values) { connection.abort() }
            loop.afterCurrentEvent { done() }
        } else {
            loop.schedule(after: .milliseconds(10)) { [self] in awaitEmpty(until: deadline, done) }
        }
    }
}
