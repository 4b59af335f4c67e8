import Glibc
import Synchronization
import TestSupport
import Testing

@testable import Net

@Suite struct ListenerTests {
    @Test func acceptedSocketsHaveTheOptionsOfTheListener() throws {
        let fixture = try LoopFixture()
        let loop = fixture.loop
        let options = Awaited<[Int32]>()
        let port = try fixture.onLoop {
            let listener = try Listener(loop: loop, address: .loopback(port: 0)) { descriptor, peer in
                let tcp = Int32(IPPROTO_TCP)
                let values = [TCP_NODELAY, TCP_USER_TIMEOUT, TCP_NOTSENT_LOWAT].map { name in
                    (try? Syscalls.option(descriptor.raw, level: tcp, name: name)) ?? -1
                }
                options.set(values + [fcntl(descriptor.raw, F_GETFL) & O_NONBLOCK])
            }
            try listener.start()
            return listener.address.port
        }
        let client = try BlockingSocket(port: port)
        #expect(options.wait() == [1, 30_000, 128 * 1024, O_NONBLOCK])
        _ = client
    }

    /// Fault 17: accept fails with EMFILE while the socket stays readable. A naive loop spins at 100 % CPU or
    /// never accepts again. The kernel's part is played: accept fails until `isFull` is cleared.
    @Test func fault17OutOfDescriptorsPausesAndRecovers() throws {
        let fixture = try LoopFixture()
        let loop = fixture.loop
        let isFull = Mutex(true)
        let attempts = Mutex(0)
        let accepted = Awaited<Bool>()
        var options = ListenerOptions()
        options.firstPause = .milliseconds(10)
        options.longestPause = .milliseconds(40)
        let (port, cpuBefore) = try fixture.onLoop { [options] in
            let listener = try Listener(
                loop: loop, address: .loopback(port: 0), options: options,
                accept: { raw throws(SystemError) in
                    attempts.withLock { $0 += 1 }
                    if isFull.withLock({ $0 }) { throw SystemError(code: EMFILE, call: "accept4") }
                    return try Syscalls.accept(raw)
                },
                handler: { _, _ in accepted.set(true) })
            try listener.start()
            return (listener.address.port, Self.threadCPUNanoseconds())
        }
        let client = try BlockingSocket(port: port)
        // 200 ms of the loop's own clock with the connection pending.
        let waited = Awaited<Int>()
        try fixture.onLoop {
            _ = loop.schedule(after: .milliseconds(200)) { waited.set(attempts.withLock { $0 }) }
        }
        let tries = waited.wait()
        let cpu = try fixture.onLoop { Self.threadCPUNanoseconds() } - cpuBefore
        #expect(tries >= 2 && tries <= 12, "paused and doubling: \(tries) attempts in 200 ms")
        #expect(cpu < 10_000_000, "the loop used \(cpu) ns of CPU, more than 5 % of 200 ms")
        isFull.withLock { $0 = false }
        #expect(accepted.wait())
        _ = client
    }

    @Test func closingFreesThePort() throws {
        let fixture = try LoopFixture()
        let loop = fixture.loop
        let port = try fixture.onLoop {
            let listener = try Listener(loop: loop, address: .loopback(port: 0)) { _, _ in }
            try listener.start()
            listener.close()
            return listener.address.port
        }
        let error = #expect(throws: BlockingSocket.Failure.self) { _ = try BlockingSocket(port: port) }
        #expect(error?.code == ECONNREFUSED)
    }

    private static func threadCPUNanoseconds() -> UInt64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}
