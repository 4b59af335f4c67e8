import TestSupport
import Testing

@testable import WebSocketCore

@Suite struct PermessageDeflateTests {
    static let separate: DeflateParameters = {
        var parameters = DeflateParameters()
        parameters.serverNoContextTakeover = true
        parameters.clientNoContextTakeover = true
        return parameters
    }()

    static func compressed(_ payload: [UInt8], first: UInt8 = 0xC1) -> [UInt8] {
        Wire(first: first, payload: payload).bytes
    }

    /// The examples of RFC 7692 section 7.2.3.
    @Test func examplesOfTheStandard() {
        let hello = WebSocketEvent.text(Array("Hello".utf8))
        let samples: [(input: [UInt8], outputs: [WebSocketEvent])] = [
            (Self.compressed([0xF2, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00]), [hello]),
            (
                Self.compressed([0xF2, 0x48, 0xCD], first: 0x41)
                    + Wire(first: 0x80, payload: [0xC9, 0xC9, 0x07, 0x00]).bytes, [hello]
            ),
            (
                Self.compressed([0xF2, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00])
                    + Self.compressed([0xF2, 0x00, 0x11, 0x00, 0x00]), [hello, hello]
            ),
            (Self.compressed([0x00, 0x05, 0x00, 0xFA, 0xFF, 0x48, 0x65, 0x6C, 0x6C, 0x6F, 0x00]), [hello]),
            (Self.compressed([0xF3, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00, 0x00]), [hello]),
            (
                Self.compressed([
                    0xF2, 0x48, 0x05, 0x00, 0x00, 0x00, 0xFF, 0xFF, 0xCA, 0xC9, 0xC9, 0x07, 0x00,
                ]), [hello]
            ),
            (Self.compressed([0x00]), [.text([])]),
            (Wire.text("plain"), [.text(Array("plain".utf8))]),
        ]
        let mismatches = DecoderVerifier(samples: samples) {
            let server = Endpoint.server(compression: DeflateParameters())
            return { server.receive($0) }
        }.mismatches()
        #expect(mismatches.isEmpty)
    }

    @Test func aMessageSentEqualsTheStandardsExample() {
        let server = Endpoint.server(compression: DeflateParameters())
        server.send(.text, Array("Hello".utf8))
        #expect(server.takeOutput() == Wire.fromServer(0xC1, [0xF2, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00]))
        server.send(.text, Array("Hello".utf8))
        #expect(server.takeOutput() == Wire.fromServer(0xC1, [0xF2, 0x00, 0x11, 0x00, 0x00]))
    }

    @Test(arguments: [8, 9, 12, 15], [false, true])
    func messagesSurviveBothWaysForEveryWindow(_ bits: Int, _ isSeparate: Bool) {
        var parameters = isSeparate ? Self.separate : DeflateParameters()
        parameters.serverMaxWindowBits = bits
        parameters.clientMaxWindowBits = bits
        let server = Endpoint.server(compression: parameters)
        let client = Endpoint.client(compression: parameters)
        var random = SeededBytes(seed: UInt64(bits))
        for round in 0..<30 {
            // Text-like, with repeats nearer and farther than the window.
            let words = (0..<40).map { _ in random.bytes(random.int(in: 1...9)) }
            let payload = (0..<(round * 20)).flatMap { _ in words[random.int(in: 0...39)] }
            client.send(.binary, payload)
            #expect(server.receive(client.takeOutput()) == [.binary(payload)])
            server.send(.binary, payload)
            #expect(client.receive(server.takeOutput()) == [.binary(payload)])
            if round % 7 == 6 { server.connection.releaseIdle() }
        }
    }

    @Test func smallMessagesAndEmptyOnesGoAsTheyAre() {
        let server = Endpoint.server(
            compression: DeflateParameters(), configuration: DeflateConfiguration(minCompressBytes: 64))
        server.send(.binary, [UInt8](repeating: 1, count: 63))
        #expect(server.takeOutput().first == 0x82)
        server.send(.binary, [UInt8](repeating: 1, count: 64))
        #expect(server.takeOutput().first == 0xC2)
        let eager = Endpoint.server(compression: DeflateParameters())
        eager.send(.binary, [])
        #expect(eager.output == [0x82, 0x00])
    }

    /// 1 MB of zeros in about 1 KB, and the edges of the limit.
    @Test func fault04_aBombStopsAtTheLimitWhileInflating() {
        let bomb = Self.deflated([UInt8](repeating: 0, count: 1 << 20))
        #expect(bomb.count < 2000)
        var limits = WebSocketLimits(maxMessageBytes: 65536)
        let server = Endpoint.server(limits, compression: DeflateParameters())
        server.receive(Self.compressed(bomb, first: 0xC2))
        #expect(server.events == [.failed(.messageTooBig(bytes: 65537, limit: 65536))])
        #expect(server.state.closeCode == .messageTooBig)

        for (extra, isTaken) in [(0, true), (1, false)] {
            let edge = Endpoint.server(limits, compression: DeflateParameters())
            edge.receive(
                Self.compressed(Self.deflated([UInt8](repeating: 7, count: 65536 + extra)), first: 0xC2))
            #expect(
                edge.events == [
                    isTaken
                        ? .binary([UInt8](repeating: 7, count: 65536))
                        : .failed(.messageTooBig(bytes: 65537, limit: 65536))
                ])
        }
        limits.maxMessageBytes = 0
        let none = Endpoint.server(limits, compression: DeflateParameters())
        none.receive(Self.compressed(Self.deflated([1]), first: 0xC2))
        #expect(none.events == [.failed(.messageTooBig(bytes: 1, limit: 0))])
    }

    /// The same with the bomb spread over fragments, each far below the limit.
    @Test func fault04_aBombInFragmentsStopsToo() {
        let bomb = Self.deflated([UInt8](repeating: 0, count: 1 << 20))
        let server = Endpoint.server(
            WebSocketLimits(maxMessageBytes: 65536, smallFragmentBytes: 0), compression: DeflateParameters())
        for (index, byte) in bomb.enumerated() {
            server.receive(Wire(first: index == 0 ? 0x42 : 0x00, payload: [byte]).bytes)
        }
        #expect(server.events == [.failed(.messageTooBig(bytes: 65537, limit: 65536))])
    }

    static func deflated(_ payload: [UInt8]) -> [UInt8] {
        let deflater = Deflater(windowBits: 15, level: 9, memoryLevel: 8)
        var output: [UInt8] = []
        let isDone = deflater?.deflateSynced(payload.span, into: &output)
        #expect(isDone == true)
        return Array(output.dropLast(4))
    }

    @Test func fault09_pingsBetweenCompressedFragmentsLeaveTheMessageWhole() {
        let text = Array("some text, some text, some text €".utf8)
        let wire = Self.deflated(text)
        let server = Endpoint.server(compression: DeflateParameters())
        for (index, byte) in wire.enumerated() {
            server.receive(Wire(first: index == 0 ? 0x41 : 0x00, payload: [byte]).bytes)
            #expect(server.receive(Wire.ping([UInt8(index)])) == [.ping([UInt8(index)])])
        }
        #expect(server.receive(Wire.continuation([], fin: true)) == [.text(text)])
    }

    @Test func fault11_compressedTextIsCheckedToo() {
        let server = Endpoint.server(compression: DeflateParameters())
        server.receive(Self.compressed(Self.deflated([0x41, 0xED, 0xA0, 0x80])))
        #expect(server.events == [.failed(.invalidUTF8)])
        let unfinished = Endpoint.server(compression: DeflateParameters())
        unfinished.receive(Self.compressed(Self.deflated([0x41, 0xE2, 0x82])))
        #expect(unfinished.events == [.failed(.invalidUTF8)])
    }

    @Test(arguments: [[], [0xFF, 0xFF], [0x07], [0xF2, 0x48, 0xCD], [0x00, 0x06, 0x00, 0xF9, 0xFF, 0x48]])
    func damagedOrUnfinishedDataIsRefused(_ payload: [UInt8]) {
        let server = Endpoint.server(compression: DeflateParameters())
        server.receive(Self.compressed(payload, first: 0xC2))
        #expect(server.events == [.failed(.invalidDeflateData)])
        #expect(server.state.closeCode == .invalidData)
    }

    @Test func aReferenceBeforeAResetWindowIsRefused() {
        let server = Endpoint.server(compression: Self.separate)
        server.receive(Self.compressed([0xF2, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00]))
        server.receive(Self.compressed([0xF2, 0x00, 0x11, 0x00, 0x00]))
        #expect(server.events == [.text(Array("Hello".utf8)), .failed(.invalidDeflateData)])
    }

    /// Contexts are made on first use, go back to the pool after each message, and are shared.
    @Test func fault22_connectionsWithoutContextTakeoverShareTheirContexts() {
        let pool = DeflateContextPool()
        let servers = (0..<50).map { _ in Endpoint.server(compression: Self.separate, pool: pool) }
        #expect(pool.idleContexts == 0)
        for server in servers {
            let payload = Array("the same text for all of them".utf8)
            server.receive(Self.compressed(Self.deflated(payload)))
            server.send(.text, payload)
            #expect(server.events == [.text(payload)])
        }
        #expect(pool.idleContexts == 2)
    }

    @Test func fault22_idleConnectionsAndClosedOnesReleaseTheirContexts() {
        let pool = DeflateContextPool()
        let server = Endpoint.server(compression: DeflateParameters(), pool: pool)
        server.send(.text, Array("Hello".utf8))
        #expect(pool.idleContexts == 0)
        server.connection.releaseIdle()
        #expect(pool.idleContexts == 1)
        // The window is gone, so the next message must stand for itself.
        _ = server.takeOutput()
        server.send(.text, Array("Hello".utf8))
        #expect(server.output == Wire.fromServer(0xC1, [0xF2, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00]))
    }

    @Test func arbitraryCompressedBytesNeverTrap() {
        for seed in 0..<300 as Range<UInt64> {
            var random = SeededBytes(seed: seed)
            var payload = Self.deflated(random.bytes(200) + [UInt8](repeating: 3, count: 3000))
            for _ in 0..<3 {
                payload[random.int(in: 0...(payload.count - 1))] = UInt8(random.int(in: 0...255))
            }
            let server = Endpoint.server(
                WebSocketLimits(maxMessageBytes: 5000), compression: DeflateParameters())
            for piece in random.cut(Self.compressed(payload, first: 0xC2), maxPieceBytes: 100) {
                server.receive(piece)
            }
            #expect(server.events.count == 1)
        }
    }

    @Test("what zlib refuses gives no stream, and frees what it took once")
    func refusedParameters() {
        #expect(Deflater(windowBits: 8, level: 6, memoryLevel: 8) == nil)
        #expect(Deflater(windowBits: 15, level: 10, memoryLevel: 8) == nil)
        #expect(Deflater(windowBits: 15, level: 6, memoryLevel: 0) == nil)
        #expect(Inflater(windowBits: 7) == nil)
        #expect(Inflater(windowBits: 15) != nil)
    }
}
