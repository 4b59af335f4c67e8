import Synchronization
import Testing

@testable import Net

@Suite struct EventLoopTests {
    @Test func jobsOfOneThreadRunInOrder() throws {
        let fixture = try LoopFixture()
        let seen = Mutex<[Int]>([])
        for number in 0..<1000 { fixture.loop.post { seen.withLock { $0.append(number) } } }
        let result = try fixture.onLoop { seen.withLock { $0 } }
        #expect(result == Array(0..<1000))
    }

    @Test func knowsItsOwnThread() throws {
        let fixture = try LoopFixture()
        #expect(!fixture.loop.isOnLoop)
        let loop = fixture.loop
        #expect(try fixture.onLoop { loop.isOnLoop })
    }

    @Test func touchingALoopFromAnotherThreadTraps() async {
        await #expect(processExitsWith: .failure) {
            let loop = try EventLoop(name: "test")
            try loop.start()
            loop.schedule(after: .seconds(1)) {}
        }
    }

    @Test func timersFireInOrderAndCancelledOnesDoNot() throws {
        let fixture = try LoopFixture()
        let loop = fixture.loop
        let order = Awaited<[String]>()
        try fixture.onLoop {
            var names: [String] = []
            loop.schedule(after: .milliseconds(20)) {
                names.append("late")
                order.set(names)
            }
            loop.schedule(after: .milliseconds(1)) { names.append("early") }
            let cancelled = loop.schedule(after: .milliseconds(2)) { names.append("cancelled") }
            cancelled.cancel()
        }
        #expect(order.wait() == ["early", "late"])
    }

    @Test func deferredActionsRunAfterTheEventThatAskedForThem() throws {
        let fixture = try LoopFixture()
        let loop = fixture.loop
        let order = Awaited<[Int]>()
        try fixture.onLoop {
            var seen: [Int] = []
            loop.afterCurrentEvent {
                seen.append(2)
                order.set(seen)
            }
            seen.append(1)
        }
        #expect(order.wait() == [1, 2])
    }

    @Test func endOfTurnActionsRunOnceAfterEverythingElse() throws {
        let fixture = try LoopFixture()
        let loop = fixture.loop
        let order = Awaited<[Int]>()
        try fixture.onLoop {
            var seen: [Int] = []
            loop.atEndOfTurn {
                seen.append(3)
                // What an action asks for belongs to the same turn.
                loop.atEndOfTurn { order.set(seen + [4]) }
            }
            loop.schedule(after: .zero) { seen.append(2) }
            loop.afterCurrentEvent { seen.append(1) }
            seen.append(0)
        }
        #expect(order.wait() == [0, 1, 2, 3, 4])
    }

    /// A loop that gathers loses and reorders nothing, busy or not, also while its clock stands still.
    @Test(arguments: [true, false]) func gatheringKeepsEveryJobInOrder(_ clockRuns: Bool) throws {
        let start = Syscalls.monotonicNow()
        let fixture = try LoopFixture(
            gather: .milliseconds(1), clock: { clockRuns ? Syscalls.monotonicNow() : start })
        let seen = Mutex<[Int]>([])
        for number in 0..<200 {
            fixture.loop.post { seen.withLock { $0.append(number) } }
            if number % 10 == 0 { try fixture.onLoop {} }
        }
        #expect(try fixture.onLoop { seen.withLock { $0 } } == Array(0..<200))
    }

    @Test func postAfterTheEndIsRefused() throws {
        let loop = try EventLoop(name: "test")
        try loop.start()
        let ran = Mutex(false)
        loop.post { ran.withLock { $0 = true } }
        loop.stop()
        loop.join()
        #expect(ran.withLock { $0 })
        #expect(loop.post {} == false)
    }

    /// Fault 20: deadlines on a clock that can be set kill every connection when it is. The loop takes time from
    /// one injected monotonic source; nothing expires while that stands still, whatever else passes.
    @Test func fault20DeadlinesFollowTheMonotonicClockAlone() throws {
        let nanoseconds = Mutex<UInt64>(1_000_000_000_000)
        let fixture = try LoopFixture(clock: { MonotonicInstant(nanoseconds: nanoseconds.withLock { $0 }) })
        let loop = fixture.loop
        let fired = Mutex(0)
        try fixture.onLoop { _ = loop.schedule(after: .seconds(60)) { fired.withLock { $0 += 1 } } }
        nanoseconds.withLock { $0 += 59_999_999_999 }
        try fixture.onLoop {}
        try fixture.onLoop {}
        #expect(fired.withLock { $0 } == 0)
        nanoseconds.withLock { $0 += 1 }
        try fixture.onLoop {}
        try fixture.onLoop {}
        #expect(fired.withLock { $0 } == 1)
    }
}
