import Glibc

/// Why no connection came about.
public enum ConnectError: Error, Equatable, Sendable {
    /// There was no address to try.
    case noAddress
    /// Every address failed; the error of the last one.
    case failed(SocketAddress, SystemError)
    /// The time was over before any address answered.
    case timedOut
}

/// Connects to the first of several addresses that answers, one after the other, without blocking.
///
/// Isolation: its loop.
public final class ConnectAttempt: EventSource {
    /// Receives the connected socket or the reason there is none; called once, never inside `start`.
    public typealias Completion = (consuming Outcome) -> Void

    /// What an attempt gave.
    public enum Outcome: ~Copyable {
        /// Connected: the socket, non-blocking, and the address that answered.
        case connected(FileDescriptor, SocketAddress)
        /// Not connected.
        case failed(ConnectError)
    }

    private let loop: EventLoop
    private let unacknowledged: Duration
    private var remaining: ArraySlice<SocketAddress>
    private var completion: Completion?
    private var descriptor: FileDescriptor?
    private var current: SocketAddress?
    private var lastError: ConnectError = .noAddress
    private var timer: LoopTimer?

    private init(
        loop: EventLoop, addresses: [SocketAddress], unacknowledged: Duration,
        completion: @escaping Completion
    ) {
        self.loop = loop
        self.unacknowledged = unacknowledged
        remaining = addresses[...]
        self.completion = completion
        super.init()
    }

    /// Starts to connect; `timeout` is for all addresses together. The loop keeps the attempt alive.
    @discardableResult
    public static func start(
        loop: EventLoop, addresses: [SocketAddress], timeout: Duration,
        unacknowledged: Duration = StreamLimits().unacknowledged,
        completion: @escaping Completion
    ) -> ConnectAttempt {
        loop.assertOnLoop()
        let attempt = ConnectAttempt(
            loop: loop, addresses: addresses, unacknowledged: unacknowledged, completion: completion)
        attempt.timer = loop.schedule(after: timeout) { attempt.end(.failed(.timedOut)) }
        attempt.tryNext()
        return attempt
    }

    /// Gives up; the completion is not called.
    public func cancel() {
        completion = nil
        end(.failed(.timedOut))
    }

    /// Called by the loop: the socket is writable or failed, so the attempt is decided.
    public override func ready(_ readiness: Readiness) {
        guard let raw = descriptor?.raw, let address = current else { return }
        loop.unregister(descriptor: raw)
        let code = (try? Syscalls.option(raw, level: SOL_SOCKET, name: SO_ERROR)) ?? ECONNREFUSED
        guard code == 0 else {
            fail(address, SystemError(code: code, call: "connect"))
            return
        }
        deliverConnected(address)
    }

    /// Called by the loop.
    public override func loopStopped() {
        descriptor = nil
        end(.failed(.timedOut))
    }

    private func tryNext() {
        guard completion != nil else { return }
        guard let address = remaining.popFirst() else {
            let error = lastError
            loop.afterCurrentEvent { self.end(.failed(error)) }
            return
        }
        current = address
        do throws(SystemError) {
            let socket = try Syscalls.streamSocket(family: address.systemFamily)
            try Syscalls.setOption(socket.raw, level: Int32(IPPROTO_TCP), name: TCP_NODELAY, value: 1)
            try Syscalls.setUserTimeout(socket.raw, unacknowledged)
            let outcome = try Syscalls.connect(socket.raw, address)
            let raw = socket.raw
            descriptor = .some(consume socket)
            if case .done = outcome {
                loop.afterCurrentEvent { self.deliverConnected(address) }
            } else {
                try loop.register(self, descriptor: raw, for: .writable)
            }
        } catch {
            fail(address, error)
        }
    }

    private func fail(_ address: SocketAddress, _ error: SystemError) {
        descriptor = nil
        lastError = .failed(address, error)
        tryNext()
    }

    private func deliverConnected(_ address: SocketAddress) {
        guard let socket = descriptor.take() else { return }
        end(.connected(socket, address))
    }

    private func end(_ outcome: consuming Outcome) {
        timer?.cancel()
        timer = nil
        if let raw = descriptor?.raw {
            // Registered exactly while it is undecided; an immediate success is delivered before this.
            loop.unregister(descriptor: raw)
            descriptor = nil
        }
        guard let completion else { return }
        self.completion = nil
        completion(outcome)
    }
}
