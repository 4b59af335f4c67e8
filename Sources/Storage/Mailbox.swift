// A bounded queue between threads, on pthread's mutex and condition.
//
// Invariant that makes it safe: `mutex` and `condition` are allocated once in `init`, never move, and are
// destroyed in `deinit`, when no thread can hold a reference to the mailbox; every other stored property is
// read and written only between `pthread_mutex_lock` and `pthread_mutex_unlock`.

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A bounded first-in first-out queue: many senders that never wait, one receiver that does.
@safe final class Mailbox<Element: Sendable>: @unchecked Sendable {
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private let maxElements: Int
    private let maxBytes: Int
    private var waiting: [(element: Element, bytes: Int)] = []
    private var waitingBytes = 0
    private var isClosed = false

    /// - Parameters:
    ///   - maxElements: elements that may wait.
    ///   - maxBytes: sum of the `bytes` of the elements that may wait.
    init(maxElements: Int, maxBytes: Int) {
        self.maxElements = maxElements
        self.maxBytes = maxBytes
        unsafe pthread_mutex_init(mutex, nil)
        unsafe pthread_cond_init(condition, nil)
    }

    deinit {
        unsafe pthread_cond_destroy(condition)
        unsafe pthread_mutex_destroy(mutex)
        unsafe condition.deallocate()
        unsafe mutex.deallocate()
    }

    /// Queues an element without waiting.
    ///
    /// - Throws: `queueFull` with the limit that was met; `closed`.
    func send(_ element: Element, bytes: Int) throws(StorageError) {
        if let refusal = locked({ offer(element, bytes: bytes) }) { throw refusal }
    }

    private func offer(_ element: Element, bytes: Int) -> StorageError? {
        if isClosed { return .closed }
        if waiting.count >= maxElements { return .queueFull(limit: maxElements) }
        if bytes > maxBytes - waitingBytes { return .queueFull(limit: maxBytes) }
        waiting.append((element, bytes))
        waitingBytes += bytes
        unsafe pthread_cond_signal(condition)
        return nil
    }

    /// Waits for elements and takes at most `limit` of them, oldest first.
    ///
    /// - Returns: nil once the mailbox is closed and empty.
    func receive(limit: Int) -> [Element]? {
        locked {
            while waiting.isEmpty && !isClosed { unsafe pthread_cond_wait(condition, mutex) }
            guard !waiting.isEmpty else { return nil }
            let taken = waiting.prefix(limit)
            waiting.removeFirst(taken.count)
            for entry in taken { waitingBytes -= entry.bytes }
            return taken.map(\.element)
        }
    }

    /// Refuses further elements; those that wait are still received.
    func close() {
        locked {
            isClosed = true
            unsafe pthread_cond_broadcast(condition)
        }
    }

    /// How many elements wait, for metrics.
    var count: Int { locked { waiting.count } }

    private func locked<Value>(_ body: () -> Value) -> Value {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        return body()
    }
}
