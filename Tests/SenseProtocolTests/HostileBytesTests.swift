import SenseProtocol
import Testing

/// Whatever a peer sends is an answer or an error, never a trap. A trap would end the whole test run.
struct HostileBytesTests {
    @Test
    func arbitraryBytes() {
        var random = SampleSource(seed: 7)
        var refused = 0
        for _ in 0..<3_000 {
            let bytes = (0..<random.index(below: 80)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
            for type in [Envelope.self, Welcome.self, SettingsState.self] as [any Sampled.Type] {
                if !accepts(type, bytes) { refused += 1 }
                tryJSON(type, bytes)
            }
        }
        #expect(refused > 1_000)
    }

    @Test
    func mutatedMessages() {
        var random = SampleSource(seed: 8)
        for type in allMessages {
            for _ in 0..<10 {
                let original = type.sample(&random).serialized()
                for _ in 0..<20 { checkAcceptedSurvives(type, mutate(original, &random)) }
                let json = type.sample(&random).serializedJSON()
                for _ in 0..<10 { tryJSON(type, mutate(json, &random)) }
            }
        }
    }

    private func accepts<M: Sampled>(_ type: M.Type, _ bytes: [UInt8]) -> Bool {
        (try? M.decode(bytes)) != nil
    }

    private func tryJSON<M: Sampled>(_ type: M.Type, _ text: [UInt8]) {
        guard let message = try? M.decodeJSON(text).message else { return }
        #expect(message.serialized().count == message.encodedSize)
    }

    /// What was accepted can be encoded, and decodes to the same bytes.
    private func checkAcceptedSurvives<M: Sampled>(_ type: M.Type, _ bytes: [UInt8]) {
        guard let message = try? M.decode(bytes).message else { return }
        let again = message.serialized()
        #expect(again.count == message.encodedSize)
        #expect((try? M.decode(again, limits: .media).message.serialized()) == again)
    }

    @Test
    func everyPrefixOfAMessage() throws {
        var random = SampleSource(seed: 9)
        for _ in 0..<30 {
            let envelope = Envelope.sample(&random)
            let bytes = envelope.serialized()
            for length in 0..<min(bytes.count, 400) { _ = try? Envelope.decode(bytes[..<length]) }
            let json = envelope.serializedJSON()
            for length in 0..<min(json.count, 400) {
                #expect(throws: WireError.self) { try Envelope.decodeJSON(Array(json[..<length])) }
            }
        }
    }

    private func mutate(_ bytes: [UInt8], _ random: inout SampleSource) -> [UInt8] {
        var result = bytes
        for _ in 0...random.index(below: 3) {
            let edge: [UInt8] = [0, 1, 0x7f, 0x80, 0xff]
            let byte = random.bool() ? edge[random.index(below: 5)] : UInt8(truncatingIfNeeded: random.next())
            let at = random.index(below: result.count + 1)
            switch random.index(below: 3) {
            case 0: result.insert(byte, at: at)
            case 1 where at < result.count: result.remove(at: at)
            case 2 where at < result.count: result[at] = byte
            default: result = Array(result[..<at])
            }
        }
        return result
    }
}
