// One pthread with its own SQLite connection.
//
// Invariant that makes it safe: `connection` is handed to the thread in `init` and used by nobody else until
// `stop` has joined the thread; the context passed to `pthread_create` is a retained box that the new thread
// releases once.

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Carries out store requests in order, on a thread of its own, so that no event loop ever waits for a disk.
@safe final class StoreThread: @unchecked Sendable {
    /// How a batch of requests is carried out: one commit for the writer, one by one for the reader.
    typealias Execute = @Sendable ([any StoreRequest], Connection) -> Void

    let mailbox: Mailbox<any StoreRequest>
    private let thread: pthread_t

    /// Starts the thread.
    ///
    /// - Parameters:
    ///   - name: for the error, if the system gives no thread.
    ///   - connection: given away; the caller must not use it again.
    ///   - batch: requests taken at once.
    init(
        name: String, connection: sending Connection, mailbox: Mailbox<any StoreRequest>, batch: Int,
        execute: @escaping Execute
    ) throws(StorageError) {
        self.mailbox = mailbox
        let body = ThreadBody {
            while let requests = mailbox.receive(limit: batch) { execute(requests, connection) }
        }
        let context = unsafe Unmanaged.passRetained(body).toOpaque()
        var started = pthread_t()
        let code = unsafe pthread_create(&started, nil, runThreadBody, context)
        guard code == 0 else {
            unsafe Unmanaged<ThreadBody>.fromOpaque(context).release()
            throw .cannotOpen(path: name, reason: "no thread: \(unsafe String(cString: strerror(code)))")
        }
        thread = started
    }

    /// Finishes what waits, then ends the thread. Blocks; called once, never on the thread itself.
    func stop() {
        mailbox.close()
        pthread_join(thread, nil)
    }
}

/// What the new thread runs; used by that thread alone.
private final class ThreadBody {
    let run: () -> Void

    init(run: @escaping () -> Void) { self.run = run }
}

private func runThreadBody(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let context = unsafe context else { return nil }
    let body = unsafe Unmanaged<ThreadBody>.fromOpaque(context).takeRetainedValue()
    body.run()
    return nil
}
