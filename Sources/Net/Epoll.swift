// Invariant that makes the unsafe code safe: the event array is allocated once with `capacity` slots, `wait` tells
// the kernel that capacity, and only the slots the kernel says it filled are read.
import CLinux

/// What a descriptor is ready for.
public struct Readiness: OptionSet, Sendable {
    /// The epoll event bits.
    public let rawValue: UInt32
    /// Wraps epoll event bits.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Bytes, a connection or the end of the stream can be read.
    public static let readable = Readiness(rawValue: EPOLLIN.rawValue)
    /// Bytes can be written, or a connect is decided.
    public static let writable = Readiness(rawValue: EPOLLOUT.rawValue)
    /// An error is pending on the descriptor. Always reported, never asked for.
    public static let failed = Readiness(rawValue: EPOLLERR.rawValue)
    /// Both directions have ended. Always reported, never asked for.
    public static let hungUp = Readiness(rawValue: EPOLLHUP.rawValue)
}

/// Something with a descriptor on a loop. The loop keeps it alive while it is registered.
///
/// Isolation: its loop.
open class EventSource {
    /// Only subclasses make sense.
    public init() {}

    /// The descriptor is ready. Level-triggered: what is left undone is reported again.
    open func ready(_ readiness: Readiness) {}

    /// The loop ends and has unregistered the source, which should close what it holds.
    open func loopStopped() {}
}

/// The kernel's readiness queue and who is registered in it.
///
/// Each registration has a number of its own that travels with the events. A descriptor number that is closed and
/// opened again within one batch of events gets a new registration, so events of the old one find nobody.
@safe struct Epoll: ~Copyable {
    private struct Registration {
        var id: UInt32
        var source: EventSource
    }

    private let descriptor: FileDescriptor
    /// By descriptor number.
    private var registrations: [Registration?] = []
    private var lastID: UInt32 = 0
    private let events: UnsafeMutableBufferPointer<epoll_event>

    init(capacity: Int) throws(SystemError) {
        descriptor = try Syscalls.epollCreate()
        unsafe events = .allocate(capacity: capacity)
    }

    deinit { unsafe events.deallocate() }

    mutating func add(_ source: EventSource, descriptor number: Int32, for interest: Readiness)
        throws(SystemError)
    {
        lastID &+= 1
        try control(EPOLL_CTL_ADD, number, interest, id: lastID)
        let index = Int(number)
        while registrations.count <= index { registrations.append(nil) }
        precondition(registrations[index] == nil, "descriptor \(number) is registered twice")
        registrations[index] = Registration(id: lastID, source: source)
    }

    mutating func change(descriptor number: Int32, to interest: Readiness) throws(SystemError) {
        guard let registration = registrations[Int(number)] else {
            preconditionFailure("descriptor \(number) is not registered")
        }
        try control(EPOLL_CTL_MOD, number, interest, id: registration.id)
    }

    mutating func remove(descriptor number: Int32) {
        precondition(registrations[Int(number)] != nil, "descriptor \(number) is not registered")
        registrations[Int(number)] = nil
        // Cannot fail for a registered, open descriptor; the kernel would drop it at close anyway.
        try? control(EPOLL_CTL_DEL, number, [], id: 0)
    }

    /// Ends every registration and returns whom they were for.
    mutating func removeAll() -> [EventSource] {
        let sources = registrations.compactMap { $0?.source }
        for (number, registration) in registrations.enumerated() where registration != nil {
            remove(descriptor: Int32(number))
        }
        return sources
    }

    /// Waits for events and returns how many came; read them with `event(_:)` before the next wait.
    func wait(timeoutMs: Int32) throws(SystemError) -> Int {
        unsafe try Syscalls.epollWait(descriptor.raw, into: events, timeoutMs: timeoutMs)
    }

    /// The source an event of the last wait is for; nil if its registration has ended since.
    func event(_ index: Int) -> (source: EventSource, readiness: Readiness)? {
        let event = unsafe events[index]
        let (data, bits) = unsafe (event.data.u64, event.events)
        let number = Int(UInt32(truncatingIfNeeded: data))
        guard let registration = registrations[number],
            registration.id == UInt32(truncatingIfNeeded: data >> 32)
        else { return nil }
        return (registration.source, Readiness(rawValue: bits))
    }

    private func control(
        _ operation: Int32, _ number: Int32, _ interest: Readiness, id: UInt32
    ) throws(SystemError) {
        try Syscalls.epollControl(
            descriptor.raw, operation: operation, descriptor: number, events: interest.rawValue,
            data: UInt64(id) << 32 | UInt64(UInt32(bitPattern: number)))
    }
}
