import Net
import Synchronization

/// What a worker of a scoring pool runs. One object a worker, confined to its thread.
protocol BatchScorer<Job, Score>: AnyObject {
    associatedtype Job: Sendable
    associatedtype Score: Sendable

    /// Scores a batch; as many results as jobs, nil where one could not be scored. The jobs are given away: nothing
    /// else holds what they hold.
    func score(_ jobs: consuming [Job]) -> [Score?]
}

/// Runs one model for all sessions: jobs of many sessions form one batch, and nothing waits on a network loop.
///
/// Work queues up to a named limit; beyond it jobs are refused at once (nil scores), so that a slow model shows
/// as health of the streams instead of growing memory. Workers are threads of their own, one batch at a time.
/// Isolation: `submit` from any thread; `deliver` is called on a worker and only hands over.
final class ScoringPool<Job: Sendable, Score: Sendable>: Sendable {
    /// Jobs of one origin (a loop's turn), answered together.
    private struct Parcel {
        var jobs: [Job]
        var deliver: @Sendable ([Score?]) -> Void
        var enqueued: MonotonicInstant
    }

    /// What one run of the scorer takes, and who waits for which part of it.
    private struct Batch {
        var jobs: [Job] = []
        var parcels: [(count: Int, deliver: @Sendable ([Score?]) -> Void, enqueued: MonotonicInstant)] = []

        mutating func add(_ parcel: Parcel) {
            jobs += parcel.jobs
            parcels.append((parcel.jobs.count, parcel.deliver, parcel.enqueued))
        }
    }

    private struct Queue {
        var parcels: [Parcel] = []
        var rows = 0
        var idleWorkers: [Int] = []
        var counts = ScoringCounts()
        var isOpen = true
    }

    /// Rows that may wait.
    let maxQueuedRows: Int
    /// Rows of one batch.
    let maxBatchRows: Int
    private let queue: Mutex<Queue>
    private let workers: [EventLoop]
    private let desks: [WorkerDesk<Job, Score>]
    private let clock: @Sendable () -> MonotonicInstant

    init(
        name: String, workers count: Int, maxQueuedRows: Int, maxBatchRows: Int,
        clock: @escaping @Sendable () -> MonotonicInstant = { Syscalls.monotonicNow() },
        makeScorer: @escaping @Sendable () -> any BatchScorer<Job, Score>
    ) throws(SystemError) {
        self.maxQueuedRows = maxQueuedRows
        self.maxBatchRows = maxBatchRows
        desks = (0..<count).map { _ in WorkerDesk(makeScorer) }
        self.clock = clock
        var loops: [EventLoop] = []
        for index in 0..<count { loops.append(try EventLoop(name: "\(name)-\(index)")) }
        workers = loops
        queue = Mutex(Queue())
        for index in loops.indices {
            try loops[index].start()
            loops[index].post { [self] in work(index) }
        }
    }

    /// Scores `jobs`; `deliver` gets as many results, nil where a job was refused or failed.
    func submit(_ jobs: [Job], deliver: @escaping @Sendable ([Score?]) -> Void) {
        guard !jobs.isEmpty else { return }
        let parcel = Parcel(jobs: jobs, deliver: deliver, enqueued: clock())
        let (isTaken, wake) = queue.withLock { queue -> (Bool, Int?) in
            guard queue.isOpen, queue.rows + jobs.count <= maxQueuedRows else {
                queue.counts.refused += UInt64(jobs.count)
                return (false, nil)
            }
            queue.parcels.append(parcel)
            queue.rows += jobs.count
            return (true, queue.idleWorkers.popLast())
        }
        if !isTaken { deliver([Score?](repeating: nil, count: jobs.count)) }
        if let wake { workers[wake].post { [self] in work(wake) } }
    }

    /// What was done so far, and how old the oldest waiting job is.
    var counts: ScoringCounts {
        queue.withLock { queue in
            var counts = queue.counts
            counts.queuedRows = queue.rows
            counts.oldestQueued = queue.parcels.first.map { clock().since($0.enqueued) } ?? .zero
            return counts
        }
    }

    /// Ends the workers after their present batch; jobs still waiting are answered with nil.
    func stop() {
        let left = queue.withLock { queue -> [Parcel] in
            queue.isOpen = false
            defer {
                queue.parcels = []
                queue.rows = 0
            }
            return queue.parcels
        }
        for parcel in left { parcel.deliver([Score?](repeating: nil, count: parcel.jobs.count)) }
        for worker in workers {
            worker.stop()
            worker.join()
        }
    }

    // MARK: On a worker

    private func work(_ index: Int) {
        let scorer = desks[index].scorer
        while var batch = take(index) {
            let started = clock()
            let scores = scorer.score(exchange(&batch.jobs, with: []))
            let finished = clock()
            var next = 0
            for parcel in batch.parcels {
                parcel.deliver(Array(scores[next..<next + parcel.count]))
                next += parcel.count
            }
            queue.withLock { queue in
                queue.counts.batches += 1
                queue.counts.scored += UInt64(next)
                queue.counts.busy += finished.since(started)
                queue.counts.longestWait = max(
                    queue.counts.longestWait, batch.parcels.map { started.since($0.enqueued) }.max() ?? .zero)
            }
        }
    }

    /// The next batch, or nil after noting that the worker is idle.
    private func take(_ index: Int) -> Batch? {
        queue.withLock { queue in
            guard !queue.parcels.isEmpty else {
                if queue.isOpen { queue.idleWorkers.append(index) }
                return nil
            }
            var rows = 0
            var count = 0
            while count < queue.parcels.count,
                count == 0 || rows + queue.parcels[count].jobs.count <= maxBatchRows
            {
                rows += queue.parcels[count].jobs.count
                count += 1
            }
            var batch = Batch()
            for parcel in queue.parcels.prefix(count) { batch.add(parcel) }
            queue.parcels.removeFirst(count)
            queue.rows -= rows
            return batch
        }
    }
}

/// A worker's own scorer, made on its thread at first use: models keep scratch memory that no other may touch.
///
/// `@unchecked Sendable`: only the worker of its index reads `scorer`.
private final class WorkerDesk<Job: Sendable, Score: Sendable>: @unchecked Sendable {
    private let make: @Sendable () -> any BatchScorer<Job, Score>
    private(set) lazy var scorer: any BatchScorer<Job, Score> = make()

    init(_ make: @escaping @Sendable () -> any BatchScorer<Job, Score>) { self.make = make }
}

/// Figures of one scoring pool since it started.
struct ScoringCounts: Sendable, Equatable {
    var scored: UInt64 = 0
    var refused: UInt64 = 0
    var batches: UInt64 = 0
    var busy: Duration = .zero
    var longestWait: Duration = .zero
    var queuedRows = 0
    var oldestQueued: Duration = .zero
}
