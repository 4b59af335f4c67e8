import BridgeAI
import Net
import SessionCore

/// Collects the poses of all sessions of one loop for about a millisecond and has them scored as one batch.
///
/// The network runs many rows at a third of the price of single ones, and a millisecond is nothing beside the 33
/// between two frames of a hand. A network that is quick enough runs on the loop itself, which spares each batch two
/// changes of threads; a slower one, which would hold up everything else on the loop, runs on the pool.
///
/// Isolation: the loop.
final class LetterBatcher {
    private let loop: EventLoop
    private let pool: ScoringPool<HandVector, LetterScores>?
    /// The network of this loop, if it runs here.
    private let scorer: LetterScorer?
    private var jobs: [LetterJob] = []
    /// The poses of `jobs` one after the other, as the network reads them.
    private var poses: [Float] = []
    private var owners: [SessionConnection] = []
    private var scores: [LetterScores?] = []
    private var timer: LoopTimer?
    private var isLookedAt = false
    /// Memory for the actions of the session that is at work: lent to one after the other, it stays in the cache.
    var spareActions: [SessionAction] = []

    /// How long the first pose of a batch waits.
    static let patience: Duration = .milliseconds(1)
    /// Poses from which on a batch is cheap enough not to wait for more.
    static let worthwhileBatch = 24
    /// Poses that are not kept waiting. What one read of a socket can bring more is scored with them: at most some
    /// 230 poses (`EventLoop.Limits.readBufferBytes`), for which the loop then works less than a millisecond.
    static let fullBatch = 32
    /// Longest time a full batch may take on a loop: what some thirty messages take, so a loop's other connections
    /// do not feel it.
    static let longestOnLoop: Duration = .microseconds(500)

    init(loop: EventLoop, pool: ScoringPool<HandVector, LetterScores>?, scorer: LetterScorer?) {
        self.loop = loop
        self.pool = pool
        self.scorer = scorer
    }

    /// Adds one pose.
    func add(_ job: LetterJob, for owner: SessionConnection) {
        jobs.append(job)
        if scorer != nil { for index in 0..<HandPose.valueCount { poses.append(job.pose[index]) } }
        owners.append(owner)
        if jobs.count == Self.fullBatch {
            // Not inside the call that adds: the answers come to the same sessions.
            loop.afterCurrentEvent { [self] in flush() }
        } else if !isLookedAt {
            isLookedAt = true
            loop.atEndOfTurn { [self] in endTurn() }
        }
    }

    /// A turn that brought enough poses need not wait for more.
    private func endTurn() {
        isLookedAt = false
        if jobs.count >= Self.worthwhileBatch {
            flush()
        } else if !jobs.isEmpty, timer == nil {
            timer = loop.schedule(after: Self.patience) { [self] in flush() }
        }
    }

    private func flush() {
        timer?.cancel()
        timer = nil
        guard !jobs.isEmpty else { return }
        var batch: [LetterJob] = []
        var recipients: [SessionConnection] = []
        swap(&batch, &jobs)
        swap(&recipients, &owners)
        if let scorer {
            scoreHere(scorer, batch, recipients)
        } else if let pool {
            let handles = recipients.map(\.handle)
            pool.submit(batch.map(\.pose)) { [loop, batch] scores in
                loop.post {
                    let now = ServerClock.now()
                    for index in batch.indices {
                        handles[index].letterScored(batch[index], scores[index], at: now)
                    }
                }
            }
        } else {
            let now = ServerClock.now()
            for index in batch.indices { recipients[index].letterScored(batch[index], nil, at: now) }
        }
        // The memory is used again, unless the answers led to new poses meanwhile.
        if jobs.isEmpty {
            batch.removeAll(keepingCapacity: true)
            recipients.removeAll(keepingCapacity: true)
            swap(&batch, &jobs)
            swap(&recipients, &owners)
        }
    }

    private func scoreHere(_ scorer: LetterScorer, _ batch: [LetterJob], _ recipients: [SessionConnection]) {
        scorer.score(
            rows: batch.count,
            fill: { [poses] row, input in
                let start = row * HandPose.valueCount
                for index in 0..<min(HandPose.valueCount, input.count) { input[index] = poses[start + index] }
            }, into: &scores)
        poses.removeAll(keepingCapacity: true)
        let now = ServerClock.now()
        for index in batch.indices {
            let next = index + 1
            let isFollowed =
                next < batch.count && recipients[next] === recipients[index]
                && batch[next].streamID == batch[index].streamID
            recipients[index].letterScored(batch[index], scores[index], isFollowed: isFollowed, at: now)
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
