import Testing

@testable import Net

@Suite struct EpollTests {
    /// A source that counts.
    private final class Counter: EventSource {
        var events = 0
        override func ready(_ readiness: Readiness) { events += 1 }
    }

    /// Two events are in one batch; handling the first ends the second's registration and another source gets
    /// the same descriptor number. The stale event must not reach the newcomer (STYLE rule 9). The number is
    /// kept open here, as tests at the same time could take it; to the registry that is the same.
    @Test func staleEventNeverReachesAReusedDescriptor() throws {
        var epoll = try Epoll(capacity: 8)
        let old = Counter()
        let new = Counter()
        let descriptor = try Syscalls.eventDescriptor()
        try epoll.add(old, descriptor: descriptor.raw, for: .readable)
        Syscalls.signal(descriptor.raw)
        let stale = try epoll.wait(timeoutMs: 0)
        #expect(stale == 1)

        epoll.remove(descriptor: descriptor.raw)
        let orphan = epoll.event(0)?.source
        #expect(orphan == nil)
        try epoll.add(new, descriptor: descriptor.raw, for: .readable)
        let misdelivered = epoll.event(0)?.source
        #expect(misdelivered == nil)

        let fresh = try epoll.wait(timeoutMs: 0)
        #expect(fresh == 1)
        let delivered = epoll.event(0)?.source
        #expect(delivered === new)
    }
}
