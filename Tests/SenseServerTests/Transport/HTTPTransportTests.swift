import HTTPCore
import Net
import TestSupport
import Testing

@testable import SenseServer

@Suite struct HTTPTransportTests {
    private func exchange(_ port: UInt16, _ request: String) throws -> String {
        let socket = try BlockingSocket(port: port)
        try socket.send(request)
        return String(decoding: try socket.receiveAll(), as: UTF8.self)
    }

    @Test(arguments: [
        ("GET /health HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", "200"),
        ("GET /nothing HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", "404"),
        ("DELETE /health HTTP/1.1\r\nHost: a\r\n\r\n", "405"),
        ("GET /health HTTP/1.1\r\n\r\n", "400"),
        ("GET /health HTTP/1.1\r\nHost: a\r\nX: \(String(repeating: "x", count: 20_000))\r\n\r\n", "431"),
        ("GET /health HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello", "400"),
        ("GET /health HTTP/1.1\nHost: a\n\n", "400"),
        ("GET /ws HTTP/1.1\r\nHost: a\r\n\r\n", "426"),
    ])
    func answersWithTheStatus(request: String, status: String) throws {
        let server = try RunningServer()
        #expect(try exchange(server.port, request).hasPrefix("HTTP/1.1 \(status) "))
    }

    @Test func headHasNoBodyAndKeepAliveServesTheNextRequest() throws {
        let server = try RunningServer()
        let answer = try exchange(
            server.port,
            "HEAD /health HTTP/1.1\r\nHost: a\r\n\r\nGET /health HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
        )
        #expect(answer.components(of: "HTTP/1.1 200") == 2)
        #expect(answer.components(of: "ok\n") == 1)
    }

    @Test func bodiesArriveWholeHoweverTheyAreCut() throws {
        var limits = TransportLimits()
        limits.http.maxBodyBytes = 1000
        let server = try RunningServer(limits: limits)
        let socket = try BlockingSocket(port: server.port)
        for byte in Array(
            "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 11\r\nConnection: close\r\n\r\nhello world"
                .utf8)
        {
            try socket.send([byte])
        }
        let answer = String(decoding: try socket.receiveAll(), as: UTF8.self)
        #expect(answer.hasSuffix("\r\n\r\nhello world"))
        #expect(
            try exchange(server.port, "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 1001\r\n\r\n")
                .hasPrefix("HTTP/1.1 413"))
    }

    @Test func anAnswerMayComeLater() throws {
        let server = try RunningServer()
        #expect(try exchange(server.port, "GET /later HTTP/1.1\r\nHost: a\r\n\r\n").hasSuffix("later\n"))
    }

    @Test func requestsOfOneConnectionAreLimited() throws {
        let server = try RunningServer()
        let one = "GET /health HTTP/1.1\r\nHost: a\r\n\r\n"
        let answer = try exchange(server.port, String(repeating: one, count: 500))
        #expect(answer.components(of: "HTTP/1.1 200") == TransportLimits().maxRequests)
    }

    /// Fault 24: what follows a refused upgrade may be frames; it must not be read as a second request.
    @Test(arguments: ["Origin: https://evil.example\r\n", "Sec-WebSocket-Key: bad\r\n"])
    func fault24ARefusedUpgradeEndsTheConnection(line: String) throws {
        var script = Script()
        script.origins = OriginPolicy(["https://good.example"])
        let server = try RunningServer(script)
        let request =
            "GET /ws HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\(line)"
            + "Sec-WebSocket-Version: 13\r\n\r\nGET /health HTTP/1.1\r\nHost: a\r\n\r\n"
        let answer = try exchange(server.port, request)
        #expect(answer.components(of: "HTTP/1.1 ") == 1)
        #expect(answer.hasPrefix("HTTP/1.1 40"))
    }

    /// Fault 7 on the wire: a head that never ends is refused after a bounded number of bytes.
    @Test func fault07AnEndlessHeadIsRefused() throws {
        let server = try RunningServer()
        let socket = try BlockingSocket(port: server.port)
        try socket.send("GET /health HTTP/1.1\r\nHost: a\r\n")
        var sent = 0
        do {
            while sent < 20 << 20 {
                try socket.send("a: b\r\n")
                sent += 6
            }
        } catch {
            // The server has closed: EPIPE or ECONNRESET.
        }
        #expect(sent < 4 << 20)
        #expect(server.eventually { $0.sum { $0.badRequests.current } == 1 })
    }

    /// Fault 8: peers that connect and say nothing, half a request, or dribble one byte at a time.
    @Test func fault08SlowPeersAreCutAfterTheHandshakeTime() throws {
        var limits = TransportLimits()
        limits.handshake = .milliseconds(100)
        let server = try RunningServer(limits: limits)
        let silent = try BlockingSocket(port: server.port)
        let half = try BlockingSocket(port: server.port)
        try half.send("GET /health HTTP/1.1\r\nHo")
        let dribbling = try BlockingSocket(port: server.port)
        var dribbled = 0
        do {
            // Bytes of a head that is longer than what can be sent in the time, one per loop turn.
            while dribbled < 5000 {
                try dribbling.send("x")
                dribbled += 1
                server.turn()
            }
        } catch {
            // Cut, as it should be.
        }
        #expect(try silent.receiveAll() == [])
        #expect(try half.receiveAll() == [])
        #expect(server.eventually { $0.sum { $0.open.current } == 0 })
        #expect(server.group.sum { $0.handshakeTimeouts.current } == 3)
    }

    @Test func plainTextBeyondLoopbackNeedsLeave() throws {
        let address = try #require(SocketAddress("0.0.0.0", port: 0))
        #expect(throws: ServerGroupError.plainBeyondLoopback(address)) {
            try ServerGroup(
                application: ScriptedApplication(script: Script()),
                endpoints: [ServerEndpoint(address: address, tls: nil)], loops: 1)
        }
    }
}

extension String {
    /// How often `part` occurs.
    func components(of part: String) -> Int {
        var count = 0
        var rest = self[...]
        while let range = rest.firstRange(of: part) {
            count += 1
            rest = rest[range.upperBound...]
        }
        return count
    }
}
