// Invariant that makes the unsafe code safe: the loop's scratch buffers are used only within one call on the
// loop's thread, and no span or pointer into them or into `pending.bytes` is kept after it.
public import ByteCodec
import Glibc

/// A connected, non-blocking stream socket that belongs to one loop for life, with or without a secure channel.
///
/// Output is collected while an event is handled and sent with one system call (and encrypted with one call)
/// when the event is done. Only what the socket does not take stays in memory.
///
/// Isolation: its loop, for every call.
public final class StreamConnection: EventSource {
    private enum Phase {
        case open
        /// `finish()` was called: output drains, then our direction ends.
        case finishing
        /// Our direction has ended; waiting for the peer's end.
        case lingering
        case closed
    }

    /// The loop it lives on.
    public let loop: EventLoop
    /// The other end, nil if the socket has no address family we know.
    public let peer: SocketAddress?

    private let limits: StreamLimits
    private var descriptor: FileDescriptor?
    private let channel: (any SecureChannel)?
    private var owner: (any StreamConnectionOwner)?
    private var phase = Phase.open
    private var interest: Readiness = .readable
    /// What goes to the socket: plaintext, or ciphertext on a secure connection.
    private var pending = PendingWrites()
    /// Plaintext that the next flush encrypts; used on secure connections only.
    private var plaintext: [UInt8] = []
    private var isFlushQueued = false
    private var isOpen = false
    private var isReadPausedByOwner = false
    private var reportsWritable = false
    private var peerEnded = false
    private var lingerTimer: LoopTimer?
    private var lingeredBytes = 0

    /// Bytes received from the socket so far (ciphertext on a secure connection).
    public private(set) var receivedBytes: UInt64 = 0
    /// Bytes given to the socket so far (ciphertext on a secure connection).
    public private(set) var sentBytes: UInt64 = 0
    /// When bytes last arrived; when it was made, before the first.
    public private(set) var lastReceived: MonotonicInstant

    /// Takes over a connected socket. Nothing happens until `start(owner:)`.
    public init(
        loop: EventLoop, descriptor: consuming FileDescriptor, peer: SocketAddress?,
        channel: (any SecureChannel)? = nil, limits: StreamLimits = StreamLimits()
    ) {
        self.loop = loop
        self.peer = peer
        self.channel = channel
        self.limits = limits
        self.descriptor = .some(consume descriptor)
        lastReceived = loop.now
        super.init()
    }

    /// Registers with the loop and begins to read; the loop keeps the connection alive until it is closed.
    public func start(owner: any StreamConnectionOwner) throws(SystemError) {
        loop.assertOnLoop()
        try loop.register(self, descriptor: number, for: .readable)
        self.owner = owner
        guard let channel else {
            isOpen = true
            owner.streamOpened()
            return
        }
        do throws(SecureChannelError) {
            takeOutputBuffer()
            try channel.start(ciphertext: &pending.bytes)
            queueFlush()
        } catch {
            close(.insecure(error))
        }
    }

    // MARK: output

    /// Whether the owner may send more without being told to slow down.
    public var isWritable: Bool { phase == .open && unsentBytes <= limits.lowWaterBytes }

    /// Bytes accepted from the owner or produced by TLS that the socket has not taken.
    public var unsentBytes: Int { pending.count + plaintext.count }

    /// Bytes that the peer's kernel has acknowledged so far: what a slow but living peer makes grow while the
    /// socket takes nothing new from us. Costs a system call.
    public var acknowledgedBytes: UInt64 {
        guard let raw = descriptor?.raw else { return sentBytes }
        return sentBytes - min(sentBytes, UInt64(Syscalls.unacknowledgedBytes(raw)))
    }

    /// Whether the connection has ended for both directions.
    public var isClosed: Bool { phase == .closed }

    /// Lends the output buffer; what `body` appends is sent when the current event is done. Ignored (lent a
    /// throw-away buffer) after `finish()` and after the end.
    public func write<Result>(_ body: (inout [UInt8]) -> Result) -> Result {
        guard phase == .open, isOpen else {
            var nowhere: [UInt8] = []
            return body(&nowhere)
        }
        queueFlush()
        if channel == nil {
            takeOutputBuffer()
            return body(&pending.bytes)
        }
        if plaintext.capacity == 0 { plaintext = loop.buffers.take() }
        return body(&plaintext)
    }

    /// Asks for `streamWritable()` once, at the end of the first flush that leaves little enough unsent.
    public func notifyWhenWritable() {
        reportsWritable = true
        queueFlush()
    }

    /// Sends what was written, then ends our direction, then waits for the peer to end its own (at most the
    /// linger time) while throwing away what it still sends.
    public func finish() {
        loop.assertOnLoop()
        guard phase == .open else { return }
        phase = .finishing
        queueFlush()
        lingerTimer = loop.schedule(after: limits.linger) { [weak self] in self?.close(.finished) }
    }

    /// Ends the connection now, dropping unsent bytes. The owner hears of it when the current event is done.
    public func abort() { close(.aborted) }

    /// Stops or resumes handing over bytes from the peer; TCP then slows the peer down.
    public func setReading(paused: Bool) {
        isReadPausedByOwner = paused
        updateInterest()
    }

    // MARK: events

    /// Called by the loop.
    public override func ready(_ readiness: Readiness) {
        if readiness.contains(.writable) { flush() }
        guard phase != .closed else { return }
        if readiness.isDisjoint(with: [.readable, .failed, .hungUp]) { return }
        // With reading paused an error or hang-up would be reported for ever: the peer is gone, so are we.
        if interest.contains(.readable) {
            read()
        } else if !readiness.isDisjoint(with: [.failed, .hungUp]) {
            let code = (try? Syscalls.option(number, level: SOL_SOCKET, name: SO_ERROR)) ?? 0
            close(code == 0 ? .finished : .failed(SystemError(code: code, call: "poll")))
        }
    }

    /// Called by the loop.
    public override func loopStopped() {
        guard phase != .closed else { return }
        close(.loopStopped, isRegistered: false)
    }

    private func read() {
        let count: Int
        do throws(SystemError) {
            switch unsafe try Syscalls.receive(number, into: loop.readBuffer) {
            case .done(let received): count = received
            case .wouldBlock: return
            }
        } catch {
            close(.failed(error))
            return
        }
        if count == 0 {
            receivedEnd()
            return
        }
        receivedBytes &+= UInt64(count)
        if phase == .lingering {
            lingeredBytes += count
            if lingeredBytes > limits.lingerBytes { close(.finished) }
            return
        }
        lastReceived = loop.now
        let received = unsafe Span<UInt8>(_unsafeElements: loop.readBuffer.extracting(..<count))
        if let channel {
            receive(received, through: channel)
        } else if phase == .open {
            owner?.streamReceived(received)
        }
    }

    private func receive(_ received: Span<UInt8>, through channel: any SecureChannel) {
        // The channel writes to its own buffer: the owner may write to this connection while it delivers.
        var ciphertext = loop.buffers.take()
        var failure: SecureChannelError?
        do throws(SecureChannelError) {
            try channel.receive(received, scratch: &loop.plaintextScratch, ciphertext: &ciphertext) { bytes in
                guard phase == .open else { return }
                reportOpenIfReady()
                owner?.streamReceived(bytes)
            }
        } catch {
            failure = error
        }
        if !ciphertext.isEmpty, phase != .closed {
            takeOutputBuffer()
            pending.bytes.append(contentsOf: ciphertext)
            queueFlush()
        }
        loop.buffers.give(ciphertext)
        guard phase != .closed else { return }
        if let failure {
            // The alert should reach the peer if the socket takes it now; more is not owed.
            sendPending()
            close(.insecure(failure))
            return
        }
        reportOpenIfReady()
        if channel.state == .peerClosed { receivedEnd() }
    }

    private func reportOpenIfReady() {
        guard !isOpen, let channel, channel.state != .handshaking, channel.state != .failed else { return }
        isOpen = true
        owner?.streamOpened()
    }

    private func receivedEnd() {
        guard !peerEnded, phase != .closed else { return }
        peerEnded = true
        if phase == .lingering {
            close(.finished)
            return
        }
        updateInterest()
        if !isOpen {
            close(.insecure(.handshakeFailed(reason: "the peer closed during the handshake")))
        } else if phase == .open {
            owner?.streamReceivedEnd()
        }
    }

    // MARK: flushing

    private func queueFlush() {
        guard !isFlushQueued, phase != .closed else { return }
        isFlushQueued = true
        loop.needsFlush(self)
    }

    /// Called by the loop when the current event is done, and when the socket is writable again.
    func flush() {
        isFlushQueued = false
        guard phase != .closed else { return }
        if let channel, isOpen, phase != .lingering {
            guard encrypt(with: channel) else { return }
        }
        guard sendPending() else { return }
        if pending.isEmpty {
            returnOutputBuffer()
            if phase == .finishing { endOurDirection() }
        }
        guard phase != .closed else { return }
        let unsent = pending.count
        if unsent > limits.hardCapBytes {
            close(.overflow(unsentBytes: unsent))
            return
        }
        if unsent > limits.lowWaterBytes {
            reportsWritable = true
        } else if reportsWritable {
            reportsWritable = false
            if phase == .open { owner?.streamWritable() }
        }
        updateInterest()
    }

    private func encrypt(with channel: any SecureChannel) -> Bool {
        if !plaintext.isEmpty {
            takeOutputBuffer()
            do throws(SecureChannelError) {
                try channel.send(plaintext.span, ciphertext: &pending.bytes)
            } catch {
                close(.insecure(error))
                return false
            }
        }
        if plaintext.capacity > 0 {
            var buffer: [UInt8] = []
            swap(&buffer, &plaintext)
            loop.buffers.give(buffer)
        }
        if phase == .finishing {
            takeOutputBuffer()
            channel.close(ciphertext: &pending.bytes)
        }
        return true
    }

    /// Offers the unsent bytes to the socket once; false if the connection failed.
    @discardableResult
    private func sendPending() -> Bool {
        guard !pending.isEmpty else { return true }
        do throws(SystemError) {
            sentBytes &+= UInt64(try pending.send(to: number))
            return true
        } catch {
            close(.failed(error))
            return false
        }
    }

    private func endOurDirection() {
        phase = .lingering
        if peerEnded {
            close(.finished)
        } else {
            Syscalls.shutdownWriting(number)
        }
    }

    private func takeOutputBuffer() {
        if pending.bytes.capacity == 0 { pending.bytes = loop.buffers.take() }
    }

    private func returnOutputBuffer() {
        guard pending.isEmpty, pending.bytes.capacity > 0 else { return }
        loop.buffers.give(pending.takeBuffer())
    }

    private func updateInterest() {
        guard phase != .closed else { return }
        var wanted: Readiness = []
        let isFull = pending.count > limits.pauseReadingBytes
        if !peerEnded, !isReadPausedByOwner || phase != .open, !isFull || phase == .lingering {
            // Hysteresis: once paused for being full, wait for the low-water mark.
            if interest.contains(.readable) || pending.count <= limits.lowWaterBytes || phase == .lingering {
                wanted.insert(.readable)
            }
        }
        if !pending.isEmpty { wanted.insert(.writable) }
        guard wanted != interest else { return }
        interest = wanted
        do throws(SystemError) {
            try loop.change(descriptor: number, to: wanted)
        } catch {
            close(.failed(error))
        }
    }

    // MARK: end

    private var number: Int32 {
        guard let raw = descriptor?.raw else { preconditionFailure("the connection is closed") }
        return raw
    }

    private func close(_ reason: StreamCloseReason, isRegistered: Bool = true) {
        guard phase != .closed else { return }
        phase = .closed
        lingerTimer?.cancel()
        lingerTimer = nil
        if isRegistered { loop.unregister(descriptor: number) }
        descriptor = nil
        pending = PendingWrites()
        plaintext = []
        loop.afterCurrentEvent { [self] in
            owner?.streamClosed(reason)
            owner = nil
        }
    }
}
