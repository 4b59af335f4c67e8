import Dispatch
import HTTPCore
import Net
import Synchronization
import TLS
import TestSupport
import Testing
import WebSocketCore

@testable import SenseServer

@Suite struct WebSocketTransportTests {
    @Test(arguments: [1, 2])
    func echoesOnEveryLoop(loops: Int) throws {
        let server = try RunningServer(loops: loops)
        for number: UInt8 in 0..<8 {
            var peer = try WebSocketPeer(port: server.port)
            try peer.send(.binary, [number])
            #expect(try peer.next() == .binary([number]))
            try peer.close(.normal)
            #expect(try peer.next() == .close(CloseFrame(code: .normal)))
            #expect(try peer.next() == nil)
        }
        #expect(server.eventually { $0.sum { $0.open.current } == 0 })
        #expect(server.group.sum { $0.webSockets.current } == 0)
    }

    /// Fault 2: frames that arrive in the same read as the upgrade request, or right after it, are lost. The
    /// request and two messages are cut at every offset.
    @Test func fault02BytesAroundTheUpgradeAreNotLost() throws {
        let server = try RunningServer()
        var client = WebSocketConnection(role: .client(maskKeys: { 7 }))
        var bytes = Array(WebSocketPeer.request.utf8)
        client.send(.text, Array("one".utf8), output: &bytes)
        client.send(.text, Array("two".utf8), output: &bytes)
        for cut in 0...bytes.count {
            let socket = try BlockingSocket(port: server.port)
            try socket.send(Array(bytes[..<cut]))
            try socket.send(Array(bytes[cut...]))
            let expected: [UInt8] = [0x81, 3] + Array("one".utf8) + [0x81, 3] + Array("two".utf8)
            var answer: [UInt8] = []
            while !answer.suffix(expected.count).elementsEqual(expected) {
                let more = try socket.receive()
                try #require(!more.isEmpty, "cut at \(cut)")
                answer += more
            }
        }
    }

    @Test func allAnswersToOneBatchLeaveInOneSend() throws {
        let server = try RunningServer()
        let peer = try WebSocketPeer(port: server.port)
        var batch: [UInt8] = []
        var client = WebSocketConnection(role: .client(maskKeys: { 7 }))
        for number: UInt8 in 0..<100 { client.send(.binary, [number], output: &batch) }
        try peer.socket.send(batch)
        #expect(try peer.socket.receive().count == 300)
    }

    /// Fault 3: a peer that never reads. Lossy messages are dropped, oldest first, and the connection lives;
    /// memory is bounded by the limits. When it reads again the newest have arrived.
    @Test func fault03LossyMessagesForASlowPeerAreDropped() throws {
        var limits = TransportLimits()
        limits.outbound.streamBytes = 32 * 1024
        limits.stream.lowWaterBytes = 32 * 1024
        var script = Script()
        let unsent = Mutex(0)
        script.onMessage = { connection, _, _ in
            for number in 0..<20_000 {
                var message = [UInt8](repeating: 0, count: 1000)
                message[0] = UInt8(number % 256)
                message[1] = UInt8(number / 256)
                connection.send(.binary, message, .latest)
                unsent.withLock { $0 = max($0, connection.stream.unsentBytes) }
            }
            connection.send(.text, Array("end".utf8), .must)
        }
        let server = try RunningServer(script, limits: limits)
        var peer = try WebSocketPeer(port: server.port, receiveBufferBytes: 4096)
        try peer.send(.binary, [1])
        #expect(server.eventually { $0.sum { $0.droppedLossy.current } > 0 })
        var last = -1
        var count = 0
        receiving: while let event = try peer.next() {
            switch event {
            case .binary(let message):
                let number = Int(message[0]) + 256 * Int(message[1])
                #expect(number > last)
                last = number
                count += 1
            case .text: break receiving
            default: Issue.record("unexpected \(event)")
            }
        }
        #expect(last == 19_999)
        #expect(count + Int(server.group.sum { $0.droppedLossy.current }) == 20_000)
        #expect(unsent.withLock { $0 } <= 34 * 1024)
    }

    /// Fault 3, the other class: must-deliver messages for a peer that never reads close the connection.
    @Test func fault03MustDeliverMessagesCloseASlowPeer() throws {
        var limits = TransportLimits()
        limits.outbound.mustBytes = 1024 * 1024
        limits.close = .milliseconds(50)
        var script = Script()
        let ends = Collected<WebSocketEnd>()
        script.onMessage = { connection, _, _ in
            for _ in 0..<64 { connection.send(.binary, [UInt8](repeating: 1, count: 256 * 1024)) }
        }
        script.onEnd = { _, end in ends.add(end) }
        let server = try RunningServer(script, limits: limits)
        var peer = try WebSocketPeer(port: server.port, receiveBufferBytes: 4096)
        try peer.send(.binary, [1])
        #expect(server.eventually { $0.sum { $0.tooSlow.current } == 1 })
        #expect(server.eventually { $0.sum { $0.open.current } == 0 })
        #expect(ends.all == [.tooSlow])
    }

    /// Before, a peer that was too slow or broke the rules got a close code and no word.
    @Test func lastWordsComeBeforeTheCloseFrame() throws {
        var limits = TransportLimits()
        limits.outbound.mustBytes = 1024 * 1024
        var script = Script()
        script.lastWords = "why"
        script.onMessage = { connection, _, message in
            guard message == [1] else { return connection.setMaxMessageBytes(10) }
            for _ in 0..<64 { connection.send(.binary, [UInt8](repeating: 1, count: 256 * 1024)) }
        }
        let server = try RunningServer(script, limits: limits)
        func end(of peer: inout WebSocketPeer) throws -> [WebSocketEvent] {
            var events: [WebSocketEvent] = []
            while let event = try peer.next() { events.append(event) }
            return events.suffix(2)
        }
        var slow = try WebSocketPeer(port: server.port, receiveBufferBytes: 4096)
        try slow.send(.binary, [1])
        #expect(server.eventually { $0.sum { $0.tooSlow.current } == 1 })
        #expect(
            try end(of: &slow) == [
                .text(Array("why".utf8)),
                .close(CloseFrame(code: .tryAgainLater, reason: "messages are not taken fast enough")),
            ])
        var big = try WebSocketPeer(port: server.port)
        try big.send(.binary, [UInt8](repeating: 2, count: 11))
        try big.send(.binary, [UInt8](repeating: 2, count: 11))
        #expect(
            try end(of: &big) == [
                .text(Array("why".utf8)),
                .close(CloseFrame(code: .messageTooBig, reason: "message above 10 bytes")),
            ])
        #expect(server.eventually { $0.sum { $0.open.current } == 0 })
    }

    /// Fault 12: we say close and the peer never answers.
    @Test func fault12AnUnansweredCloseTimesOut() throws {
        var limits = TransportLimits()
        limits.close = .milliseconds(50)
        var script = Script()
        let ends = Collected<WebSocketEnd>()
        script.onOpen = { $0.close(.normal, reason: "done") }
        script.onEnd = { _, end in ends.add(end) }
        let server = try RunningServer(script, limits: limits)
        let peer = try WebSocketPeer(port: server.port)
        #expect(server.eventually { $0.sum { $0.open.current } == 0 })
        #expect(ends.all == [.closeTimeout])
        _ = peer
    }

    @Test func crossingClosesEndCleanly() throws {
        var script = Script()
        let ends = Collected<WebSocketEnd>()
        script.onMessage = { connection, _, _ in connection.close(.normal) }
        script.onEnd = { _, end in ends.add(end) }
        let server = try RunningServer(script)
        var peer = try WebSocketPeer(port: server.port)
        try peer.send(.binary, [1])
        try peer.close(.goingAway)
        while try peer.next() != nil {}
        #expect(server.eventually { $0.sum { $0.open.current } == 0 })
        #expect(ends.all.count == 1)
    }

    /// Fault 13: a handler that ends its own connection and all others from inside a message callback, while
    /// peers reset theirs.
    @Test func fault13EndingConnectionsInsideCallbacks() throws {
        let handles = Mutex<[ConnectionHandle]>([])
        let ends = Collected<UInt64>()
        var script = Script()
        script.onOpen = { connection in handles.withLock { $0.append(connection.handle) } }
        script.onMessage = { connection, kind, message in
            for handle in handles.withLock({ $0 }) {
                guard let other = handle.shard.connection(handle.id) else { continue }
                other.send(kind, message)
                if handle.id % 2 == 0 { other.abort() } else { other.close(.normal) }
                other.send(kind, message)
            }
        }
        script.onEnd = { connection, _ in ends.add(connection.id) }
        let server = try RunningServer(script)
        for _ in 0..<5 {
            var last = try WebSocketPeer(port: server.port)
            do {
                let first = try WebSocketPeer(port: server.port)
                let second = try WebSocketPeer(port: server.port)
                second.socket.resetOnClose()
                _ = first
                _ = second
            }
            let third = try WebSocketPeer(port: server.port)
            try last.send(.binary, [1])
            _ = third
        }
        #expect(server.eventually { $0.sum { $0.open.current } == 0 })
        #expect(ends.all.count == 20)
        #expect(Set(ends.all).count == 20)
    }

    /// Fault 18: the peer never answers pings: it is given up. Fault 19 looks the same from here: a peer without
    /// power sends nothing at all.
    @Test func fault18And19ASilentPeerIsGivenUp() throws {
        var limits = TransportLimits()
        limits.pingInterval = .milliseconds(50)
        limits.pingTimeout = .milliseconds(50)
        var script = Script()
        let ends = Collected<WebSocketEnd>()
        script.onEnd = { _, end in ends.add(end) }
        let server = try RunningServer(script, limits: limits)
        let peer = try WebSocketPeer(port: server.port)
        #expect(server.eventually { $0.sum { $0.silent.current } == 1 })
        #expect(ends.all == [.silent])
        // The ping was really asked.
        #expect(try peer.socket.receive(exactly: 2) == [0x89, 0])
    }

    /// Fault 18: a healthy peer that reads slowly takes longer than the ping timeout to get to the ping; it must
    /// not be cut while bytes move.
    @Test func fault18ASlowReaderIsNotCutWhileBytesMove() throws {
        var limits = TransportLimits()
        limits.pingInterval = .milliseconds(100)
        limits.pingTimeout = .milliseconds(400)
        var script = Script()
        script.onMessage = { connection, _, _ in
            connection.send(.binary, [UInt8](repeating: 1, count: 5_000_000))
        }
        let server = try RunningServer(script, limits: limits)
        var peer = try WebSocketPeer(port: server.port, receiveBufferBytes: 4096)
        try peer.send(.binary, [1])
        var received = 0
        // About 1 s in all, well beyond interval and timeout.
        while received < 5_000_000 {
            let bytes = try peer.socket.receive(atMost: 40_000)
            try #require(!bytes.isEmpty, "cut after \(received) bytes")
            received += bytes.count
            server.turn()
        }
        #expect(server.group.sum { $0.silent.current } == 0)
    }

    /// Fault 21: many threads send on one connection while another closes it; every frame must be whole.
    @Test func fault21FramesOfManySendersNeverMix() throws {
        let handles = Mutex<[ConnectionHandle]>([])
        var script = Script()
        script.onOpen = { connection in handles.withLock { $0.append(connection.handle) } }
        let server = try RunningServer(script)
        var peer = try WebSocketPeer(port: server.port)
        #expect(server.eventually { _ in handles.withLock { !$0.isEmpty } })
        let handle = try #require(handles.withLock { $0.first })
        let group = DispatchGroup()
        for sender: UInt8 in 0..<8 {
            DispatchQueue.global().async(group: group) {
                for number in 1...200 {
                    handle.post { $0.send(.binary, [UInt8](repeating: sender, count: number * 7)) }
                }
            }
        }
        DispatchQueue.global().async(group: group) { handle.post { $0.close(.normal) } }
        var last = [Int](repeating: 0, count: 8)
        while let event = try peer.next() {
            if case .close = event { break }
            guard case .binary(let message) = event, let sender = message.first else {
                Issue.record("a damaged frame: \(event)")
                break
            }
            #expect(message.allSatisfy { $0 == sender })
            #expect(message.count == (last[Int(sender)] + 1) * 7)
            last[Int(sender)] += 1
        }
        group.wait()
    }

    @Test func drainSaysGoodbyeAndEndsTheLoops() throws {
        let server = try RunningServer(loops: 2)
        var first = try WebSocketPeer(port: server.port)
        var second = try WebSocketPeer(port: server.port)
        let idle = try BlockingSocket(port: server.port)
        #expect(server.eventually { $0.sum { $0.open.current } == 3 })
        let done = DispatchSemaphore(value: 0)
        server.group.drain { done.signal() }
        #expect(try first.next() == .close(CloseFrame(code: .goingAway)))
        #expect(try second.next() == .close(CloseFrame(code: .goingAway)))
        #expect(try idle.receiveAll() == [])
        #expect(try first.next() == nil)
        #expect(try second.next() == nil)
        // An idle connection lingers until the peer ends, so let it.
        idle.endWriting()
        #expect(done.wait(timeout: .now() + 10) == .success)
        server.group.join()
        let port = server.port
        let error = #expect(throws: BlockingSocket.Failure.self) { _ = try BlockingSocket(port: port) }
        #expect(error?.call == "connect")
    }

    @Test func drainCutsPeersThatDoNotAnswer() throws {
        var limits = TransportLimits()
        limits.drain = .milliseconds(50)
        let server = try RunningServer(limits: limits)
        let peer = try WebSocketPeer(port: server.port)
        #expect(server.eventually { $0.sum { $0.webSockets.current } == 1 })
        let done = DispatchSemaphore(value: 0)
        server.group.drain { done.signal() }
        #expect(done.wait(timeout: .now() + 5) == .success)
        server.group.join()
        _ = peer
    }

    @Test func tooManyConnectionsAreClosedAtOnce() throws {
        var limits = TransportLimits()
        limits.maxConnections = 2
        let server = try RunningServer(limits: limits)
        let first = try WebSocketPeer(port: server.port)
        let second = try WebSocketPeer(port: server.port)
        let third = try BlockingSocket(port: server.port)
        #expect(try third.receiveAll() == [])
        #expect(server.group.sum { $0.refused.current } == 1)
        _ = first
        _ = second
    }
}
