/// Carries out reads one by one, each on one consistent snapshot.
enum SnapshotRead {
    static func run(_ requests: [any StoreRequest], on connection: Connection) {
        for request in requests { request.complete(failure: perform(request, on: connection)) }
    }

    private static func perform(_ request: any StoreRequest, on connection: Connection) -> StorageError? {
        do throws(StorageError) {
            try connection.run("BEGIN DEFERRED")
            defer { _ = try? connection.run("ROLLBACK") }  // nothing was written
            try request.perform(on: connection)
            return nil
        } catch {
            return error
        }
    }
}
