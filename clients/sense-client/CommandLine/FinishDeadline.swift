extension Duration {
    /// Longest wait for the server's Finished after the last of a stream was sent.
    static let untilFinished: Duration = .seconds(60)
}

extension Task where Failure == any Error {
    /// The task's value. After `limit` the task is cancelled, and what it throws then is thrown.
    func value(within limit: Duration) async throws -> Success {
        let deadline = Task<Void, any Error> {
            try await Task<Never, Never>.sleep(for: limit)
            cancel()
        }
        defer { deadline.cancel() }
        return try await value
    }
}
