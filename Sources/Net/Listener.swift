import Glibc

/// How a listener opens its port.
public struct ListenerOptions: Sendable {
    /// Several listeners share the port and the kernel spreads connections over them (SO_REUSEPORT).
    public var sharesPort = false
    /// Connections the kernel holds for us while we are busy; it caps the value at `net.core.somaxconn`.
    public var backlog: Int32 = 1024
    /// Connections accepted before other descriptors get their turn.
    public var acceptsPerTurn = 32
    /// The first pause after the process ran out of descriptors or memory; doubles up to `longestPause`.
    public var firstPause: Duration = .milliseconds(50)
    /// The longest pause between two attempts while out of descriptors or memory.
    public var longestPause: Duration = .seconds(1)
    /// Bytes the kernel takes beyond what it may send now (TCP_NOTSENT_LOWAT). What lies there cannot be dropped
    /// any more, so it stays small: a slow peer should see the newest frames, not those of 4 MB ago.
    public var unsentInKernelBytes: Int32 = 128 * 1024
    /// TCP_USER_TIMEOUT of accepted connections; see `StreamLimits.unacknowledged`.
    public var unacknowledged: Duration = .seconds(30)

    /// The defaults.
    public init() {}
}

/// A listening TCP socket on a loop.
///
/// When the process runs out of descriptors the pending connection stays in the kernel's queue and the socket
/// stays readable; so the listener turns its interest off and tries again after a pause, instead of spinning.
///
/// Isolation: its loop.
public final class Listener: EventSource {
    /// Receives each accepted connection: non-blocking, TCP_NODELAY and TCP_USER_TIMEOUT set.
    public typealias AcceptHandler = (consuming FileDescriptor, SocketAddress?) -> Void

    typealias AcceptCall = (Int32) throws(SystemError) -> IOResult<(descriptor: Int32, peer: SocketAddress?)>

    /// Where it listens; the port is the real one also if port 0 was asked for.
    public let address: SocketAddress
    /// How often accepting paused because the process was out of descriptors or memory.
    public private(set) var pauses = 0

    private let loop: EventLoop
    private let options: ListenerOptions
    private let accept: AcceptCall
    private let handler: AcceptHandler
    private var descriptor: FileDescriptor?
    private var isStarted = false
    private var pause: Duration
    private var pauseTimer: LoopTimer?

    /// Opens the port; `start()` begins to accept. May be called from any thread.
    public convenience init(
        loop: EventLoop, address: SocketAddress, options: ListenerOptions = ListenerOptions(),
        handler: @escaping AcceptHandler
    ) throws(SystemError) {
        try self.init(
            loop: loop, address: address, options: options,
            accept: { listener throws(SystemError) in try Syscalls.accept(listener) }, handler: handler)
    }

    init(
        loop: EventLoop, address: SocketAddress, options: ListenerOptions, accept: @escaping AcceptCall,
        handler: @escaping AcceptHandler
    ) throws(SystemError) {
        let socket = try Syscalls.streamSocket(family: address.systemFamily)
        try Syscalls.setOption(socket.raw, level: SOL_SOCKET, name: SO_REUSEADDR, value: 1)
        if options.sharesPort {
            try Syscalls.setOption(socket.raw, level: SOL_SOCKET, name: SO_REUSEPORT, value: 1)
        }
        if address.family == .v6 {
            try Syscalls.setOption(socket.raw, level: Int32(IPPROTO_IPV6), name: IPV6_V6ONLY, value: 1)
        }
        // Accepted sockets inherit these on Linux, which saves two calls a connection.
        try Syscalls.setOption(socket.raw, level: Int32(IPPROTO_TCP), name: TCP_NODELAY, value: 1)
        try Syscalls.setUserTimeout(socket.raw, options.unacknowledged)
        try Syscalls.setOption(
            socket.raw, level: Int32(IPPROTO_TCP), name: TCP_NOTSENT_LOWAT, value: options.unsentInKernelBytes
        )
        try Syscalls.bind(socket.raw, address)
        try Syscalls.listen(socket.raw, backlog: options.backlog)
        self.address = try Syscalls.localAddress(socket.raw)
        self.loop = loop
        self.options = options
        self.accept = accept
        self.handler = handler
        pause = options.firstPause
        descriptor = .some(consume socket)
        super.init()
    }

    /// Begins to accept. Isolation: loop.
    public func start() throws(SystemError) {
        guard let raw = descriptor?.raw else { return }
        try loop.register(self, descriptor: raw, for: .readable)
        isStarted = true
    }

    /// Stops accepting and frees the port. Isolation: loop.
    public func close() {
        guard let raw = descriptor?.raw else { return }
        if isStarted { loop.unregister(descriptor: raw) }
        loopStopped()
    }

    /// Called by the loop.
    public override func loopStopped() {
        pauseTimer?.cancel()
        pauseTimer = nil
        descriptor = nil
    }

    /// Called by the loop.
    public override func ready(_ readiness: Readiness) {
        for _ in 0..<options.acceptsPerTurn {
            guard let raw = descriptor?.raw else { return }  // The handler closed us.
            do throws(SystemError) {
                switch try accept(raw) {
                case .done(let accepted):
                    pause = options.firstPause
                    handler(FileDescriptor(owning: accepted.descriptor), accepted.peer)
                case .wouldBlock: return
                }
            } catch {
                // EMFILE, ENFILE, ENOBUFS, ENOMEM, and whatever else would fail again at once.
                pauseAccepting(raw)
                return
            }
        }
    }

    private func pauseAccepting(_ raw: Int32) {
        pauses += 1
        try? loop.change(descriptor: raw, to: [])
        pauseTimer = loop.schedule(after: pause) { [weak self] in self?.resumeAccepting() }
        pause = min(pause * 2, options.longestPause)
    }

    private func resumeAccepting() {
        pauseTimer = nil
        guard let raw = descriptor?.raw else { return }
        try? loop.change(descriptor: raw, to: .readable)
    }
}
