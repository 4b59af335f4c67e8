import Net
import SessionCore

/// Collects the poses of all sessions of one loop during a turn and submits them as one batch.
///
/// Isolation: the loop.
final class LetterBatcher {
    private let loop: EventLoop
    private let pool: ScoringPool<[Float], [Float]>?
    private var jobs: [LetterJob] = []
    private var owners: [SessionHandle] = []
    private var isFlushScheduled = false

    init(loop: EventLoop, pool: ScoringPool<[Float], [Float]>?) {
        self.loop = loop
        self.pool = pool
    }

    /// Adds one pose.
    func add(_ job: LetterJob, for owner: SessionHandle) {
        jobs.append(job)
        owners.append(owner)
        guard !isFlushScheduled else { return }
        isFlushScheduled = true
        // Mail is read in the next turn: everything that this turn's sockets bring comes along.
        loop.post { [box = LoopConfined(self)] in box.value.flush() }
    }

    private func flush() {
        isFlushScheduled = false
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
