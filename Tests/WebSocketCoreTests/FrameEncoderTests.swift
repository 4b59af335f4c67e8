import Testing
import WebSocketCore

@Suite struct FrameEncoderTests {
    func encode(
        _ role: WebSocketRole, _ opcode: Opcode, _ payload: [UInt8], isFinal: Bool = true,
        isCompressed: Bool = false
    ) -> [UInt8] {
        var output: [UInt8] = []
        FrameEncoder(role: role)
            .append(opcode, payload.span, isFinal: isFinal, isCompressed: isCompressed, to: &output)
        return output
    }

    /// The examples of RFC 6455 section 5.7.
    @Test func examplesOfTheStandard() {
        let hello = Array("Hello".utf8)
        #expect(encode(.server, .text, hello) == [0x81, 0x05, 0x48, 0x65, 0x6C, 0x6C, 0x6F])
        #expect(
            encode(.client(maskKeys: { 0x3D21_FA37 }), .text, hello)
                == [0x81, 0x85, 0x37, 0xFA, 0x21, 0x3D, 0x7F, 0x9F, 0x4D, 0x51, 0x58])
        #expect(encode(.server, .text, Array("Hel".utf8), isFinal: false) == [0x01, 0x03, 0x48, 0x65, 0x6C])
        #expect(encode(.server, .continuation, Array("lo".utf8)) == [0x80, 0x02, 0x6C, 0x6F])
        let bytes = [UInt8](repeating: 9, count: 256)
        #expect(encode(.server, .binary, bytes) == [0x82, 0x7E, 0x01, 0x00] + bytes)
        let many = [UInt8](repeating: 9, count: 65536)
        #expect(encode(.server, .binary, many) == [0x82, 0x7F, 0, 0, 0, 0, 0, 1, 0, 0] + many)
    }

    @Test func compressionIsMarked() {
        #expect(encode(.server, .text, [1], isCompressed: true) == [0xC1, 0x01, 1])
    }

    @Test func framesFollowOneAnotherInOneBuffer() {
        var output: [UInt8] = []
        let encoder = FrameEncoder(role: .server)
        for count in 0..<300 {
            encoder.append(.binary, [UInt8](repeating: 1, count: count).span, to: &output)
        }
        let expected = (0..<300).flatMap { Wire.fromServer(0x82, [UInt8](repeating: 1, count: $0)) }
        #expect(output == expected)
    }
}
