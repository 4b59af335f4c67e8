import SenseClientKit
import SenseProtocol
import SenseServer
import Synchronization
import Testing

/// What is heard and seen stays in memory (DESIGN 3.5): neither the store nor the log holds any of it.
@Suite(.serialized) struct PrivacyTests {
    @Test func noSoundNorHandReachesStoreOrLog() async throws {
        let lines = Mutex([String]())
        let household = try Household(log: Log(level: .debug) { line in lines.withLock { $0.append(line) } })
        let phone = try await household.pairFirst()
        let samples = SmokeAlarm.samples(seconds: 12)
        let sound = try await phone.client.stream(samples, rateHz: SmokeAlarm.rateHz)
        _ = try await phone.client.alert("smoke_alarm", [.confirmed])
        _ = try await phone.client.finish(sound)

        let sequence = try HandSequence(path: Household.root + "/Models/samples/spelling_water.json.gz")
        let hands = try await phone.client.openStream(.hands(HandFormat(producer: .mediapipe, hasZ: true)))
        for (index, frame) in sequence.frames.enumerated() {
            try await phone.client.send(
                .handFrames(
                    HandFrames(
                        streamId: hands,
                        frames: [
                            HandFrame(
                                frameIndex: UInt64(index), monoUs: 1 + UInt64(index) * 33_333,
                                noHand: frame.points == nil,
                                points: frame.points ?? [])
                        ])))
        }
        _ = try await phone.client.finish(hands)

        let disk = try household.filesOnDisk()
        let log = Array(lines.withLock { $0.joined(separator: "\n") }.utf8)
        // The search itself works: the alert is there.
        #expect(contains(disk, Array("smoke_alarm".utf8)))
        #expect(!log.isEmpty)
        for second in 0..<12 {
            let start = second * SmokeAlarm.rateHz * 2
            let excerpt = Array(samples[start..<start + 24])
            #expect(!contains(disk, excerpt), "samples of second \(second) are on disk")
            #expect(!contains(log, excerpt), "samples of second \(second) are in the log")
        }
        for frame in sequence.frames {
            guard let points = frame.points else { continue }
            let floats = points[3..<9].flatMap { value in
                (0..<4).map { UInt8(truncatingIfNeeded: value.bitPattern >> (8 * UInt32($0))) }
            }
            #expect(!contains(disk, floats), "landmarks are on disk")
            #expect(!contains(log, Array("\(points[3])".utf8)), "landmarks are in the log")
        }
        await phone.client.leave()
    }

    private func contains(_ haystack: [UInt8], _ needle: [UInt8]) -> Bool {
        guard let first = needle.first, haystack.count >= needle.count else { return false }
        for start in 0...(haystack.count - needle.count) where haystack[start] == first {
            if haystack[start..<start + needle.count].elementsEqual(needle) { return true }
        }
        return false
    }
}
