import AudioFile
import SenseClientKit
import SenseProtocol
import SenseServer
import Testing

/// The spine over a real socket and TLS: server and devices in one process.
@Suite(.serialized) struct EndToEndTests {
    // MARK: Identity

    @Test func pairsOnceAndRefusesOthers() async throws {
        let household = try Household()
        let paired = try await household.pairFirst()
        let token = paired.welcome.issuedToken
        #expect(!token.isEmpty)
        #expect(paired.fingerprint == household.fingerprint)
        await paired.client.leave()
        // The code is spent, whoever comes.
        await refused(household, .pairingCode(household.server.pairingCode ?? ""))
        await refused(household, .token("x" + token))
        let again = try await household.connect(.token(token))
        #expect(again.welcome.deviceId == paired.welcome.deviceId)
        #expect(again.welcome.issuedToken.isEmpty)
        await again.client.leave()
    }

    private func refused(_ household: Household, _ credential: Hello.Credential) async {
        do {
            _ = try await household.connect(credential)
            Issue.record("welcomed")
        } catch ClientError.refused(let error) {
            #expect(error.code == .unauthenticated || error.code == .forbidden)
            #expect(error.fatal)
        } catch {
            Issue.record("\(error)")
        }
    }

    @Test func anotherCertificateIsRefused() async throws {
        let household = try Household()
        let greeting = ClientGreeting(credential: .token("t"), deviceName: "x", appVersion: "1")
        let wrong = String(repeating: "ab", count: 32)
        let right = household.fingerprint
        await #expect(throws: ClientError.certificateChanged(expected: wrong, got: right)) {
            _ = try await SenseClient.connect(
                to: household.address, trust: .pinned(wrong), greeting: greeting, loop: household.loop)
        }
        await #expect(throws: ClientError.certificateUnknown(got: right)) {
            _ = try await SenseClient.connect(
                to: household.address, trust: .onFirstUse { _ in false }, greeting: greeting,
                loop: household.loop)
        }
    }

    @Test func healthNeedsNoTokenAndNothingElseAnswers() async throws {
        let household = try Household()
        let health = try await HTTPProbe.get(
            "/health", from: household.address, loop: household.loop, trust: household.trust)
        #expect(health.status == 200)
        #expect(health.body.contains("\"status\":\"ok\""))
        for path in ["/", "/v2", "/healthz"] {
            let other = try await HTTPProbe.get(
                path, from: household.address, loop: household.loop, trust: household.trust)
            #expect(other.status == 404)
        }
    }

    // MARK: Sound

    @Test func aSmokeAlarmReachesEveryDeviceAndTheHistory() async throws {
        let household = try Household()
        let phone = try await household.pairFirst()
        let watch = try await household.pairAnother(phone.client, name: "watch")
        let stream = try await phone.client.stream(SmokeAlarm.samples(seconds: 16), rateHz: SmokeAlarm.rateHz)
        let seen = try #require(try await watch.client.alert("smoke_alarm", [.confirmed]))
        #expect(seen.urgency == .lifeSafety)
        #expect(seen.room == "kitchen")
        #expect(seen.deviceId == phone.welcome.deviceId)
        #expect(seen.haptic?.steps.isEmpty == false)
        let own = try await phone.client.alert("smoke_alarm", [.confirmed])
        #expect(own?.alertId == seen.alertId)
        let finished = try await phone.client.finish(stream)
        #expect(finished?.items == UInt64(16 * SmokeAlarm.rateHz))
        #expect(finished?.lostItems == 0)
        _ = try await watch.client.alert("smoke_alarm", [.ended])
        // A person answers on the watch; the phone hears of it.
        try await watch.client.sendReceipt(seen.alertId, .ackedByHuman, note: "coming")
        let settled = try await phone.client.first(within: .seconds(30)) { event in
            if case .alert(let alert) = event {
                !alert.disposition.needsAnswer && alert.alertId == seen.alertId
            } else {
                false
            }
        }
        #expect(settled != nil)
        let entry = try await history(phone.client, label: "smoke_alarm").first {
            $0.alert?.alertId == seen.alertId
        }
        #expect(entry?.receipts.contains { $0.kind == .ackedByHuman && $0.note == "coming" } == true)
        #expect(try await history(phone.client, label: "siren").isEmpty)
        await phone.client.leave()
        await watch.client.leave()
    }

    private func history(_ client: SenseClient, label: String) async throws -> [HistoryEntry] {
        let answer = try await client.request(.historyQuery(HistoryQuery(queryId: 5, label: label))) { body in
            if case .historyPage(let page) = body { page.queryId == 5 } else { false }
        }
        if case .historyPage(let page) = answer { return page.entries }
        return []
    }

    /// A sample of the repository as 16-bit bytes.
    private func recording(_ name: String) throws -> (samples: [UInt8], rateHz: Int) {
        var file = try AudioFileReader(path: Household.root + "/Models/samples/" + name)
        var samples: [UInt8] = []
        var block: [Float] = []
        while try file.read(into: &block, maxFrames: 8192) > 0 {
            for sample in block {
                let value = Int16(max(-32_768, min(32_767, sample * 32_767)))
                samples += [UInt8(truncatingIfNeeded: value), UInt8(truncatingIfNeeded: value >> 8)]
            }
        }
        return (samples, file.sampleRateHz)
    }

    @Test func hearsARecordedDog() async throws {
        let household = try Household()
        let phone = try await household.pairFirst()
        let (samples, rateHz) = try recording("dog_1.flac")
        let stream = try await phone.client.stream(samples, rateHz: rateHz)
        let finished = try await phone.client.finish(stream)
        #expect(finished?.lostItems == 0)
        let dog = try await phone.client.alert("dog", [.confirmed, .updated])
        #expect(dog?.kind == .sound)
        await phone.client.leave()
    }

    @Test func aPersonsSettingsChangeHowTheyAreTold() async throws {
        let household = try Household()
        let phone = try await household.pairFirst()
        let patch = SettingsPatch(settings: [
            Setting(key: "alerts.dog.urgency", value: SettingValue(value: .text("urgent"))),
            Setting(key: "alerts.dog.haptic", value: SettingValue(value: .text("long"))),
        ])
        let answer = try await phone.client.request(.settingsPatch(patch)) { body in
            if case .settingsState = body { true } else { false }
        }
        if case .settingsState(let state) = answer { #expect(state.conflictingKeys.isEmpty) }
        let (samples, rateHz) = try recording("dog_1.flac")
        let stream = try await phone.client.stream(samples, rateHz: rateHz)
        let alert = try #require(try await phone.client.alert("dog", [.confirmed]))
        #expect(alert.urgency == .urgent)
        #expect(alert.haptic?.patternId == "sound.long")
        _ = try await phone.client.finish(stream)
        await phone.client.leave()
    }

    @Test func whatWasMissedComesAfterAReconnect() async throws {
        let household = try Household()
        let phone = try await household.pairFirst()
        let watch = try await household.pairAnother(phone.client, name: "watch")
        let token = watch.welcome.issuedToken
        let resumption = await watch.client.resumption()
        // A dead battery: no goodbye.
        await watch.client.cut()
        let stream = try await phone.client.stream(SmokeAlarm.samples(seconds: 16), rateHz: SmokeAlarm.rateHz)
        _ = try await phone.client.finish(stream)
        let alert = try #require(try await phone.client.alert("smoke_alarm", [.confirmed]))
        let back = try await household.connect(.token(token), name: "watch", resumption: resumption)
        #expect(back.welcome.resumeOutcome == .replayed)
        #expect(back.welcome.replayedEvents > 0)
        let replayed = try await back.client.alert("smoke_alarm", [.confirmed])
        #expect(replayed?.alertId == alert.alertId)
        #expect(replayed?.replayed == true)
        await back.client.leave()
        await phone.client.leave()
    }

    // MARK: Hands and music

    @Test func readsASpelledWord() async throws {
        let household = try Household()
        let phone = try await household.pairFirst()
        let sequence = try HandSequence(path: Household.root + "/Models/samples/spelling_water.json.gz")
        let stream = try await phone.client.openStream(
            .hands(HandFormat(producer: .mediapipe, hasZ: true, everyFrame: true)))
        let fps = sequence.framesPerSecond ?? 30
        let startUs = ClientLoop.nowUs
        for (index, frame) in sequence.frames.enumerated() {
            try await phone.client.send(
                .handFrames(
                    HandFrames(
                        streamId: stream,
                        frames: [
                            HandFrame(
                                frameIndex: UInt64(index),
                                monoUs: startUs + UInt64(Double(index) / fps * 1e6),
                                handedness: frame.handedness, noHand: frame.points == nil,
                                points: frame.points ?? [])
                        ])))
            // The answer to each frame, so that none is left out however slow the machine is.
            _ = try await phone.client.first(within: .seconds(30)) { event in
                if case .message(.letterUpdate(let update)) = event {
                    update.lastFrameIndex >= UInt64(index)
                } else {
                    false
                }
            }
        }
        let finished = try await phone.client.finish(stream)
        #expect(finished?.items == UInt64(sequence.frames.count))
        #expect(finished?.finals == 5)
        await phone.client.leave()
    }

    @Test func playsASongAheadOfItsTime() async throws {
        let household = try Household()
        let phone = try await household.pairFirst()
        let client = phone.client
        let song = try LocalFile.read(Household.root + "/Models/samples/demo_beat.json", maxBytes: 1 << 20)
        let stream = try await client.openStream(.music(MusicFormat()))
        try await client.send(
            .songChunk(SongChunk(streamId: stream, songId: "s", totalBytes: UInt64(song.count), data: song)))
        let status = try await client.first(within: .seconds(30)) { event in
            if case .message(.songStatus) = event { true } else { false }
        }
        guard case .message(.songStatus(let ready))? = status?.event else {
            Issue.record("no song status")
            return
        }
        #expect(ready.ready)
        #expect(ready.totalFrames == 860)
        try await client.send(
            .playbackControl(PlaybackControl(streamId: stream, command: .play, songId: "s")))
        var next: UInt32?
        for _ in 0..<4 {
            let received = try await client.first(within: .seconds(30)) { event in
                if case .message(.musicFrames) = event { true } else { false }
            }
            guard case .message(.musicFrames(let batch))? = received?.event, let received,
                let first = batch.frames.first, let last = batch.frames.last
            else {
                Issue.record("no frames")
                return
            }
            if let next { #expect(first.frame == next) }
            next = last.frame + 1
            let now = try #require(await client.serverTime(atLocalUs: received.atUs))
            #expect(batch.playAtServerUs > now.serverUs)
        }
        try await client.send(
            .playbackControl(PlaybackControl(streamId: stream, command: .stop, songId: "s")))
        _ = try await client.finish(stream)
        await client.leave()
    }

    // MARK: Bad input

    @Test func badValuesNameTheirFieldAndTheSessionLivesOn() async throws {
        let household = try Household()
        let client = try await household.pairFirst().client
        let formats: [(OpenStream.Format, String)] = [
            (
                .audio(AudioFormat(encoding: .pcmS16le, sampleRateHz: 0, channels: 1)),
                "open_stream.audio.sample_rate_hz"
            ),
            (
                .audio(AudioFormat(encoding: .pcmS16le, sampleRateHz: .max, channels: 1)),
                "open_stream.audio.sample_rate_hz"
            ),
            (
                .audio(AudioFormat(encoding: .pcmS16le, sampleRateHz: 48_000, channels: 0)),
                "open_stream.audio.channels"
            ),
            (.music(MusicFormat(leadMs: 1)), "open_stream.music.lead_ms"),
        ]
        for (format, field) in formats {
            do throws(ClientError) {
                _ = try await client.openStream(format)
                Issue.record("\(field) was taken")
            } catch {
                guard case .refused(let message) = error else {
                    Issue.record("\(error)")
                    continue
                }
                #expect(message.field == field)
                #expect(!message.fatal)
            }
        }
        let stream = try await client.openStream(.hands(HandFormat(producer: .mediapipeTrue, hasZ: true)))
        for (index, points) in [[Float](repeating: .nan, count: 63), [Float](repeating: 1, count: 60), []]
            .enumerated()
        {
            try await client.send(
                .handFrames(
                    HandFrames(
                        streamId: stream,
                        frames: [
                            HandFrame(frameIndex: UInt64(index), monoUs: ClientLoop.nowUs, points: points)
                        ])))
        }
        let finished = try await client.finish(stream)
        #expect(finished?.items == 3)
        await client.leave()
    }
}
