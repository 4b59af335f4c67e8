import TestSupport
import Testing

@testable import WebSocketCore

/// Faults that users of other WebSocket stacks reported, each provoked here: lengths, fragments, control
/// frames and text.
@Suite struct MessageFaultTests {
    @Test func fault01_aLengthWithTheTopBitSetIsAProtocolErrorAndNoTrap() {
        for length in [[0xFF] + [UInt8](repeating: 0xFF, count: 8), [0xFF, 0x80, 0, 0, 0, 0, 0, 0, 0]] {
            let server = Endpoint.server()
            server.receive([0x82] + length + [1, 2, 3, 4, 5])
            guard case .failed(.lengthOutOfRange)? = server.events.last else {
                Issue.record("got \(server.events)")
                continue
            }
            #expect(server.state.closeCode == .protocolError)
        }
    }

    @Test func fault01_theLargestLegalLengthIsTooBig() {
        let server = Endpoint.server()
        server.receive([0x82, 0xFF, 0x7F] + [UInt8](repeating: 0xFF, count: 7) + [1, 2, 3, 4])
        #expect(server.events == [.failed(.messageTooBig(bytes: .max, limit: 1 << 20))])
        // The sum with what is held must not overflow either.
        let second = Endpoint.server()
        second.receive(Wire.binary([1, 2], fin: false))
        second.receive([0x80, 0xFF, 0x7F] + [UInt8](repeating: 0xFF, count: 7) + [1, 2, 3, 4])
        #expect(second.events == [.failed(.messageTooBig(bytes: .max, limit: 1 << 20))])
    }

    @Test func fault03_aPeerMakesTheOutputGrowByNoMoreThanItSent() {
        let server = Endpoint.server()
        let pings = (0..<1000).flatMap { Wire.ping([UInt8](repeating: 1, count: $0 % 126)) }
        server.receive(pings)
        #expect(server.output.count < pings.count)
    }

    @Test func fault05_endlessFragmentsEndAtTheLimits() {
        let empty = Endpoint.server(WebSocketLimits(maxFragments: 50, smallFragmentBytes: 0))
        empty.receive(Wire.binary([1], fin: false))
        for _ in 0..<100 { empty.receive(Wire.continuation([], fin: false)) }
        #expect(empty.events == [.failed(.tooManyFragments(limit: 50))])
        #expect(empty.state.closeCode == .policyViolation)

        let small = Endpoint.server(WebSocketLimits(smallFragmentBytes: 16, maxSmallFragments: 10))
        small.receive(Wire.binary([1], fin: false))
        for _ in 0..<100 { small.receive(Wire.continuation([1], fin: false)) }
        #expect(small.events == [.failed(.tooManySmallFragments(limit: 10))])
    }

    @Test func fault05_theMessageLimitHoldsForFragmentsAndForOneFrame() {
        let limits = WebSocketLimits(maxMessageBytes: 1000)
        let exact = Endpoint.server(limits)
        exact.receive(
            Wire.binary([UInt8](repeating: 1, count: 500), fin: false)
                + Wire.continuation([UInt8](repeating: 1, count: 500), fin: true))
        #expect(exact.events == [.binary([UInt8](repeating: 1, count: 1000))])

        let fragments = Endpoint.server(limits)
        fragments.receive(Wire.binary([UInt8](repeating: 1, count: 500), fin: false))
        // The header alone decides.
        fragments.receive(
            Array(Wire.continuation([UInt8](repeating: 1, count: 501), fin: true).prefix(8)))
        #expect(fragments.events == [.failed(.messageTooBig(bytes: 1001, limit: 1000))])

        let single = Endpoint.server(limits)
        single.receive(Array(Wire.binary([UInt8](repeating: 1, count: 1001)).prefix(8)))
        #expect(single.events == [.failed(.messageTooBig(bytes: 1001, limit: 1000))])
        #expect(single.state.closeCode == .messageTooBig)
    }

    @Test func fault06_aDeclaredLengthReservesNothing() throws {
        let assembler = Self.assemblerAfter(headerFor: 16 << 20, payload: 0)
        #expect(assembler == 0)
        let some = Self.assemblerAfter(headerFor: 16 << 20, payload: 100)
        #expect(some <= 1024)
    }

    /// Capacity held after a header that declares `bytes` and the first `payload` bytes.
    static func assemblerAfter(headerFor bytes: Int, payload: Int) -> Int {
        var assembler = MessageAssembler(limits: WebSocketLimits(maxMessageBytes: bytes))
        let header = FrameHeader(opcode: .binary, payloadBytes: bytes, maskKey: 1)
        let input = [UInt8](repeating: 0, count: payload)
        do throws(WebSocketError) {
            try assembler.begin(header)
            if payload > 0 {
                try assembler.append(header, input.span, from: 0, count: payload, phase: 0)
            }
        } catch {
            Issue.record("\(error)")
        }
        return assembler.bytes.capacity
    }

    @Test func fault09_controlFramesBetweenFragmentsLeaveTheMessageWhole() {
        for cut in 1...40 {
            let server = Endpoint.server()
            let input =
                Wire.text("a", fin: false) + Wire.ping([1]) + Wire.continuation([0x62], fin: false)
                + Wire(first: 0x8A, payload: [2]).bytes + Wire.continuation([0x63], fin: true)
            for start in stride(from: 0, to: input.count, by: cut) {
                server.receive(Array(input[start..<min(input.count, start + cut)]))
            }
            #expect(server.events == [.ping([1]), .pong([2]), .text(Array("abc".utf8))])
            #expect(server.output == Wire.fromServer(0x8A, [1]))
        }
    }

    @Test func fault09_longAndFragmentedControlFramesAreRefused() {
        let long = Endpoint.server()
        long.receive(Wire.ping([UInt8](repeating: 0, count: 126)))
        #expect(long.events == [.failed(.longControlFrame(.ping))])
        let fragmented = Endpoint.server()
        fragmented.receive(Wire(first: 0x09, payload: [1]).bytes)
        #expect(fragmented.events == [.failed(.fragmentedControlFrame(.ping))])
        let longest = Endpoint.server()
        longest.receive(Wire.ping([UInt8](repeating: 0, count: 125)))
        #expect(longest.output == Wire.fromServer(0x8A, [UInt8](repeating: 0, count: 125)))
    }

    @Test func fault10_aNewMessageInsideOneAndAnOrphanContinuationAreRefused() {
        let nested = Endpoint.server()
        nested.receive(Wire.text("a", fin: false) + Wire.text("b"))
        #expect(nested.events == [.failed(.expectedContinuation(.text))])
        for fin in [true, false] {
            let orphan = Endpoint.server()
            orphan.receive(Wire.continuation([1], fin: fin))
            #expect(orphan.events == [.failed(.unexpectedContinuation)])
            let after = Endpoint.server()
            after.receive(Wire.text("a") + Wire.continuation([1], fin: fin))
            #expect(after.events == [.text([0x61]), .failed(.unexpectedContinuation)])
        }
    }

    @Test func fault10_reservedBitsOnContinuationAndControlFramesAreRefused() {
        for first in [0xC0, 0xC9, 0xC8, 0xCA] as [UInt8] {
            let server = Endpoint.server(compression: DeflateParameters())
            server.receive(Wire.text("a", fin: false))
            server.receive(Wire(first: first, payload: [1]).bytes)
            #expect(server.events == [.failed(.reservedBits(4))])
        }
    }

    @Test func fault11_aCodePointMaySpanFragmentsOfOneByte() {
        let server = Endpoint.server()
        let text = Array("κόσμε€𝄞".utf8)
        server.receive(Wire.text("", fin: false))
        for byte in text { server.receive(Wire.continuation([byte], fin: false)) }
        server.receive(Wire.continuation([], fin: true))
        #expect(server.events == [.text(text)])
    }

    /// Autobahn 6.4: inside an unfinished frame, with the first wrong byte.
    @Test func fault11_invalidTextFailsAsSoonAsItsBytesArrive() {
        let server = Endpoint.server()
        let frame = Wire(first: 0x81, payload: [0x41, 0xCE, 0xBA, 0xED, 0xA0, 0x80, 0x41]).bytes
        #expect(server.receive(Array(frame[..<10])).isEmpty)
        #expect(server.receive([frame[10]]) == [.failed(.invalidUTF8)])
        #expect(server.output == Wire.closeFromServer(.invalidData, "text is not UTF-8"))
    }

    @Test(arguments: [
        [0xC0, 0x80], [0xE0, 0x80, 0x80], [0xED, 0xBF, 0xBF], [0xF4, 0x90, 0x80, 0x80], [0xFF], [0xE2, 0x82],
    ]) func fault11_invalidTextClosesWith1007(_ bytes: [UInt8]) {
        let server = Endpoint.server()
        server.receive(Wire(first: 0x81, payload: bytes).bytes)
        #expect(server.events == [.failed(.invalidUTF8)])
        let fragments = Endpoint.server()
        fragments.receive(Wire.text("a", fin: false) + Wire.continuation(bytes, fin: true))
        #expect(fragments.events == [.failed(.invalidUTF8)])
        #expect(fragments.state.closeCode == .invalidData)
    }

    @Test func fault11_aCloseReasonIsTextToo() {
        let server = Endpoint.server()
        server.receive(Wire.close(1000, [0xCE]))
        #expect(server.events == [.failed(.invalidCloseReason)])
        #expect(server.state.closeCode == .invalidData)
    }

    @Test func binaryIsNotLookedAt() {
        let server = Endpoint.server()
        server.receive(Wire.binary([0xFF, 0xC0]))
        #expect(server.events == [.binary([0xFF, 0xC0])])
    }
}
