import TestSupport
import Testing

@testable import Net

@Suite struct TimerHeapTests {
    private func at(_ nanoseconds: UInt64) -> MonotonicInstant { MonotonicInstant(nanoseconds: nanoseconds) }

    /// Runs everything due at `now` and returns the names in the order they ran.
    private func run(_ heap: inout TimerHeap, at now: UInt64) {
        while let action = heap.popDue(at: at(now)) { action() }
    }

    @Test func firesInOrderOfDeadlineAndOnlyOnce() {
        var heap = TimerHeap()
        var fired: [UInt64] = []
        for deadline: UInt64 in [50, 10, 40, 20, 30] {
            heap.arm(LoopTimer(), at: at(deadline)) { fired.append(deadline) }
        }
        run(&heap, at: 9)
        #expect(fired == [])
        run(&heap, at: 30)
        #expect(fired == [10, 20, 30])
        run(&heap, at: 100)
        run(&heap, at: 200)
        #expect(fired == [10, 20, 30, 40, 50])
        #expect(heap.nextDeadline == nil)
    }

    @Test func cancelledNeverFires() {
        var heap = TimerHeap()
        var fired = 0
        let timer = LoopTimer()
        heap.arm(timer, at: at(10)) { fired += 1 }
        timer.cancel()
        run(&heap, at: 20)
        heap.move(timer, to: at(30))
        run(&heap, at: 40)
        #expect(fired == 0)
        #expect(heap.count == 0)
    }

    @Test func movingLaterKeepsOnePlaceHoweverOften() {
        var heap = TimerHeap()
        var fired = 0
        let timer = LoopTimer()
        heap.arm(timer, at: at(10)) { fired += 1 }
        for deadline: UInt64 in 11...10_000 { heap.move(timer, to: at(deadline)) }
        #expect(heap.count == 1)
        run(&heap, at: 9_999)
        #expect(fired == 0)
        run(&heap, at: 10_000)
        #expect(fired == 1)
    }

    @Test func movingEarlierFiresEarlierAndOnce() {
        var heap = TimerHeap()
        var fired = 0
        let timer = LoopTimer()
        heap.arm(timer, at: at(100)) { fired += 1 }
        heap.move(timer, to: at(20))
        run(&heap, at: 20)
        #expect(fired == 1)
        run(&heap, at: 200)
        #expect(fired == 1)
    }

    @Test func randomScriptsMatchASortedList() {
        var bytes = SeededBytes(seed: 7)
        for _ in 0..<200 {
            var heap = TimerHeap()
            var timers: [LoopTimer] = []
            var expected: [Int: UInt64] = [:]
            var fired: [Int] = []
            var now: UInt64 = 0
            for _ in 0..<60 {
                switch bytes.int(in: 0...3) {
                case 0, 1:
                    let id = timers.count
                    let timer = LoopTimer()
                    let deadline = now + UInt64(bytes.int(in: 0...255))
                    timers.append(timer)
                    heap.arm(timer, at: at(deadline)) { fired.append(id) }
                    expected[id] = deadline
                case 2 where !timers.isEmpty:
                    let id = bytes.int(in: 0...255) % timers.count
                    guard expected[id] != nil else { continue }
                    if bytes.int(in: 0...3) == 0 {
                        timers[id].cancel()
                        expected[id] = nil
                    } else {
                        let deadline = now + UInt64(bytes.int(in: 0...255))
                        heap.move(timers[id], to: at(deadline))
                        expected[id] = deadline
                    }
                default:
                    now += UInt64(bytes.int(in: 0...63))
                    fired = []
                    run(&heap, at: now)
                    let due = expected.filter { $0.value <= now }
                    #expect(Set(fired) == Set(due.keys) && fired.count == due.count)
                    #expect(fired.map { due[$0] ?? 0 } == fired.map { due[$0] ?? 0 }.sorted())
                    for id in due.keys { expected[id] = nil }
                    if let earliest = expected.values.min() {
                        #expect((heap.nextDeadline?.nanoseconds ?? .max) <= earliest)
                    }
                }
            }
        }
    }
}
