import BridgeAI
import Net
import SessionCore

/// Collects the poses of all sessions of one loop for about a millisecond and submits them as one batch.
///
/// One batch wakes the worker once and lets the network run many rows at a third of the price of single ones; a
/// millisecond is nothing beside the 33 between two frames of a hand.
///
/// Isolation: the loop.
final class LetterBatcher {
    private let loop: EventLoop
    private let pool: ScoringPool<[Float], LetterScores>?
    private var jobs: [LetterJob] = []
    private var owners: [SessionHandle] = []
    private var timer: LoopTimer?

    /// How long the first pose of a batch waits.
    static let patience: Duration = .milliseconds(1)
    /// Poses that are not kept waiting.
    static let fullBatch = 32

    init(loop: EventLoop, pool: ScoringPool<[Float], LetterScores>?) {
        self.loop = loop
        self.pool = pool
    }

    /// Adds one pose.
    func add(_ job: LetterJob, for owner: SessionHandle) {
        jobs.append(job)
        owners.append(owner)
        if jobs.count >= Self.fullBatch {
            flush()
        } else if timer == nil {
            timer = loop.schedule(after: Self.patience) { [weak self] in self?.flush() }
        }
    }

    private func flush() {
        timer?.cancel()
        timer = nil
        let batch = jobs
        let recipients = owners
        jobs = []
        owners = []
        guard let pool else {
            for index in batch.indices { recipients[index].letterScored(batch[index], nil) }
            return
        }
        pool.submit(batch.map(\.pose)) { [loop] scores in
            loop.post {
                for index in batch.indices { recipients[index].letterScored(batch[index], scores[index]) }
            }
        }
    }
}

/// Carries an object of one loop through that loop's own mailbox.
///
/// `@unchecked Sendable`: made and opened on the same loop only.
struct LoopConfined<Value>: @unchecked Sendable {
    let value: Value
    init(_ value: Value) { self.value = value }
}
