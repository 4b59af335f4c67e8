/// The result of a store operation, called once on a thread of the store, or at once on the caller's thread
/// if the request was not accepted (`queueFull`, `closed`, `invalid`). It must not block: post to the loop.
public typealias StorageCompletion<Value> = @Sendable (Result<Value, StorageError>) -> Void

/// One queued operation.
protocol StoreRequest: AnyObject, Sendable {
    /// Does the work inside of the caller's transaction and keeps the result.
    func perform(on connection: Connection) throws(StorageError)

    /// Tells the asker: `nil` means that the kept result is now durable.
    func complete(failure: StorageError?)
}

/// A request with its body, its completion and, once performed, its result.
///
/// `@unchecked Sendable`: built by the asking thread, then touched only by the store thread that took it from
/// the mailbox (whose lock orders the two).
final class TypedRequest<Value: Sendable>: StoreRequest, @unchecked Sendable {
    typealias Body = @Sendable (Connection) throws(StorageError) -> Value

    private let body: Body
    private let completion: StorageCompletion<Value>
    private var value: Value?

    init(body: @escaping Body, completion: @escaping StorageCompletion<Value>) {
        self.body = body
        self.completion = completion
    }

    func perform(on connection: Connection) throws(StorageError) { value = try body(connection) }

    func complete(failure: StorageError?) {
        switch (failure, value) {
        case (let failure?, _): completion(.failure(failure))
        case (nil, let value?): completion(.success(value))
        case (nil, nil): completion(.failure(.closed))  // never performed
        }
    }
}
