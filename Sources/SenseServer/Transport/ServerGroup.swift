public import Net
import Synchronization
public import TLS

/// An address to serve on.
public struct ServerEndpoint: Sendable {
    /// Where to listen; port 0 lets the kernel choose.
    public var address: SocketAddress
    /// TLS, or nil for plain text.
    public var tls: TLSContext?
    /// Plain text beyond loopback, where others on the network can read and change everything.
    public var allowsPlainBeyondLoopback = false

    /// An endpoint; plain text is for loopback unless allowed explicitly.
    public init(address: SocketAddress, tls: TLSContext?, allowsPlainBeyondLoopback: Bool = false) {
        self.address = address
        self.tls = tls
        self.allowsPlainBeyondLoopback = allowsPlainBeyondLoopback
    }
}

/// Why a server did not start.
public enum ServerGroupError: Error, Equatable, Sendable {
    /// Plain text on an address that others can reach, without leave.
    case plainBeyondLoopback(SocketAddress)
    /// The address could not be opened.
    case cannotListen(SocketAddress, SystemError)
    /// A loop could not be made.
    case noLoop(SystemError)
}

/// The loops of a server and the ports they serve. The first loop accepts and hands each connection to the loop
/// with the fewest, as connections live for hours and an uneven start would stay uneven.
public final class ServerGroup: Sendable {
    /// One per loop.
    public let shards: [LoopShard]
    /// Where it listens, with the real ports, in the order of the endpoints.
    public let addresses: [SocketAddress]

    private let limits: TransportLimits
    private let listeners: ListenerSet

    /// Opens every endpoint and starts the loops.
    ///
    /// - Parameters:
    ///   - loops: how many threads serve connections; one per processor is best.
    ///   - gather: see `EventLoop`.
    ///   - slice: see `EventLoop`.
    public init(
        application: any TransportApplication, endpoints: [ServerEndpoint], loops: Int,
        gather: Duration? = nil, slice: Duration? = nil, limits: TransportLimits = TransportLimits()
    ) throws(ServerGroupError) {
        for endpoint in endpoints where endpoint.tls == nil && !endpoint.address.isLoopback {
            guard endpoint.allowsPlainBeyondLoopback else { throw .plainBeyondLoopback(endpoint.address) }
        }
        self.limits = limits
        var shards: [LoopShard] = []
        do throws(SystemError) {
            for index in 0..<max(1, loops) {
                let loop = try EventLoop(name: "loop \(index)", gather: gather, slice: slice)
                shards.append(
                    LoopShard(loop: loop, index: index, application: application, limits: limits))
            }
        } catch {
            throw .noLoop(error)
        }
        self.shards = shards
        let acceptor = shards[0].loop
        var opened: [Listener] = []
        for endpoint in endpoints {
            var options = ListenerOptions()
            options.unacknowledged = limits.stream.unacknowledged
            do throws(SystemError) {
                opened.append(
                    try Listener(loop: acceptor, address: endpoint.address, options: options) {
                        [shards, limits, tls = endpoint.tls] descriptor, peer in
                        Self.place(descriptor, peer, tls, shards, limits)
                    })
            } catch {
                throw .cannotListen(endpoint.address, error)
            }
        }
        addresses = opened.map(\.address)
        listeners = ListenerSet(opened)
        do throws(SystemError) {
            for shard in shards { try shard.loop.start() }
        } catch {
            throw .noLoop(error)
        }
        acceptor.post { [listeners] in listeners.start() }
    }

    private static func place(
        _ descriptor: consuming FileDescriptor, _ peer: SocketAddress?, _ tls: TLSContext?,
        _ shards: [LoopShard], _ limits: TransportLimits
    ) {
        var emptiest = shards[0]
        var total: UInt64 = 0
        var fewest = UInt64.max
        for shard in shards {
            let open = shard.counters.open.current
            total += open
            if open < fewest {
                fewest = open
                emptiest = shard
            }
        }
        guard total < UInt64(limits.maxConnections) else {
            shards[0].counters.refused.add()
            return
        }
        if emptiest === shards[0] {
            emptiest.adopt(descriptor, peer: peer, tls: tls)
            return
        }
        // A descriptor cannot travel inside a closure as an owned value; its number does.
        let number = descriptor.release()
        let isPosted = emptiest.loop.post { [emptiest] in
            emptiest.adopt(FileDescriptor(owning: number), peer: peer, tls: tls)
        }
        if !isPosted { _ = FileDescriptor(owning: number) }
    }

    /// The sum of one counter over all loops.
    public func sum(_ counter: (borrowing TransportCounters) -> UInt64) -> UInt64 {
        shards.reduce(0) { $0 &+ counter($1.counters) }
    }

    /// Stops accepting, lets every connection say goodbye, cuts the rest after `TransportLimits.drain`, ends the
    /// loops, then calls `done` once (on one of the loops' threads, as their last act). Any thread.
    public func drain(_ done: @escaping @Sendable () -> Void = {}) {
        shards[0].loop.post { [listeners] in listeners.close() }
        let remaining = Remaining(shards.count, done)
        for shard in shards {
            shard.loop.post {
                shard.drain {
                    shard.loop.stop()
                    remaining.countDown()
                }
            }
        }
    }

    /// Waits until all loops have ended. Never call it on a loop.
    public func join() {
        for shard in shards { shard.loop.join() }
    }
}

/// The listeners, touched on the accepting loop only.
///
/// `@unchecked Sendable`: made before the loop runs, then used in jobs of that loop alone; each call asserts it.
private final class ListenerSet: @unchecked Sendable {
    private let listeners: [Listener]

    init(_ listeners: [Listener]) { self.listeners = listeners }

    func start() {
        for listener in listeners { try? listener.start() }
    }

    func close() {
        for listener in listeners { listener.close() }
    }
}

/// Calls a closure when a number of parts are done.
private final class Remaining: Sendable {
    private let count: Mutex<Int>
    private let done: @Sendable () -> Void

    init(_ count: Int, _ done: @escaping @Sendable () -> Void) {
        self.count = Mutex(count)
        self.done = done
    }

    func countDown() {
        let isLast = count.withLock { count in
            count -= 1
            return count == 0
        }
        if isLast { done() }
    }
}
