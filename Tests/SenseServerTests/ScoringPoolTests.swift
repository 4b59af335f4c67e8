import Net
import Synchronization
import Testing

@testable import SenseServer

@Suite("Scoring pool")
struct ScoringPoolTests {
    /// Doubles numbers; waits for a gate so that a test decides when a batch is done.
    final class Doubler: BatchScorer {
        let gate: Gate
        init(_ gate: Gate) { self.gate = gate }
        func score(_ jobs: [Int]) -> [Int?] {
            gate.pass(jobs.count)
            return jobs.map { $0 < 0 ? nil : $0 * 2 }
        }
    }

    /// Opened by the test; remembers the batches that passed.
    final class Gate: Sendable {
        private let state = Mutex((isOpen: true, batches: [Int]()))
        func close() { state.withLock { $0.isOpen = false } }
        func open() { state.withLock { $0.isOpen = true } }
        var batches: [Int] { state.withLock { $0.batches } }
        func pass(_ count: Int) {
            while !state.withLock({ $0.isOpen }) { _ = Syscalls.monotonicNow() }
            state.withLock { $0.batches.append(count) }
        }
    }

    @Test("answers come back in the order of the jobs, failed ones as nil")
    func answers() async throws {
        let gate = Gate()
        let pool = try ScoringPool(name: "t", workers: 2, maxQueuedRows: 100, maxBatchRows: 8) {
            Doubler(gate)
        }
        let got = await withCheckedContinuation { continuation in
            pool.submit([1, -1, 3]) { continuation.resume(returning: $0) }
        }
        #expect(got == [2, nil, 6])
        pool.stop()
    }

    @Test("work beyond the limit is refused at once, and what waits goes out in batches of the largest size")
    func bounded() async throws {
        let gate = Gate()
        gate.close()
        let pool = try ScoringPool(name: "t", workers: 1, maxQueuedRows: 10, maxBatchRows: 4) {
            Doubler(gate)
        }
        let results = Mutex([[Int?]]())
        pool.submit([0]) { scores in results.withLock { $0.append(scores) } }
        // The one worker takes the first job and waits at the gate.
        while pool.counts.queuedRows > 0 { await Task.yield() }
        for value in 1...10 { pool.submit([value]) { scores in results.withLock { $0.append(scores) } } }
        #expect(pool.counts.queuedRows == 10)
        let refused = await withCheckedContinuation { continuation in
            pool.submit([11]) { continuation.resume(returning: $0) }
        }
        #expect(refused == [nil])
        #expect(pool.counts.refused == 1)
        gate.open()
        while results.withLock({ $0.count }) < 11 { await Task.yield() }
        #expect(gate.batches == [1, 4, 4, 2])
        #expect(pool.counts.scored == 11)
        pool.stop()
    }

    @Test("stopping answers what still waits with nil")
    func stop() async throws {
        let gate = Gate()
        gate.close()
        let pool = try ScoringPool(name: "t", workers: 1, maxQueuedRows: 10, maxBatchRows: 1) {
            Doubler(gate)
        }
        pool.submit([0]) { _ in }
        while pool.counts.queuedRows > 0 { await Task.yield() }
        let answer = Mutex<[Int?]?>(nil)
        pool.submit([1]) { scores in answer.withLock { $0 = scores } }
        gate.open()
        pool.stop()
        let got = answer.withLock { $0 }
        #expect(got == [nil] || got == [2])
    }
}
