import ByteCodec
import Dispatch
import Synchronization

@testable import Net

/// A running loop that ends with the test.
final class LoopFixture: Sendable {
    let loop: EventLoop

    init(
        gather: Duration? = nil,
        clock: @escaping @Sendable () -> MonotonicInstant = { Syscalls.monotonicNow() }
    ) throws {
        loop = try EventLoop(name: "test", gather: gather, clock: clock)
        try loop.start()
    }

    deinit {
        loop.stop()
        loop.join()
    }

    /// Runs `body` on the loop and waits for what it returns.
    func onLoop<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) throws -> Value {
        let result = Awaited<Result<Value, any Error>>()
        let isPosted = loop.post { result.set(Result(catching: body)) }
        precondition(isPosted, "the loop has stopped")
        return try result.wait().get()
    }
}

/// A value that one thread sets and another waits for.
final class Awaited<Value: Sendable>: Sendable {
    private let value = Mutex<Value?>(nil)
    private let semaphore = DispatchSemaphore(value: 0)

    func set(_ new: Value) {
        value.withLock { $0 = new }
        semaphore.signal()
    }

    /// Traps after 10 s, so that a lost event fails the test run with a location.
    func wait() -> Value {
        let outcome = semaphore.wait(timeout: .now() + 10)
        precondition(outcome == .success, "nothing happened within 10 s")
        semaphore.signal()
        guard let value = value.withLock({ $0 }) else { preconditionFailure("set without a value") }
        return value
    }
}

/// Records what a connection reports; its closures let a test react.
final class RecordingOwner: StreamConnectionOwner {
    private(set) var received: [UInt8] = []
    private(set) var reads = 0
    var onOpen: () -> Void = {}
    var onReceive: ([UInt8]) -> Void = { _ in }
    var onEnd: () -> Void = {}
    var onWritable: () -> Void = {}
    var onClose: (StreamCloseReason) -> Void = { _ in }

    func streamOpened() { onOpen() }
    func streamReceived(_ bytes: Span<UInt8>) {
        var copy: [UInt8] = []
        for index in bytes.indices { copy.append(bytes[index]) }
        received += copy
        reads += 1
        onReceive(copy)
    }
    func streamReceivedEnd() { onEnd() }
    func streamWritable() { onWritable() }
    func streamClosed(_ reason: StreamCloseReason) { onClose(reason) }
}

/// A listener whose accepted connections a test sets up.
struct TestServer {
    let port: UInt16

    /// `setUp` runs on the loop for each connection, before it starts.
    init(
        _ fixture: LoopFixture, limits: StreamLimits = StreamLimits(),
        channel: (@Sendable () -> any SecureChannel)? = nil,
        setUp: @escaping @Sendable (StreamConnection, RecordingOwner) -> Void
    ) throws {
        let loop = fixture.loop
        port = try fixture.onLoop {
            let listener = try Listener(loop: loop, address: .loopback(port: 0)) { descriptor, peer in
                let connection = StreamConnection(
                    loop: loop, descriptor: descriptor, peer: peer, channel: channel?(), limits: limits)
                let owner = RecordingOwner()
                setUp(connection, owner)
                try? connection.start(owner: owner)
            }
            try listener.start()
            return listener.address.port
        }
    }
}
