import Testing
import WebSocketCore

/// RFC 6455 section 7, the cases of Autobahn group 7, and fault 12.
@Suite struct ClosingTests {
    @Test func aCloseIsAnsweredWithItsCodeAndTheServerDisconnects() {
        let server = Endpoint.server()
        #expect(
            server.receive(Wire.close(1000, Array("bye".utf8)))
                == [.close(CloseFrame(code: .normal, reason: "bye"))])
        #expect(server.output == Wire.closeFromServer(.normal))
        #expect(server.disconnectsAfterFlush)
        #expect(server.state.closeCode == .normal)
    }

    @Test func anEmptyCloseIsAnsweredEmpty() {
        let server = Endpoint.server()
        #expect(server.receive(Wire.close()) == [.close(CloseFrame(code: nil))])
        #expect(server.output == [0x88, 0x00])
        #expect(server.state.closeCode == .noStatus)
    }

    @Test(arguments: [1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 1012, 1013, 1014, 3000, 4999])
    func codesOfTheWireAreTaken(_ code: Int) {
        let server = Endpoint.server()
        server.receive(Wire.close(code))
        #expect(server.output == Wire.closeFromServer(CloseCode(rawValue: UInt16(code))))
    }

    @Test(arguments: [0, 999, 1004, 1005, 1006, 1015, 1016, 1100, 2000, 2999, 5000, 65535])
    func fault12_codesNotOfTheWireAreAProtocolError(_ code: Int) {
        let server = Endpoint.server()
        #expect(server.receive(Wire.close(code)) == [.failed(.invalidCloseCode(UInt16(code)))])
        #expect(server.state.closeCode == .protocolError)
    }

    @Test func fault12_aCloseBodyOfOneByteIsAProtocolError() {
        let server = Endpoint.server()
        #expect(server.receive(Wire.close([3])) == [.failed(.truncatedCloseBody)])
        #expect(server.output == Wire.closeFromServer(.protocolError, "close body of 1 byte"))
    }

    @Test func fault12_crossingClosesEndCleanlyAndSendNoThirdFrame() {
        let server = Endpoint.server()
        let client = Endpoint.client()
        server.close(.goingAway)
        client.close(.normal)
        let (fromServer, fromClient) = (server.takeOutput(), client.takeOutput())
        #expect(server.receive(fromClient) == [.close(CloseFrame(code: .normal))])
        #expect(client.receive(fromServer) == [.close(CloseFrame(code: .goingAway))])
        #expect(server.output.isEmpty && client.output.isEmpty)
        #expect(server.disconnectsAfterFlush)
        // The client leaves the transport's end to the server, within its close timer.
        #expect(!client.disconnectsAfterFlush && client.expectsClose)
    }

    @Test func fault12_aPeerThatNeverAnswersIsLeftToTheCloseTimer() {
        let server = Endpoint.server()
        #expect(!server.expectsClose)
        server.close(.normal, reason: "done")
        #expect(server.output == Wire.closeFromServer(.normal, "done"))
        #expect(server.expectsClose && !server.disconnectsAfterFlush)
        server.connection.transportEnded()
        #expect(server.state == .closed(.lost))
        #expect(server.state.closeCode == .abnormal)
    }

    @Test func fault12_dataAfterTheClosingHandshakeIsIgnored() {
        let server = Endpoint.server()
        server.receive(Wire.close(1000) + Wire.text("late") + Wire.ping() + [0xFF, 0xFF])
        #expect(server.events == [.close(CloseFrame(code: .normal))])
        #expect(server.output == Wire.closeFromServer(.normal))
        #expect(server.receive(Wire.text("later")).isEmpty)
    }

    @Test func nothingIsSentAfterAClose() {
        let server = Endpoint.server()
        server.close()
        _ = server.takeOutput()
        #expect(!server.send(.text, [1]))
        #expect(!server.ping())
        #expect(!server.pong())
        #expect(!server.close())
        server.receive(Wire.ping([1]))
        #expect(server.output.isEmpty)
    }

    @Test func messagesStillArriveWhileTheAnswerIsDue() {
        let server = Endpoint.server()
        server.close()
        #expect(
            server.receive(Wire.text("last") + Wire.close(1000))
                == [.text(Array("last".utf8)), .close(CloseFrame(code: .normal))])
    }

    @Test func aFaultAfterOurCloseSendsNoSecondOne() {
        let server = Endpoint.server()
        server.close()
        _ = server.takeOutput()
        #expect(server.receive([0x83, 0x80]) == [.failed(.reservedOpcode(3))])
        #expect(server.output.isEmpty && server.disconnectsAfterFlush)
    }

    @Test func aClosingInsideAFragmentedMessageIsTaken() {
        let server = Endpoint.server()
        #expect(
            server.receive(Wire.text("frag", fin: false) + Wire.close(1001))
                == [.close(CloseFrame(code: .goingAway))])
    }

    @Test func reasonsAreCutAtACharacterAndNeverAboveOneFrame() {
        let server = Endpoint.server()
        server.close(.normal, reason: String(repeating: "€", count: 60))
        #expect(server.output == Wire.closeFromServer(.normal, String(repeating: "€", count: 41)))
    }

    @Test func codesThatMayNotBeSentBecomeAnInternalError() {
        let server = Endpoint.server()
        server.close(.abnormal)
        #expect(server.output == Wire.closeFromServer(.internalError))
    }

    @Test func aMessageBeforeABadFrameIsStillDelivered() {
        let server = Endpoint.server()
        #expect(
            server.receive(Wire.text("a") + [0x91, 0x80]) == [.text([0x61]), .failed(.reservedBits(1))])
        #expect(server.output == Wire.closeFromServer(.protocolError, "reserved bits 1 without an extension"))
    }

    @Test func everyReasonFitsACloseFrame() {
        let errors: [WebSocketError] = [
            .reservedOpcode(15), .reservedBits(7), .unmaskedClientFrame, .maskedServerFrame,
            .fragmentedControlFrame(.close), .longControlFrame(.close), .lengthOutOfRange(.max),
            .lengthNotMinimal(.max), .messageTooBig(bytes: .max, limit: .max), .tooManyFragments(limit: .max),
            .tooManySmallFragments(limit: .max), .unexpectedContinuation, .expectedContinuation(.binary),
            .invalidUTF8, .truncatedCloseBody, .invalidCloseCode(.max), .invalidCloseReason,
            .invalidDeflateData, .compressionUnavailable,
        ]
        for error in errors {
            #expect(error.reason.utf8.count <= 123)
            #expect(error.closeCode.mayAppearOnWire)
        }
    }
}
