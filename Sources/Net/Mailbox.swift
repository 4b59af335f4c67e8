import Synchronization

/// Jobs for a loop from other threads. The only part of a loop that more than one thread touches.
struct Mailbox: ~Copyable {
    typealias Job = @Sendable () -> Void

    // Not private: the 6.3.1 compiler emits a broken module for a private type inside a stored Mutex.
    struct Contents {
        var jobs: [Job] = []
        var isClosed = false
    }

    private let contents = Mutex(Contents())

    enum PostOutcome {
        /// The first job since the last `take`: the loop must be woken.
        case first
        /// The loop has been woken already.
        case queued
        /// The loop is gone; the job was not taken.
        case closed
    }

    func post(_ job: @escaping Job) -> PostOutcome {
        contents.withLock { contents in
            if contents.isClosed { return .closed }
            contents.jobs.append(job)
            return contents.jobs.count == 1 ? .first : .queued
        }
    }

    /// All jobs in the order they were posted.
    func take() -> [Job] {
        contents.withLock { contents in
            var jobs: [Job] = []
            swap(&jobs, &contents.jobs)
            return jobs
        }
    }

    /// Refuses jobs from now on and returns the last ones.
    func close() -> [Job] {
        contents.withLock { contents in
            contents.isClosed = true
            var jobs: [Job] = []
            swap(&jobs, &contents.jobs)
            return jobs
        }
    }
}
