// The one door to the kernel. Invariants that make the unsafe code safe: every pointer handed to a call comes
// from a buffer whose length is handed over with it and that outlives the call; no pointer is kept.
import CLinux
import Glibc

/// Every system call of this module, once. EINTR is retried, EAGAIN is a value, SIGPIPE is never raised, a bad
/// descriptor or pointer is a bug in this module and traps; everything else is a `SystemError`.
public enum Syscalls {
    // MARK: time

    /// CLOCK_MONOTONIC, the only clock this module reads.
    public static func monotonicNow() -> MonotonicInstant {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return MonotonicInstant(nanoseconds: UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec))
    }

    /// Sleeps, at most a second; a signal ends it early.
    static func sleep(nanoseconds: UInt64) {
        var time = timespec(tv_sec: 0, tv_nsec: Int(min(nanoseconds, 999_999_999)))
        unsafe _ = nanosleep(&time, nil)
    }

    // MARK: descriptors

    /// Closes a descriptor. Never retried: Linux frees the number even when close reports EINTR, and a second
    /// close could hit a descriptor that another thread has just opened.
    static func close(_ descriptor: Int32) {
        if Glibc.close(descriptor) != 0 {
            precondition(errno != EBADF, "closed a descriptor that was not open: \(descriptor)")
        }
    }

    static func setNonBlocking(_ descriptor: Int32) throws(SystemError) {
        let flags = fcntl(descriptor, F_GETFL)
        guard flags >= 0, fcntl(descriptor, F_SETFL, flags | O_NONBLOCK) == 0 else { throw failure("fcntl") }
    }

    // MARK: bytes

    /// Reads what is there; 0 means the peer has ended its direction.
    static func receive(
        _ descriptor: Int32, into buffer: UnsafeMutableBufferPointer<UInt8>
    ) throws(SystemError) -> IOResult<Int> {
        while true {
            let count = unsafe recv(descriptor, buffer.baseAddress, buffer.count, 0)
            if count >= 0 { return .done(count) }
            switch errno {
            case EINTR: continue
            case EAGAIN: return .wouldBlock
            default: throw failure("recv")
            }
        }
    }

    /// Sends as much as the socket takes; a closed peer is EPIPE, never a signal.
    static func send(_ descriptor: Int32, _ bytes: Span<UInt8>) throws(SystemError) -> IOResult<Int> {
        while true {
            let count = unsafe bytes.withUnsafeBytes {
                unsafe Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if count >= 0 { return .done(count) }
            switch errno {
            case EINTR: continue
            case EAGAIN, ENOBUFS: return .wouldBlock
            default: throw failure("send")
            }
        }
    }

    static func read(
        _ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer
    ) throws(SystemError) -> IOResult<Int> {
        while true {
            let count = unsafe Glibc.read(descriptor, buffer.baseAddress, buffer.count)
            if count >= 0 { return .done(count) }
            switch errno {
            case EINTR: continue
            case EAGAIN: return .wouldBlock
            default: throw failure("read")
            }
        }
    }

    // MARK: sockets

    static func streamSocket(family: Int32) throws(SystemError) -> FileDescriptor {
        let type = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        let raw = socket(family, type, 0)
        guard raw >= 0 else { throw failure("socket") }
        return FileDescriptor(owning: raw)
    }

    static func setOption(
        _ descriptor: Int32, level: Int32, name: Int32, value: Int32
    ) throws(SystemError) {
        var value = value
        let size = socklen_t(MemoryLayout<Int32>.size)
        guard unsafe setsockopt(descriptor, level, name, &value, size) == 0 else {
            throw failure("setsockopt")
        }
    }

    static func option(_ descriptor: Int32, level: Int32, name: Int32) throws(SystemError) -> Int32 {
        var value: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        guard unsafe getsockopt(descriptor, level, name, &value, &size) == 0 else {
            throw failure("getsockopt")
        }
        return value
    }

    /// TCP_USER_TIMEOUT: how long sent bytes may stay unacknowledged.
    static func setUserTimeout(_ descriptor: Int32, _ duration: Duration) throws(SystemError) {
        let milliseconds = Int32(clamping: duration.nanosecondsClamped / 1_000_000)
        try setOption(descriptor, level: Int32(IPPROTO_TCP), name: TCP_USER_TIMEOUT, value: milliseconds)
    }

    /// Bytes in the send queue that the peer's kernel has not acknowledged.
    static func unacknowledgedBytes(_ descriptor: Int32) -> Int {
        max(0, Int(clinux_unacknowledged_bytes(descriptor)))
    }

    static func bind(_ descriptor: Int32, _ address: SocketAddress) throws(SystemError) {
        let status = unsafe address.withSockaddr { unsafe Glibc.bind(descriptor, $0, $1) }
        guard status == 0 else { throw failure("bind") }
    }

    static func listen(_ descriptor: Int32, backlog: Int32) throws(SystemError) {
        guard Glibc.listen(descriptor, backlog) == 0 else { throw failure("listen") }
    }

    static func localAddress(_ descriptor: Int32) throws(SystemError) -> SocketAddress {
        var status: Int32 = 0
        let address = unsafe SocketAddress(filling: { unsafe status = getsockname(descriptor, $0, $1) })
        guard status == 0, let address else { throw failure("getsockname") }
        return address
    }

    /// Starts a connection; `.wouldBlock` means it goes on and the socket becomes writable when decided.
    static func connect(_ descriptor: Int32, _ address: SocketAddress) throws(SystemError) -> IOResult<Void> {
        let status = unsafe address.withSockaddr { unsafe Glibc.connect(descriptor, $0, $1) }
        if status == 0 { return .done(()) }
        // After EINTR the connection goes on by itself, as after EINPROGRESS.
        if errno == EINPROGRESS || errno == EINTR || errno == EAGAIN { return .wouldBlock }
        throw failure("connect")
    }

    static func accept(
        _ listener: Int32
    ) throws(SystemError) -> IOResult<(descriptor: Int32, peer: SocketAddress?)> {
        while true {
            var raw: Int32 = -1
            let peer = unsafe SocketAddress(filling: {
                unsafe raw = clinux_accept_nonblocking(listener, $0, $1)
            })
            if raw >= 0 { return .done((raw, peer)) }
            switch errno {
            // The peer gave up before we accepted, or the network had an error that belongs to that peer.
            case EINTR, ECONNABORTED, EPROTO, ENETDOWN, ENOPROTOOPT, EHOSTDOWN, ENONET, EHOSTUNREACH,
                ENETUNREACH:
                continue
            case EAGAIN: return .wouldBlock
            default: throw failure("accept4")
            }
        }
    }

    static func shutdownWriting(_ descriptor: Int32) {
        // ENOTCONN: the peer has reset the connection meanwhile; the next read tells.
        _ = shutdown(descriptor, Int32(SHUT_WR))
    }

    // MARK: epoll, eventfd, signalfd

    static func epollCreate() throws(SystemError) -> FileDescriptor {
        let raw = epoll_create1(Int32(EPOLL_CLOEXEC))
        guard raw >= 0 else { throw failure("epoll_create1") }
        return FileDescriptor(owning: raw)
    }

    static func epollControl(
        _ epoll: Int32, operation: Int32, descriptor: Int32, events: UInt32, data: UInt64
    ) throws(SystemError) {
        var event = unsafe epoll_event()
        unsafe event.events = events
        unsafe event.data.u64 = data
        guard unsafe epoll_ctl(epoll, operation, descriptor, &event) == 0 else { throw failure("epoll_ctl") }
    }

    /// Waits for readiness; an interrupted wait gives 0 events.
    static func epollWait(
        _ epoll: Int32, into events: UnsafeMutableBufferPointer<epoll_event>, timeoutMs: Int32
    ) throws(SystemError) -> Int {
        let count = unsafe epoll_wait(epoll, events.baseAddress, Int32(events.count), timeoutMs)
        if count >= 0 { return Int(count) }
        if errno == EINTR { return 0 }
        throw failure("epoll_wait")
    }

    static func eventDescriptor() throws(SystemError) -> FileDescriptor {
        let raw = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
        guard raw >= 0 else { throw failure("eventfd") }
        return FileDescriptor(owning: raw)
    }

    static func signalDescriptor(_ signals: [Int32]) throws(SystemError) -> FileDescriptor {
        let raw = unsafe clinux_signalfd(signals, Int32(signals.count))
        guard raw >= 0 else { throw failure("signalfd") }
        return FileDescriptor(owning: raw)
    }

    /// Adds one to an eventfd. A full counter is fine: the reader has been told already.
    static func signal(_ descriptor: Int32) {
        var one: UInt64 = 1
        while unsafe Glibc.write(descriptor, &one, 8) < 0, errno == EINTR {}
    }

    static func drain(_ descriptor: Int32) {
        var count: UInt64 = 0
        while unsafe Glibc.read(descriptor, &count, 8) < 0, errno == EINTR {}
    }

    // MARK: threads and processors

    /// How many processors this process may use.
    public static var usableProcessorCount: Int { Int(clinux_usable_cpu_count()) }

    private static func failure(_ call: String) -> SystemError {
        let code = errno
        precondition(code != EBADF && code != EFAULT, "\(call) got a bad descriptor or pointer")
        return SystemError(code: code, call: call)
    }
}
