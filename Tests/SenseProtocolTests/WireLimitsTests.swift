import SenseProtocol
import Testing

struct WireLimitsTests {
    @Test
    func aMessageOfExactlyTheLimitPasses() throws {
        let overhead = SongChunk(data: [UInt8](repeating: 0, count: 65_000)).encodedSize - 65_000
        let fitting = SongChunk(data: [UInt8](repeating: 0, count: 65_536 - overhead)).serialized()
        #expect(fitting.count == WireLimits.default.maxMessageBytes)
        #expect(try SongChunk.decode(fitting).message.data.count == 65_536 - overhead)
        let larger = SongChunk(data: [UInt8](repeating: 0, count: 65_537 - overhead)).serialized()
        let error = WireError(.overLimit(.messageBytes, max: 65_536, got: 65_537), offset: 0)
        #expect(throws: error) { try SongChunk.decode(larger) }
        #expect(throws: error) { try SongChunk.decode(larger[...]) }
        #expect(error.errorCode == .tooLarge)
    }

    @Test
    func twoSecondsOfStereoFloatAudioFitTheMediaLimit() throws {
        let chunk = AudioChunk(samples: [UInt8](repeating: 1, count: 2 * 48_000 * 2 * 4))
        let bytes = Envelope(.audioChunk(chunk)).serialized()
        #expect(try Envelope.decode(bytes, limits: .media).message.body == .audioChunk(chunk))
        #expect(WireLimits.forClass(.roomMicrophone).maxMessageBytes >= bytes.count)
    }

    @Test(arguments: [
        (DeviceClass.wearable, 4_096), (.watch, 65_536), (.unspecified, 65_536), (.unrecognized(99), 65_536),
        (.phone, 1_048_576), (.browser, 1_048_576), (.terminal, 1_048_576), (.tablet, 1_048_576),
        (.roomMicrophone, 1_048_576),
    ])
    func classesHaveTheirFrameLimit(deviceClass: DeviceClass, bytes: Int) {
        #expect(WireLimits.forClass(deviceClass).maxMessageBytes == bytes)
    }

    @Test
    func elementsAreCountedOverTheWholeMessage() throws {
        let list = DeviceList(devices: [Device](repeating: Device(), count: 4_096))
        #expect(try DeviceList.decode(list.serialized()).message == list)
        let history = HistoryPage(
            entries: [HistoryEntry](
                repeating: HistoryEntry(receipts: [Receipt](repeating: Receipt(), count: 63)), count: 65))
        #expect(throws: WireError.self) { try HistoryPage.decode(history.serialized()) }
        #expect(throws: WireError.self) { try HistoryPage.decodeJSON(history.serializedJSON()) }
    }

    @Test
    func theDeepestMessageOfTheSchemaPasses() throws {
        let step = HapticStep(onMs: 5)
        let alert = Alert(haptic: HapticPattern(steps: [step]))
        let envelope = Envelope(.historyPage(HistoryPage(entries: [HistoryEntry(alert: alert)])))
        #expect(try Envelope.decode(envelope.serialized()).message == envelope)
        #expect(try Envelope.decodeJSON(envelope.serializedJSON()).message == envelope)
        let shallow = WireLimits(maxMessageBytes: 1_000, maxDepth: 5)
        #expect(throws: WireError.self) { try Envelope.decode(envelope.serialized(), limits: shallow) }
    }
}
