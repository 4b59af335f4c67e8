/// The server's durable memory in one SQLite file: what was acknowledged survives `kill -9` and power loss.
///
/// Two threads of its own: the writer commits groups of requests (`GroupCommit`), the reader answers queries
/// from a snapshot, so that a long history never delays an alert. A read sees every write whose completion
/// was called before. No audio, landmarks or scenes have a place here.
public final class Store: RecordStore {
    /// The bounds in force.
    public let limits: StorageLimits
    private let writer: StoreThread
    private let reader: StoreThread
    private let file: StoreFile

    /// Opens or makes a store; blocks while it checks the file's integrity and migrates it.
    ///
    /// - Parameters:
    ///   - path: the file, such as `var/sense.sqlite3`; its folder must exist. `-wal`, `-shm` and `.lock`
    ///     files appear beside it. All are readable by their owner alone.
    ///   - nowUs: Unix microseconds, written beside migrations.
    /// - Throws: `cannotOpen`, `inUse`, `notAStore`, `damaged`, `newerSchema`, `sqlite`.
    public init(path: String, limits: StorageLimits = StorageLimits(), nowUs: Int64) throws(StorageError) {
        self.limits = limits
        let file = try StoreFile(path: path)
        try Opening.prepare(path: path, limits: limits, nowUs: nowUs)
        let writing = try Opening.writer(path: path, limits: limits)
        let reading = try Opening.reader(path: path, limits: limits)
        let writer = try StoreThread(
            name: "store-writer", connection: writing,
            mailbox: Mailbox(maxElements: limits.maxQueuedWrites, maxBytes: limits.maxQueuedBytes),
            batch: limits.maxRequestsPerCommit, execute: GroupCommit.run)
        do throws(StorageError) {
            reader = try StoreThread(
                name: "store-reader", connection: reading,
                mailbox: Mailbox(maxElements: limits.maxQueuedReads, maxBytes: limits.maxQueuedBytes),
                batch: 1, execute: SnapshotRead.run)
        } catch {
            writer.stop()
            throw error
        }
        self.writer = writer
        self.file = file
    }

    /// Carries out what waits, then closes the file. Blocks; call it once, not on a loop.
    ///
    /// Requests that come later fail with `closed`.
    public func close() {
        reader.stop()
        writer.stop()  // last, so that closing its connection folds the log into the file
        file.unlock()
    }

    /// Writes that wait for their commit, for metrics.
    public var queuedWrites: Int { writer.mailbox.count }

    /// Writes a compact copy of the store, as of now, to a new file that only its owner can read.
    ///
    /// Blocks for as long as the copy takes, while reads and writes go on; call it from a thread of yours.
    /// - Throws: `cannotOpen` if `path` exists or cannot be made; `sqlite`.
    public func backup(to path: String) throws(StorageError) {
        try StoreFile.createPrivate(path)
        // Not `Opening.reader`: `query_only` forbids writing the copy, too.
        let source = try Connection(path: file.path, mode: .readOnly, busyTimeoutMs: limits.busyTimeoutMs)
        try source.run("VACUUM INTO ?", .text(path))
        try StoreFile.synchronize(path)
    }

    /// Queues a write. `bytes`: size of what it carries.
    func write<Value: Sendable>(
        bytes: Int = 0, check: () throws(StorageError) -> Void = {},
        completion: @escaping StorageCompletion<Value>, body: @escaping TypedRequest<Value>.Body
    ) {
        submit(to: writer, bytes: bytes, check: check, completion: completion, body: body)
    }

    /// Queues a read.
    func read<Value: Sendable>(
        check: () throws(StorageError) -> Void = {}, completion: @escaping StorageCompletion<Value>,
        body: @escaping TypedRequest<Value>.Body
    ) {
        submit(to: reader, bytes: 0, check: check, completion: completion, body: body)
    }

    private func submit<Value: Sendable>(
        to thread: StoreThread, bytes: Int, check: () throws(StorageError) -> Void,
        completion: @escaping StorageCompletion<Value>, body: @escaping TypedRequest<Value>.Body
    ) {
        do throws(StorageError) {
            try check()
            try thread.mailbox.send(TypedRequest(body: body, completion: completion), bytes: bytes)
        } catch {
            completion(.failure(error))
        }
    }
}
