import SenseProtocol
import Testing

/// decode(encode(x)) == x for random messages of every type.
struct RoundTripTests {
    private func checkRoundTrips<M: Sampled>(_ type: M.Type, seed: UInt64) throws {
        var random = SampleSource(seed: seed)
        for _ in 0..<40 {
            let message = M.sample(&random)
            let bytes = message.serialized()
            #expect(bytes.count == message.encodedSize)
            let decoded = try M.decode(bytes, limits: .media)
            #expect(decoded.message == message)
            #expect(decoded.unknownFields == 0)
            // -0.0 == 0.0 and dictionaries have no order, so the bytes are compared as well.
            #expect(decoded.message.serialized() == bytes)
        }
    }

    private func checkJSONRoundTrips<M: Sampled>(_ type: M.Type, seed: UInt64) throws {
        var random = SampleSource(seed: seed)
        for _ in 0..<20 {
            let message = M.sample(&random)
            let json = message.serializedJSON()
            let decoded = try M.decodeJSON(json, limits: .media)
            #expect(decoded.message == message)
            #expect(decoded.message.serialized() == message.serialized())
            #expect(decoded.message.serializedJSON() == json)
        }
    }

    @Test(arguments: allMessages.indices)
    func binary(index: Int) throws {
        try checkRoundTrips(allMessages[index], seed: UInt64(index) + 1)
    }

    @Test(arguments: allMessages.indices)
    func json(index: Int) throws {
        try checkJSONRoundTrips(allMessages[index], seed: UInt64(index) + 1_000)
    }

    @Test
    func anEmptyMessageHasNoBytes() throws {
        for type in allMessages {
            #expect(type.init().serialized().isEmpty)
            #expect(type.init().serializedJSON() == Array("{}".utf8))
        }
    }

    @Test
    func notANumberSurvives() throws {
        let frame = HandFrame(points: [.nan, 1, -.infinity])
        #expect(try HandFrame.decode(frame.serialized()).message.points[0].isNaN)
        #expect(try HandFrame.decodeJSON(frame.serializedJSON()).message.points[0].isNaN)
    }
}
