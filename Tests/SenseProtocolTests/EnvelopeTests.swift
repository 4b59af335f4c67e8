import SenseProtocol
import Testing

struct EnvelopeTests {
    @Test
    func anUnknownBodyIsNamed() throws {
        // seq 7, must_understand, field 88 of a later version
        let decoded = try Envelope.decode([0x08, 7, 0x20, 1, 0xc2, 0x05, 3, 8, 1, 2])
        #expect(decoded.message.seq == 7)
        #expect(decoded.message.mustUnderstand)
        #expect(decoded.message.body == nil)
        #expect(decoded.unknownBodyField == 88)
        #expect(decoded.unknownBody == "#88")
    }

    @Test
    func unknownFieldsElsewhereAreNoUnknownBody() throws {
        // Field 200 of the envelope, and field 90 within a body.
        let decoded = try Envelope.decode([0xc0, 0x0c, 1, 0x52, 3, 0xd0, 0x05, 1])
        #expect(decoded.unknownFields == 2)
        #expect(decoded.unknownBodyField == nil)
        #expect(decoded.unknownBody == nil)
        #expect(decoded.message.body == .finish(Finish()))
    }

    @Test
    func anUnknownJSONBodyIsNamed() throws {
        let decoded = try Envelope.decodeJSON(Array(#"{"mustUnderstand": true, "teleport": {}}"#.utf8))
        #expect(decoded.unknownBody == "teleport")
        #expect(decoded.unknownFields == 1)
    }

    @Test
    func pathsNameTheFieldFromTheEnvelopeOn() {
        // open_stream { audio { sample_rate_hz as text } }
        let bytes: [UInt8] = [0x3a, 5, 0x22, 3, 0x12, 1, 0x41]
        let expected = WireError(
            .wrongWireType(expected: .varint, got: .lengthDelimited), offset: 4,
            path: "open_stream.audio.sample_rate_hz")
        #expect(throws: expected) { try Envelope.decode(bytes) }
        #expect(
            "\(expected)"
                == "open_stream.audio.sample_rate_hz (byte 4): expected wire type varint, got lengthDelimited"
        )
    }

    @Test
    func bodiesKnowTheirNameAndNumber() {
        let body = Envelope.Body.error(ErrorMessage(code: .tooFast))
        #expect(body.fieldName == "error")
        #expect(body.fieldNumber == 15)
        #expect(ErrorMessage.messageName == "sense.v1.Error")
    }
}
