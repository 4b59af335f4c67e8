import SenseClientKit
import SenseProtocol
import SenseServer
import Testing

#if canImport(Glibc)
    import Glibc
#endif

/// A person teaches a sound through one device and hears of it on another. Needs `Models/quietalert.space`.
@Suite(.serialized, .enabled(if: Household.hasSpace, "own_sounds.py makes quietalert.space"))
struct CustomSoundsEndToEndTests {
    private static let rateHz = 22_050

    /// A two-tone chime over faint noise, PCM16 mono: a second of quiet, the chime, two seconds of quiet.
    private static func chime(take: Int, pitch: Double = 1) -> [UInt8] {
        var noise = UInt64(take + 1)
        let level = 6000 - 700 * Double(take)
        return (0..<rateHz * 5).flatMap { index -> [UInt8] in
            let time = Double(index) / Double(rateHz) - 1
            noise = noise &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            let hiss = (Double(noise >> 40) / Double(1 << 24) - 0.5) * Double(40 + 10 * take)
            var value = hiss
            for (start, hertz) in [(0.0, 880.0), (0.6, 698.5)] where time >= start && time < start + 1.4 {
                let since = time - start
                for (harmonic, share) in [(1.0, 1.0), (2.76, 0.4), (5.4, 0.2)] {
                    value +=
                        level * share * exp(-since * 3 * harmonic.squareRoot())
                        * sin(2 * Double.pi * hertz * pitch * harmonic * since)
                }
            }
            let sample = Int16(max(-32_768, min(32_767, value.rounded())))
            return [UInt8(truncatingIfNeeded: sample), UInt8(truncatingIfNeeded: sample >> 8)]
        }
    }

    private func wish(_ client: SenseClient, _ edit: CustomSoundEdit) async throws -> [CustomSound] {
        let answer = try await client.request(.customSoundEdit(edit), timeout: .seconds(30)) { body in
            if case .customSounds = body { true } else { false }
        }
        if case .customSounds(let sounds) = answer { return sounds.sounds }
        return []
    }

    /// Streams one take as an example; the answer to it.
    private func teach(_ client: SenseClient, _ label: String, _ samples: [UInt8]) async throws
        -> ClientEvent?
    {
        let stream = try await client.openStream(
            .audio(
                AudioFormat(
                    encoding: .pcmS16le, sampleRateHz: UInt32(Self.rateHz), channels: 1, captureMode: .raw)))
        try await client.send(.soundExample(SoundExample(streamId: stream, label: label, recording: true)))
        try await play(client, stream, samples)
        try await client.send(.finish(Finish(streamId: stream)))
        let answer = try await client.first(within: .seconds(60)) { event in
            switch event {
            case .message(.customSounds), .problem: true
            default: false
            }
        }
        _ = try await client.first(within: .seconds(60)) { event in
            if case .message(.finished(let finished)) = event { finished.streamId == stream } else { false }
        }
        return answer?.event
    }

    /// Sends no faster than the server scores, so that nothing is left out.
    private func play(_ client: SenseClient, _ stream: UInt32, _ samples: [UInt8]) async throws {
        let chunk = Self.rateHz / 10 * 2
        var answered: UInt64 = 0
        for start in stride(from: 0, to: samples.count, by: chunk) {
            let first = UInt64(start / 2)
            while first > answered + 2 * UInt64(Self.rateHz) {
                let scores = try await client.first(within: .seconds(60)) { event in
                    // Those of a stream before it may still lie here.
                    if case .message(.soundScores(let heard)) = event {
                        heard.streamId == stream
                    } else {
                        false
                    }
                }
                guard case .message(.soundScores(let heard))? = scores?.event else { break }
                answered = heard.windowEndSample
            }
            try await client.send(
                .audioChunk(
                    AudioChunk(
                        streamId: stream, firstSampleIndex: first,
                        monoUs: 1 + first * 1_000_000 / UInt64(Self.rateHz),
                        samples: Array(samples[start..<min(samples.count, start + chunk)]))))
        }
    }

    @Test func aTaughtChimeIsHeardListedRenamedAndRemoved() async throws {
        let household = try Household()
        let phone = try await household.pairFirst()
        let watch = try await household.pairAnother(phone.client, name: "watch")
        #expect(!phone.welcome.unavailable.contains { $0.feature == "custom_sounds" })
        #expect(try await wish(watch.client, CustomSoundEdit()).isEmpty)
        for take in 0..<3 {
            let answer = try await teach(phone.client, "my doorbell", Self.chime(take: take))
            guard case .message(.customSounds(let sounds))? = answer else {
                Issue.record("example \(take): \(answer.debugDescription)")
                return
            }
            #expect(sounds.sounds.first?.examples == UInt32(take + 1))
            #expect((sounds.sounds.first?.threshold ?? 0) > 0 || take < 2)
        }
        let told = try await watch.client.first(within: .seconds(30)) { event in
            if case .message(.customSounds) = event { true } else { false }
        }
        guard case .message(.customSounds(let known))? = told?.event else {
            Issue.record("the watch was not told")
            return
        }
        #expect(known.sounds.first?.label == "my doorbell" && known.sounds.first?.examples == 3)

        let stream = try await phone.client.openStream(
            .audio(
                AudioFormat(
                    encoding: .pcmS16le, sampleRateHz: UInt32(Self.rateHz), channels: 1, captureMode: .raw)))
        try await play(phone.client, stream, Self.chime(take: 4))
        let alert = try #require(try await watch.client.alert("my doorbell", [.confirmed]))
        #expect(alert.urgency == .normal && alert.room == "kitchen" && alert.kind == .sound)
        _ = try await phone.client.finish(stream)

        let renamed = try await wish(
            watch.client, CustomSoundEdit(label: "my doorbell", newLabel: "the front door"))
        #expect(renamed.map(\.label) == ["the front door"])
        #expect(try await wish(watch.client, CustomSoundEdit(label: "the front door", remove: true)).isEmpty)
        await phone.client.leave()
        await watch.client.leave()
    }

    @Test func silenceIsNoExample() async throws {
        let household = try Household()
        let phone = try await household.pairFirst()
        let answer = try await teach(phone.client, "nothing", [UInt8](repeating: 0, count: Self.rateHz * 4))
        guard case .problem(let error)? = answer else {
            Issue.record("\(answer.debugDescription)")
            return
        }
        #expect(error.field == "sound_example.recording" && error.devMessage.contains("silence"))
        #expect(try await wish(phone.client, CustomSoundEdit()).isEmpty)
        await phone.client.leave()
    }
}

extension Household {
    /// Whether sounds can be taught to the shipped network.
    static var hasSpace: Bool {
        (try? LocalFile.read(root + "/Models/quietalert.space", maxBytes: 16 << 20)) != nil
    }
}
