import SenseProtocol
import Testing

@testable import SessionCore

@Suite("A device that sends faster than agreed")
struct InboundPaceTests {
    static func send(_ count: Int, every us: UInt64, _ script: inout SessionScript) -> Int {
        var taken = 0
        for _ in 0..<count {
            script.now = Now(serverUs: script.now.serverUs + us, unixUs: script.now.unixUs + us)
            if script.session.admitsMessage(at: script.now, actions: &script.actions) { taken += 1 }
        }
        return taken
    }

    /// A session that may send 20 messages a second and 80 at once.
    static func slow() -> SessionScript {
        var limits = SessionLimits()
        limits.maxMessagesPerSecond = 20
        limits.messageBurst = 80
        return SessionScript.welcomed(context: SessionContext(limits: limits, serverVersion: "test"))
    }

    @Test func agreedPacesAreNeverHeldUp() {
        var script = Self.slow()
        #expect(Self.send(1000, every: 50_000, &script) == 1000)
        script.advance(1)
        #expect(Self.send(80, every: 0, &script) == 80)
        #expect(script.takeSent().isEmpty)
    }

    @Test func aFloodIsLeftOutToldOnceASecondAndEnded() {
        var script = Self.slow()
        // Two hundred a second for nine seconds.
        let taken = Self.send(1800, every: 5000, &script)
        #expect((255...260).contains(taken))
        let errors = script.takeErrors()
        #expect((8...9).contains(errors.count))
        #expect(errors.allSatisfy { $0.code == .tooFast && $0.field == "message" && $0.retryAfterMs == 1000 })
        #expect(script.closeCodes.isEmpty)
        _ = Self.send(600, every: 5000, &script)
        #expect(script.closeCodes == [.tooFast])
        #expect(script.takeErrors().last?.fatal == true)
    }

    @Test func aBurstThatEndsIsForgotten() {
        var script = Self.slow()
        for _ in 0..<10 {
            _ = Self.send(400, every: 5000, &script)
            script.advance(5)
        }
        #expect(script.closeCodes.isEmpty)
    }

    /// A stream of 8 kHz audio with credit for 20 s, which may run 20 s ahead.
    static func listening() -> SessionScript {
        var limits = SessionLimits()
        limits.creditBytes = 320_000
        limits.mediaBurstUs = 20 * .secondUs
        var script = SessionScript.welcomed(context: SessionContext(limits: limits, serverVersion: "test"))
        script.send(
            .openStream(
                OpenStream(
                    streamId: 1,
                    format: .audio(AudioFormat(encoding: .pcmS16le, sampleRateHz: 8000, channels: 1)))))
        script.actions = []
        return script
    }

    /// One-second chunks, as fast as the credit lets them through.
    @Test func audioIsTakenAtMostSixteenTimesFasterThanItPlays() {
        var script = Self.listening()
        let chunk = [UInt8](repeating: 0, count: 16_000)
        var credit = 320_000
        var seconds: UInt64 = 0
        for _ in 0..<10 {
            while credit >= chunk.count {
                credit -= chunk.count
                script.send(
                    .audioChunk(AudioChunk(streamId: 1, firstSampleIndex: seconds * 8000, samples: chunk)))
                seconds += 1
                for case .credit(let more) in script.takeSent() { credit += Int(more.mediaBytes) }
                script.actions = []
            }
            script.advance(0.25)
            script.tick()
            for case .credit(let more) in script.takeSent() { credit += Int(more.mediaBytes) }
            script.actions = []
        }
        // 2.5 s: 40 s of audio, 20 s ahead of it, and the credit that was out when the limit came.
        #expect((50...80).contains(Int(seconds)))
    }

    @Test func mediaWithoutCreditIsRefusedAndThenEnded() {
        var script = Self.listening()
        let chunk = [UInt8](repeating: 0, count: 16_000)
        var index: UInt64 = 0
        while script.closeCodes.isEmpty, index < 5000 {
            script.send(.audioChunk(AudioChunk(streamId: 1, firstSampleIndex: index * 8000, samples: chunk)))
            index += 1
            script.advance(0.01)
        }
        #expect(script.closeCodes == [.tooFast])
        let errors = script.takeErrors()
        #expect(errors.allSatisfy { $0.code == .tooFast && $0.field == "audio_chunk.samples" })
        #expect(errors.last?.fatal == true)
    }

    @Test func clocksThatStandStillOrLeapDoNoHarm() {
        var pace = InboundPace(limits: SessionLimits(), at: Now(serverUs: 5, unixUs: 5))
        for time: UInt64 in [.max, 0, 1, .max, .max] {
            let now = Now(serverUs: time, unixUs: 0)
            #expect(pace.admit(at: now) == .taken)
            pace.add(mediaUs: .max, at: now)
            _ = pace.isAhead(at: now)
        }
    }
}
