import ByteCodec
import Glibc
import Synchronization
import TestSupport
import Testing

@testable import Net

@Suite struct StreamConnectionTests {
    @Test func echoesAndEndsInOrder() throws {
        let fixture = try LoopFixture()
        let reason = Awaited<StreamCloseReason>()
        let server = try TestServer(fixture) { connection, owner in
            owner.onReceive = { bytes in connection.write { $0 += bytes } }
            owner.onEnd = { connection.finish() }
            owner.onClose = { reason.set($0) }
        }
        let client = try BlockingSocket(port: server.port)
        var seeded = SeededBytes(seed: 1)
        let bytes = seeded.bytes(100_000)
        try client.send(bytes)
        client.endWriting()
        #expect(try client.receiveAll() == bytes)
        #expect(reason.wait() == .finished)
    }

    @Test func manyWritesInOneEventLeaveInOneSend() throws {
        let fixture = try LoopFixture()
        let server = try TestServer(fixture) { connection, owner in
            owner.onReceive = { _ in
                for number: UInt8 in 0..<100 { connection.write { $0.append(number) } }
            }
        }
        let client = try BlockingSocket(port: server.port)
        try client.send([1])
        // One send of 100 bytes on loopback arrives as one piece.
        #expect(try client.receive() == Array(0..<100))
    }

    @Test func aResponseSurvivesThePeersUnreadInput() throws {
        // Closing with unread input resets the connection and destroys the answer; lingering must prevent it.
        let fixture = try LoopFixture()
        let server = try TestServer(fixture) { connection, owner in
            owner.onReceive = { _ in
                connection.write { $0 += Array("HTTP/1.1 431\r\n\r\n".utf8) }
                connection.finish()
            }
        }
        let client = try BlockingSocket(port: server.port)
        for _ in 0..<20 { try client.send([UInt8](repeating: 120, count: 10_000)) }
        #expect(try client.receiveAll() == Array("HTTP/1.1 431\r\n\r\n".utf8))
    }

    /// Fault 3: a peer that asks but never reads. The loop stops reading it, so memory stays bounded by the
    /// limits; when it reads again everything arrives.
    @Test func fault03SlowReaderPausesReadingAndLosesNothing() throws {
        let fixture = try LoopFixture()
        var limits = StreamLimits()
        limits.pauseReadingBytes = 64 * 1024
        limits.lowWaterBytes = 16 * 1024
        let most = Mutex(0)
        let server = try TestServer(fixture, limits: limits) { connection, owner in
            owner.onReceive = { bytes in
                connection.write { $0 += bytes }
                most.withLock { $0 = max($0, connection.unsentBytes) }
            }
            owner.onEnd = { connection.finish() }
        }
        let client = try BlockingSocket(port: server.port, receiveBufferBytes: 4096)
        let total = 24 * 1024 * 1024
        let piece = [UInt8](repeating: 5, count: 64 * 1024)
        var sent = 0
        var received = 0
        while received < total {
            // Fill until the kernel takes no more, which is when the server has stopped reading.
            while sent < total,
                let count = client.sendWithoutWaiting(piece[..<min(piece.count, total - sent)])
            {
                sent += count
            }
            if sent == total { client.endWriting() }
            let more = try client.receive()
            if more.isEmpty { break }
            received += more.count
        }
        #expect(received == total)
        #expect(most.withLock { $0 } <= limits.pauseReadingBytes + 2 * EventLoop.Limits.readBufferBytes)
    }

    @Test func exceedingTheHardCapCutsTheConnection() throws {
        let fixture = try LoopFixture()
        var limits = StreamLimits()
        limits.hardCapBytes = 256 * 1024
        let reason = Awaited<StreamCloseReason>()
        let server = try TestServer(fixture, limits: limits) { connection, owner in
            owner.onReceive = { _ in
                connection.write { $0 += [UInt8](repeating: 7, count: 32 * 1024 * 1024) }
            }
            owner.onClose = { reason.set($0) }
        }
        let client = try BlockingSocket(port: server.port, receiveBufferBytes: 4096)
        try client.send([1])
        guard case .overflow(let unsent) = reason.wait() else {
            Issue.record("not cut for overflow")
            return
        }
        #expect(unsent > limits.hardCapBytes)
        _ = client
    }

    /// Fault 16: the peer resets while we send; a write then raises SIGPIPE and kills the process unless every
    /// send says MSG_NOSIGNAL.
    @Test func fault16ResetWhileSendingRaisesNoSignal() throws {
        let fixture = try LoopFixture()
        let loop = fixture.loop
        for _ in 0..<50 {
            let reason = Awaited<StreamCloseReason>()
            let server = try TestServer(fixture) { connection, owner in
                owner.onOpen = {
                    // Write again and again until the reset has been noticed.
                    func more() {
                        guard !connection.isClosed else { return }
                        connection.write { $0 += [1, 2, 3] }
                        _ = loop.schedule(after: .zero) { more() }
                    }
                    more()
                }
                owner.onReceive = { _ in }
                owner.onClose = { reason.set($0) }
            }
            do {
                let client = try BlockingSocket(port: server.port)
                client.resetOnClose()
            }
            switch reason.wait() {
            case .failed(let error): #expect([ECONNRESET, EPIPE].contains(error.code))
            default: Issue.record("the reset was not noticed")
            }
        }
    }

    @Test func closingInsideTheReceiveCallbackIsReportedAfterIt() throws {
        let fixture = try LoopFixture()
        let order = Awaited<[String]>()
        let server = try TestServer(fixture) { connection, owner in
            var events: [String] = []
            owner.onReceive = { _ in
                connection.abort()
                events.append("returned from abort")
                connection.write { $0 += [1] }
                connection.finish()
                connection.abort()
            }
            owner.onClose = { reason in
                events.append("\(reason)")
                order.set(events)
            }
        }
        let client = try BlockingSocket(port: server.port)
        try client.send([1])
        #expect(order.wait() == ["returned from abort", "aborted"])
        _ = client
    }

    @Test func stoppingTheLoopReportsEachConnectionOnce() throws {
        let reasons = Mutex<[StreamCloseReason]>([])
        let opened = Awaited<Bool>()
        let fixture = try LoopFixture()
        let server = try TestServer(fixture) { _, owner in
            owner.onOpen = { opened.set(true) }
            owner.onClose = { reason in reasons.withLock { $0.append(reason) } }
        }
        let client = try BlockingSocket(port: server.port)
        _ = opened.wait()
        fixture.loop.stop()
        fixture.loop.join()
        #expect(reasons.withLock { $0 } == [.loopStopped])
        _ = client
    }

    @Test func connectsToTheFirstAddressThatAnswers() throws {
        let fixture = try LoopFixture()
        let loop = fixture.loop
        let server = try TestServer(fixture) { connection, owner in
            owner.onReceive = { bytes in connection.write { $0 += bytes } }
        }
        let dead = try fixture.onLoop {
            let listener = try Listener(loop: loop, address: .loopback(port: 0)) { _, _ in }
            listener.close()
            return listener.address.port
        }
        let answer = Awaited<[UInt8]>()
        try fixture.onLoop {
            let addresses = [SocketAddress.loopback(port: dead), .loopback(port: server.port)]
            _ = ConnectAttempt.start(loop: loop, addresses: addresses, timeout: .seconds(5)) { outcome in
                switch consume outcome {
                case .connected(let descriptor, let peer):
                    let connection = StreamConnection(loop: loop, descriptor: descriptor, peer: peer)
                    let owner = RecordingOwner()
                    owner.onReceive = { answer.set($0) }
                    try? connection.start(owner: owner)
                    connection.write { $0 += [9, 8, 7] }
                case .failed: answer.set([])
                }
            }
        }
        #expect(answer.wait() == [9, 8, 7])
    }

    @Test func aRefusedConnectNamesTheAddress() throws {
        let fixture = try LoopFixture()
        let loop = fixture.loop
        let dead = try fixture.onLoop {
            let listener = try Listener(loop: loop, address: .loopback(port: 0)) { _, _ in }
            listener.close()
            return listener.address
        }
        let result = Awaited<ConnectError?>()
        try fixture.onLoop {
            _ = ConnectAttempt.start(loop: loop, addresses: [dead], timeout: .seconds(5)) { outcome in
                switch consume outcome {
                case .connected: result.set(nil)
                case .failed(let error): result.set(error)
                }
            }
        }
        #expect(result.wait() == .failed(dead, SystemError(code: ECONNREFUSED, call: "connect")))
    }
}
