import TestSupport
import Testing
import WebSocketCore

@Suite struct WebSocketConnectionTests {
    @Test func aMessageOfEachLengthFormIsRead() {
        for count in [0, 1, 7, 8, 125, 126, 127, 65535, 65536, 70000] {
            var random = SeededBytes(seed: UInt64(count))
            let payload = random.bytes(count)
            let server = Endpoint.server()
            #expect(server.receive(Wire.binary(payload)) == [.binary(payload)])
            #expect(server.output.isEmpty)
        }
    }

    @Test func everyCuttingGivesTheSameEvents() {
        var random = SeededBytes(seed: 7)
        let big = random.bytes(300)
        let samples: [(input: [UInt8], outputs: [WebSocketEvent])] = [
            (Wire.text("héllo €𝄞"), [.text(Array("héllo €𝄞".utf8))]),
            (Wire.binary(big), [.binary(big)]),
            (Wire.ping([1, 2, 3]), [.ping([1, 2, 3])]),
            (Wire(first: 0x8A, payload: [9]).bytes, [.pong([9])]),
            (Wire.binary([]), [.binary([])]),
            (
                Wire.text("a€", fin: false) + Wire.ping() + Wire.continuation([], fin: false)
                    + Wire.continuation([0xE2, 0x82], fin: false) + Wire.ping([5])
                    + Wire.continuation([0xAC], fin: true),
                [.ping([]), .ping([5]), .text(Array("a€€".utf8))]
            ),
        ]
        let mismatches = DecoderVerifier(samples: samples) {
            let server = Endpoint.server()
            return { server.receive($0) }
        }.mismatches()
        #expect(mismatches.isEmpty)
    }

    @Test func pingIsAnsweredInOrderWithWhatIsSentBetweenEvents() {
        let server = Endpoint.server()
        let input = Wire.text("a") + Wire.ping([1]) + Wire.text("b")
        var position = 0
        while let event = server.connection.nextEvent(input.span, at: &position, output: &server.output) {
            if case .text(let text) = event { server.send(.text, text) }
        }
        let expected =
            Wire.fromServer(0x81, [0x61]) + Wire.fromServer(0x8A, [1]) + Wire.fromServer(0x81, [0x62])
        #expect(server.output == expected)
    }

    @Test func aConnectionIsSmallerThanOneKilobyte() {
        #expect(MemoryLayout<WebSocketConnection>.size < 512)
    }

    @Test func clientAndServerUnderstandEachOther() {
        var random = SeededBytes(seed: 11)
        let server = Endpoint.server()
        let client = Endpoint.client()
        for count in [0, 5, 125, 126, 4000, 70000] {
            let payload = random.bytes(count)
            client.send(.binary, payload)
            #expect(server.receive(client.takeOutput()) == [.binary(payload)])
            server.send(.binary, payload)
            #expect(client.receive(server.takeOutput()) == [.binary(payload)])
        }
    }

    @Test func arbitraryBytesNeverTrapAndEndInAnAnswer() {
        for seed in 0..<400 as Range<UInt64> {
            var random = SeededBytes(seed: seed)
            let limits = WebSocketLimits(
                maxMessageBytes: random.int(in: 0...2000), maxFragments: random.int(in: 1...5),
                smallFragmentBytes: 8, maxSmallFragments: 2)
            let server = Endpoint.server(limits, compression: seed % 2 == 0 ? DeflateParameters() : nil)
            for piece in random.cut(random.bytes(2000), maxPieceBytes: 50) { server.receive(piece) }
            if case .failed(let error)? = server.events.last {
                #expect(server.state == .closed(.failed(error)))
            }
        }
    }
}
