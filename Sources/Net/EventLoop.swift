// Invariants that make the unsafe code safe: the read buffer lives as long as the loop and is lent only
// on the loop's thread, to one connection at a time; the thread's start argument is retained before the thread exists and
// released by it.
import CLinux
import Glibc
import Synchronization

/// One thread that waits for descriptors, deadlines and posted jobs, and runs what they call for.
///
/// Everything a loop owns (sources, timers, connections) is confined to its thread and needs no locks. Other
/// threads reach it through `post(_:)` alone.
///
/// `@unchecked Sendable`: all mutable state is confined to the loop's thread, which `assertOnLoop()` checks;
/// the mailbox and the thread id are synchronised.
@safe
public final class EventLoop: @unchecked Sendable {
    /// A job posted from another thread.
    public typealias Job = @Sendable () -> Void

    /// The name of the loop's thread, at most 15 bytes of it.
    public let name: String

    private let cpu: Int?
    private let clock: @Sendable () -> MonotonicInstant
    private let mailbox = Mailbox()
    private let wakeup: FileDescriptor
    /// 0 before the thread runs and after it ended.
    private let threadID = Atomic<UInt>(0)
    private let thread = Mutex<pthread_t?>(nil)

    // Confined to the loop's thread from here on.
    private var epoll: Epoll
    private var timers = TimerHeap()
    private var unflushed: [StreamConnection] = []
    private var deferred: [() -> Void] = []
    private var turnEnd: [() -> Void] = []
    private let gather: Duration?
    private let slice: Duration?
    private var gatherStart: MonotonicInstant
    private var gathered = 0
    private var cachedNow: MonotonicInstant
    private var isStopping = false
    var buffers = BufferPool()
    let readBuffer: UnsafeMutableBufferPointer<UInt8>
    var plaintextScratch = [UInt8](repeating: 0, count: Limits.plaintextScratchBytes)

    /// What a loop does at most in one turn, and the memory it lends to its connections.
    public enum Limits {
        /// Descriptors served between two looks at timers and mailbox.
        public static let eventsPerTurn = 256
        /// One read of a socket. Holds a pipelined burst or several TLS records, and stays in the L2 cache.
        public static let readBufferBytes = 64 * 1024
        /// Events within one gathering interval from which on a loop counts as busy.
        public static let busyEvents = 4
        /// Plaintext of one TLS record (16 KiB) at a time.
        public static let plaintextScratchBytes = 16 * 1024
    }

    /// Makes a loop; `start()` runs it.
    ///
    /// - Parameters:
    ///   - name: the thread's name.
    ///   - cpu: the processor to pin the thread to, or nil to let the kernel choose.
    ///   - gather: a busy loop looks at its descriptors only so often, and sleeps in between: many messages then share
    ///     one waking up, at the price of this much latency. Nil never sleeps while there is work. A loop is busy
    ///     while at least `Limits.busyEvents` events come within one interval; otherwise events are served at once.
    ///   - slice: the turns that the thread asks of the scheduler. A processor that is shared with others is given to short
    ///     turns sooner, so what a loop waits for it is less; its share stays the same. Nil leaves it to the system.
    ///   - clock: where time comes from; tests pass their own.
    public init(
        name: String, cpu: Int? = nil, gather: Duration? = nil, slice: Duration? = nil,
        clock: @escaping @Sendable () -> MonotonicInstant = { Syscalls.monotonicNow() }
    ) throws(SystemError) {
        self.name = name
        self.cpu = cpu
        self.clock = clock
        wakeup = try Syscalls.eventDescriptor()
        epoll = try Epoll(capacity: Limits.eventsPerTurn)
        cachedNow = clock()
        self.gather = gather
        self.slice = slice
        gatherStart = cachedNow
        unsafe readBuffer = .allocate(capacity: Limits.readBufferBytes)
        unsafe readBuffer.initialize(repeating: 0)
        let mail = MailSource()
        try epoll.add(mail, descriptor: wakeup.raw, for: .readable)
        mail.loop = self
    }

    deinit {
        unsafe readBuffer.deallocate()
    }

    // MARK: from any thread

    /// Starts the loop's thread.
    public func start() throws(SystemError) {
        let code = thread.withLock { thread -> Int32 in
            precondition(thread == nil, "a loop is started once")
            var id = pthread_t()
            let argument = unsafe Unmanaged.passRetained(self)
            let code = unsafe pthread_create(&id, nil, eventLoopThread, argument.toOpaque())
            if code == 0 { thread = id } else { unsafe argument.release() }
            return code
        }
        if code != 0 { throw SystemError(code: code, call: "pthread_create") }
    }

    /// Runs `job` on the loop, after those posted before it. False if the loop has stopped; the job is then
    /// dropped without being run.
    @discardableResult
    public func post(_ job: @escaping Job) -> Bool {
        switch mailbox.post(job) {
        case .first: Syscalls.signal(wakeup.raw)
        case .queued: break
        case .closed: return false
        }
        return true
    }

    /// Asks the loop to end after the jobs posted so far; connections still open are aborted.
    public func stop() { post { [unowned self] in isStopping = true } }

    /// Waits until the loop's thread has ended. Never call it on the loop.
    public func join() {
        precondition(!isOnLoop, "a loop cannot wait for itself")
        let id = thread.withLock { thread in
            defer { thread = nil }
            return thread
        }
        if let id { _ = pthread_join(id, nil) }
    }

    /// Whether the caller runs on this loop's thread.
    public var isOnLoop: Bool { threadID.load(ordering: .relaxed) == UInt(pthread_self()) }

    /// Traps if the caller is not on this loop's thread.
    public func assertOnLoop() {
        precondition(isOnLoop, "loop \(name): touched from another thread")
    }

    // MARK: on the loop

    /// The time at which the current event, timer or job began. Isolation: loop.
    public var now: MonotonicInstant { cachedNow }

    /// Runs `action` once after `delay`, unless the timer is cancelled or moved. Isolation: loop.
    @discardableResult
    public func schedule(after delay: Duration, _ action: @escaping () -> Void) -> LoopTimer {
        assertOnLoop()
        let timer = LoopTimer()
        timers.arm(timer, at: cachedNow.advanced(by: delay), action: action)
        return timer
    }

    /// Moves an armed timer to `delay` from now; O(1) when that is later than before. Isolation: loop.
    public func move(_ timer: LoopTimer, after delay: Duration) {
        assertOnLoop()
        timers.move(timer, to: cachedNow.advanced(by: delay))
    }

    /// Runs `action` when the current event is done, before the next: for callbacks that must not run inside
    /// the call that causes them. Isolation: loop.
    public func afterCurrentEvent(_ action: @escaping () -> Void) {
        assertOnLoop()
        deferred.append(action)
    }

    /// Runs `action` once, when all events, jobs and timers of this turn are done. Isolation: loop.
    public func atEndOfTurn(_ action: @escaping () -> Void) {
        assertOnLoop()
        turnEnd.append(action)
    }

    func register(_ source: EventSource, descriptor: Int32, for interest: Readiness) throws(SystemError) {
        assertOnLoop()
        try epoll.add(source, descriptor: descriptor, for: interest)
    }

    func change(descriptor: Int32, to interest: Readiness) throws(SystemError) {
        try epoll.change(descriptor: descriptor, to: interest)
    }

    func unregister(descriptor: Int32) {
        assertOnLoop()
        epoll.remove(descriptor: descriptor)
    }

    /// The connection has output; it is flushed once when the current event is done.
    func needsFlush(_ connection: StreamConnection) { unflushed.append(connection) }

    // MARK: the thread

    fileprivate func run() {
        threadID.store(UInt(pthread_self()), ordering: .relaxed)
        _ = unsafe clinux_name_thread(name)
        // Pinning is an optimisation; a processor that went offline must not stop the server.
        if let cpu { _ = clinux_pin_thread_to_cpu(Int32(cpu)) }
        if let slice { _ = clinux_set_thread_slice(slice.nanosecondsClamped) }
        while !isStopping { turn() }
        for job in mailbox.close() { job() }
        finishEvent()
        for source in epoll.removeAll() { source.loopStopped() }
        finishEvent()
        timers = TimerHeap()
        threadID.store(0, ordering: .relaxed)
    }

    private func turn() {
        let count: Int
        do throws(SystemError) {
            count = try epoll.wait(timeoutMs: waitTimeMs())
        } catch {
            preconditionFailure("loop \(name): \(error)")  // EINVAL only: a bug here.
        }
        cachedNow = clock()
        for index in 0..<count {
            guard let (source, readiness) = epoll.event(index) else { continue }
            source.ready(readiness)
            finishEvent()
        }
        while let action = timers.popDue(at: cachedNow) {
            action()
            finishEvent()
        }
        while !turnEnd.isEmpty {
            var actions: [() -> Void] = []
            swap(&actions, &turnEnd)
            for action in actions {
                action()
                finishEvent()
            }
        }
        if let gather { rest(gather, after: count) }
    }

    /// Sleeps for what is left of the interval, if this one was busy.
    private func rest(_ interval: Duration, after events: Int) {
        gathered += events
        let now = clock()
        let left = gatherStart.advanced(by: interval)
        if now < left {
            guard gathered >= Limits.busyEvents, !isStopping else { return }
            Syscalls.sleep(nanoseconds: left.nanoseconds - now.nanoseconds)
        }
        gathered = 0
        gatherStart = max(now, left)
    }

    fileprivate func readMail() {
        Syscalls.drain(wakeup.raw)
        for job in mailbox.take() {
            job()
            finishEvent()
        }
    }

    private func finishEvent() {
        while true {
            if !unflushed.isEmpty {
                if unflushed.count == 1 {
                    unflushed.removeLast().flush()
                } else {
                    var connections: [StreamConnection] = []
                    swap(&connections, &unflushed)
                    for connection in connections { connection.flush() }
                }
            } else if !deferred.isEmpty {
                var actions: [() -> Void] = []
                swap(&actions, &deferred)
                for action in actions { action() }
            } else {
                return
            }
        }
    }

    /// Rounded up, so that a deadline has passed when the wait ends.
    private func waitTimeMs() -> Int32 {
        guard let deadline = timers.nextDeadline else { return -1 }
        let now = clock()
        guard deadline > now else { return 0 }
        return Int32(clamping: (deadline.nanoseconds - now.nanoseconds - 1) / 1_000_000 + 1)
    }
}

/// Reads the loop's mailbox when its eventfd says so.
private final class MailSource: EventSource {
    unowned var loop: EventLoop?
    override func ready(_ readiness: Readiness) { loop?.readMail() }
}

private func eventLoopThread(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let argument = unsafe argument else { return nil }
    unsafe Unmanaged<EventLoop>.fromOpaque(argument).takeRetainedValue().run()
    return nil
}
