import Testing

@testable import protoc_gen_sense

struct SwiftNamesTests {
    @Test(arguments: [
        ("Urgency", "URGENCY_LIFE_SAFETY", "lifeSafety"),
        ("HandProducer", "HAND_PRODUCER_MEDIAPIPE", "mediapipe"),
        ("AudioEncoding", "AUDIO_ENCODING_PCM_S16LE", "pcmS16le"), ("YAxis", "Y_AXIS_DOWN", "down"),
        ("Role", "ADMIN", "admin"),
    ])
    func enumCases(type: String, value: String, expected: String) {
        #expect(SwiftNames.enumCase(value, of: type) == expected)
    }

    @Test
    func typesAndMembers() {
        #expect(SwiftNames.type(".sense.v1.Error") == "ErrorMessage")
        #expect(SwiftNames.type(".sense.v1.Hello") == "Hello")
        #expect(SwiftNames.camel("sample_rate_hz") == "sampleRateHz")
        #expect(SwiftNames.capitalised("credential") == "Credential")
        #expect(SwiftNames.member("default") == "`default`")
        #expect(SwiftNames.member("from") == "from")
    }
}
