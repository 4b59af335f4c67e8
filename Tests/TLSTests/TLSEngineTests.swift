import ByteCodec
import Synchronization
import TestSupport
import Testing

@testable import TLS

@Suite struct TLSEngineTests {
    @Test(arguments: [1, 7, 100, 5000, Int.max])
    func handshakeAndDataSurviveAnyCutting(piece: Int) throws {
        let server = try TestContexts.server()
        let pair = try TLSPair(server: server, client: TestContexts.client(of: server))
        try pair.pump(piece: piece)
        #expect(pair.server.state == .open && pair.client.state == .open)
        #expect(pair.client.protocolVersion == "TLSv1.3")
        var seeded = SeededBytes(seed: 5)
        let up = seeded.bytes(20_000)
        let down = seeded.bytes(40_000)
        try pair.client.send(up.span, ciphertext: &pair.toServer)
        try pair.server.send(down.span, ciphertext: &pair.toClient)
        try pair.pump(piece: piece)
        #expect(pair.atServer == up)
        #expect(pair.atClient == down)
    }

    @Test func speaksTLS12WithAnOldClient() throws {
        let server = try TestContexts.server()
        let context = try TestContexts.client(of: server)
        let old = try TLSPair(server: server, client: context, limitsClientToTLS12: true)
        try old.pump()
        #expect(old.server.protocolVersion == "TLSv1.2")
        try old.client.send([1, 2, 3].span, ciphertext: &old.toServer)
        try old.pump()
        #expect(old.atServer == [1, 2, 3])
    }

    /// Fault 14: plaintext stays inside the library (SSL_pending) while the socket has nothing more, and waits
    /// for ever. One call must hand over every complete record, however small the scratch memory.
    @Test(arguments: [1, 100, 4096, 16384])
    func fault14OneReceiveHandsOverEverything(scratchBytes: Int) throws {
        let server = try TestContexts.server()
        let pair = try TLSPair(server: server, client: TestContexts.client(of: server))
        try pair.pump()
        let burst = [UInt8](repeating: 0x5a, count: 64 * 1024)
        try pair.client.send(burst.span, ciphertext: &pair.toServer)
        var scratch = [UInt8](repeating: 0, count: scratchBytes)
        var count = 0
        try pair.server.receive(
            pair.toServer.span, scratch: &scratch, ciphertext: &pair.toClient
        ) { count += $0.count }
        #expect(count == burst.count)
    }

    /// Fault 15: a key update makes a read want to write. The answer must come out of the same call, not wait
    /// for the socket to become writable or readable, and both directions go on.
    @Test func fault15KeyUpdateIsAnsweredByTheReadThatMeetsIt() throws {
        let server = try TestContexts.server()
        let pair = try TLSPair(server: server, client: TestContexts.client(of: server))
        try pair.pump()
        for round: UInt8 in 0..<20 {
            pair.client.requestKeyUpdateForTesting()
            try pair.client.send([round].span, ciphertext: &pair.toServer)
            let flight = pair.toServer
            pair.toServer = []
            try pair.deliver(flight, to: pair.server, reply: &pair.toClient, plaintext: &pair.atServer)
            try pair.server.send([round].span, ciphertext: &pair.toClient)
            try pair.pump()
        }
        #expect(pair.atServer == Array(0..<20))
        #expect(pair.atClient == Array(0..<20))
    }

    @Test func closeNotifyEndsOneDirection() throws {
        let server = try TestContexts.server()
        let pair = try TLSPair(server: server, client: TestContexts.client(of: server))
        try pair.pump()
        try pair.client.send([1].span, ciphertext: &pair.toServer)
        pair.client.close(ciphertext: &pair.toServer)
        try pair.pump()
        #expect(pair.server.state == .peerClosed)
        #expect(pair.atServer == [1])
        try pair.server.send([2].span, ciphertext: &pair.toClient)
        pair.server.close(ciphertext: &pair.toClient)
        try pair.pump()
        #expect(pair.atClient == [2])
        #expect(throws: SecureChannelError.notOpen) {
            try pair.client.send([3].span, ciphertext: &pair.toServer)
        }
    }

    @Test func aDamagedRecordFailsThisConnectionAndNoOther() throws {
        let server = try TestContexts.server()
        let healthy = try TLSPair(server: server, client: TestContexts.client(of: server))
        let damaged = try TLSPair(server: server, client: TestContexts.client(of: server))
        try healthy.pump()
        try damaged.pump()
        try damaged.client.send([1, 2, 3].span, ciphertext: &damaged.toServer)
        damaged.toServer[damaged.toServer.count - 1] ^= 1
        #expect(throws: SecureChannelError.self) { try damaged.pump() }
        #expect(damaged.server.state == .failed)
        #expect(!damaged.toClient.isEmpty, "the alert that says why")
        // The library's error queue now holds an entry unless it is cleared; the next call must not see it.
        try healthy.client.send([4].span, ciphertext: &healthy.toServer)
        try healthy.pump()
        #expect(healthy.atServer == [4])
    }

    @Test func plainHTTPOnTheTLSPortIsRefused() throws {
        let engine = try TestContexts.server().makeEngine()
        var scratch = [UInt8](repeating: 0, count: 1024)
        var reply: [UInt8] = []
        #expect(throws: SecureChannelError.self) {
            try engine.receive(
                Array("GET / HTTP/1.1\r\nHost: x\r\n\r\n".utf8).span, scratch: &scratch, ciphertext: &reply
            ) { _ in Issue.record("plaintext from a plain request") }
        }
        #expect(engine.state == .failed)
    }

    @Test func arbitraryBytesNeverTrap() throws {
        let context = try TestContexts.server()
        var seeded = SeededBytes(seed: 11)
        for _ in 0..<300 {
            let engine = try context.makeEngine()
            var scratch = [UInt8](repeating: 0, count: 1024)
            var reply: [UInt8] = []
            var bytes = seeded.bytes(seeded.int(in: 1...600))
            // Half of them look like a handshake record.
            if seeded.int(in: 0...1) == 0, bytes.count > 6 {
                bytes.replaceSubrange(0..<6, with: [22, 3, 1, 0, UInt8(min(255, bytes.count - 5)), 1])
            }
            do {
                try engine.receive(bytes.span, scratch: &scratch, ciphertext: &reply) { _ in
                    Issue.record("plaintext from noise")
                }
                #expect(engine.state == .handshaking)
            } catch {
                #expect(engine.state == .failed)
            }
        }
    }

    @Test func aPinnedClientRefusesAnotherCertificate() throws {
        let server = try TestContexts.server()
        let other = try TLSContext(server: SelfSignedCertificate.make())
        let pair = try TLSPair(server: other, client: TestContexts.client(of: server))
        let error = #expect(throws: SecureChannelError.self) { try pair.pump() }
        let expected = try #require(server.fingerprint).hex
        let got = try #require(other.fingerprint).hex
        #expect(error == .untrustedPeer(expected: expected, got: got))
        #expect(pair.client.state == .failed)
    }

    @Test(arguments: [true, false])
    func firstUseAsksOnceWithTheFingerprint(answer: Bool) throws {
        let server = try TestContexts.server()
        let asked = Mutex<[CertificateFingerprint]>([])
        let client = try TLSContext(
            client: .onFirstUse { fingerprint in
                asked.withLock { $0.append(fingerprint) }
                return answer
            })
        let pair = try TLSPair(server: server, client: client)
        if answer {
            try pair.pump()
            #expect(pair.client.state == .open)
        } else {
            #expect(throws: SecureChannelError.self) { try pair.pump() }
        }
        #expect(asked.withLock { $0 } == [try #require(server.fingerprint)])
    }

    @Test func systemAuthoritiesRefuseASelfSignedCertificate() throws {
        let client = try TLSContext(client: .systemAuthorities(host: "localhost"))
        let pair = try TLSPair(server: TestContexts.server(), client: client)
        #expect(throws: SecureChannelError.self) { try pair.pump() }
    }
}
