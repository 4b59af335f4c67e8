import Net
import SessionCore
import Storage

/// Deletes rows past their time, a bounded number at a time, every hour.
///
/// Isolation: `loop`. `@unchecked Sendable`: the timer is touched on the loop only.
final class Housekeeping: @unchecked Sendable {
    private let loop: EventLoop
    private let store: any RecordStore
    private let log: Log
    private var timer: LoopTimer?

    /// Between two rounds.
    static let interval: Duration = .seconds(3600)
    /// Before the next part of a round that found more than it may delete at once.
    static let pause: Duration = .seconds(1)

    init(loop: EventLoop, store: any RecordStore, log: Log) {
        self.loop = loop
        self.store = store
        self.log = log
    }

    /// Begins with a round now.
    func start() {
        loop.post { [self] in round() }
    }

    private func round() {
        store.applyRetention(nowUs: Int64(clamping: ServerClock.now().unixUs)) { [self] result in
            loop.post { [self] in
                switch result {
                case .success(let outcome): again(after: outcome.hasMore ? Self.pause : Self.interval)
                case .failure(let error):
                    log(.warning, "old rows not deleted: \(error)")
                    again(after: Self.interval)
                }
            }
        }
    }

    private func again(after delay: Duration) {
        timer = loop.schedule(after: delay) { [weak self] in self?.round() }
    }
}
