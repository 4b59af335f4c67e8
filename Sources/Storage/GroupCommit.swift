/// Carries out a batch of writes in one transaction, so that they share one flush of the disk.
///
/// Each request runs under a savepoint: one that fails is undone alone. Completions are called only after
/// `COMMIT` returned, so that what was acknowledged survives `kill -9` and, with `synchronous=FULL`, the loss
/// of power. `BEGIN IMMEDIATE` takes the write lock first, where SQLite honours the busy timeout.
enum GroupCommit {
    static func run(_ requests: [any StoreRequest], on connection: Connection) {
        var rest = requests[...]
        while !rest.isEmpty { rest = runOnce(rest, on: connection) }
    }

    /// Runs one transaction.
    ///
    /// - Returns: requests that were not tried because SQLite gave the transaction up (a full disk does that).
    private static func runOnce(
        _ requests: ArraySlice<any StoreRequest>, on connection: Connection
    ) -> ArraySlice<any StoreRequest> {
        do throws(StorageError) {
            try connection.run("BEGIN IMMEDIATE")
        } catch {
            complete(requests, failure: error)
            return []
        }
        var outcomes: [StorageError?] = []
        outcomes.reserveCapacity(requests.count)
        for (index, request) in zip(requests.indices, requests) {
            let failure = performAlone(request, on: connection)
            outcomes.append(failure)
            if let failure, !connection.isInTransaction {
                complete(requests[...index], failure: failure)
                return requests[(index + 1)...]
            }
        }
        do throws(StorageError) {
            try connection.run("COMMIT")
        } catch {
            if connection.isInTransaction { _ = try? connection.run("ROLLBACK") }
            complete(requests, failure: error)
            return []
        }
        for (request, failure) in zip(requests, outcomes) { request.complete(failure: failure) }
        return []
    }

    private static func performAlone(_ request: any StoreRequest, on connection: Connection) -> StorageError?
    {
        do throws(StorageError) {
            try connection.run("SAVEPOINT request")
            try request.perform(on: connection)
            try connection.run("RELEASE request")
            return nil
        } catch {
            undo(on: connection)
            return error
        }
    }

    /// Undoes one request, or the whole transaction if that is not possible any more.
    private static func undo(on connection: Connection) {
        guard connection.isInTransaction else { return }
        do throws(StorageError) {
            try connection.run("ROLLBACK TO request")
            try connection.run("RELEASE request")
        } catch {
            if connection.isInTransaction { _ = try? connection.run("ROLLBACK") }
        }
    }

    private static func complete(_ requests: ArraySlice<any StoreRequest>, failure: StorageError) {
        for request in requests { request.complete(failure: failure) }
    }
}
