import BridgeAI
import SenseProtocol
import SessionCore
import Testing

@Suite("Streams and bad input")
struct SessionStreamTests {
    static func audio(
        rate: UInt32 = 16_000, channels: UInt32 = 1, encoding: AudioEncoding = .pcmS16le
    ) -> AudioFormat {
        AudioFormat(encoding: encoding, sampleRateHz: rate, channels: channels)
    }

    static let badOpens: [(OpenStream, String)] = [
        (OpenStream(streamId: 0, format: .audio(audio())), "open_stream.stream_id"),
        (OpenStream(streamId: 65_536, format: .audio(audio())), "open_stream.stream_id"),
        (OpenStream(streamId: 1), "open_stream.format"),
        (OpenStream(streamId: 1, kind: .hands, format: .audio(audio())), "open_stream.kind"),
        (
            OpenStream(streamId: 1, name: String(repeating: "n", count: 65), format: .audio(audio())),
            "open_stream.name"
        ),
        (OpenStream(streamId: 1, format: .audio(audio(rate: 0))), "open_stream.audio.sample_rate_hz"),
        (OpenStream(streamId: 1, format: .audio(audio(rate: 7_999))), "open_stream.audio.sample_rate_hz"),
        (OpenStream(streamId: 1, format: .audio(audio(rate: .max))), "open_stream.audio.sample_rate_hz"),
        (OpenStream(streamId: 1, format: .audio(audio(channels: 0))), "open_stream.audio.channels"),
        (OpenStream(streamId: 1, format: .audio(audio(channels: .max))), "open_stream.audio.channels"),
        (
            OpenStream(streamId: 1, format: .audio(audio(encoding: .unspecified))),
            "open_stream.audio.encoding"
        ),
        (
            OpenStream(streamId: 1, format: .audio(audio(encoding: .unrecognized(77)))),
            "open_stream.audio.encoding"
        ),
        (OpenStream(streamId: 1, format: .audio(audio(encoding: .opus))), "open_stream.audio.encoding"),
        (OpenStream(streamId: 1, format: .hands(HandFormat())), "open_stream.hands.producer"),
        (
            OpenStream(streamId: 1, format: .hands(HandFormat(producer: .raw, imageWidth: 640))),
            "open_stream.hands.image_width, image_height"
        ),
        (OpenStream(streamId: 1, format: .music(MusicFormat(leadMs: 299))), "open_stream.music.lead_ms"),
        (
            OpenStream(streamId: 1, format: .music(MusicFormat(outputOffsetMs: .min))),
            "open_stream.music.output_offset_ms"
        ),
        (OpenStream(streamId: 1, format: .question(QuestionFormat())), "open_stream.question"),
    ]

    @Test("a bad open names its field and the session lives on", arguments: badOpens)
    func badOpen(_ open: OpenStream, _ field: String) {
        var script = SessionScript.welcomed()
        script.send(.openStream(open))
        let errors = script.takeErrors()
        #expect(errors.map(\.field) == [field])
        #expect(errors.first?.fatal == false)
        #expect(errors.first?.devMessage.contains("expected") == true)
        #expect(script.session.isActive)
    }

    @Test("the 17th stream and a doubled id are refused")
    func tooManyStreams() {
        var script = SessionScript.welcomed()
        for id in 1...16 {
            script.send(.openStream(OpenStream(streamId: UInt32(id), format: .scene(SceneFormat()))))
        }
        #expect(script.takeErrors().isEmpty)
        script.send(.openStream(OpenStream(streamId: 17, format: .scene(SceneFormat()))))
        script.send(.openStream(OpenStream(streamId: 3, format: .scene(SceneFormat()))))
        #expect(script.takeErrors().map(\.field) == ["open_stream", "open_stream.stream_id"])
    }

    static let badMessages: [(Envelope.Body, String)] = [
        (.audioChunk(AudioChunk(streamId: 9, samples: [0, 0])), "audio_chunk.stream_id"),
        (.audioChunk(AudioChunk(streamId: 2, samples: [0, 0])), "audio_chunk.stream_id"),
        (.audioChunk(AudioChunk(streamId: 1, samples: [0, 0, 0])), "audio_chunk.samples"),
        (
            .audioChunk(AudioChunk(streamId: 1, samples: [UInt8](repeating: 0, count: 64_002))),
            "audio_chunk.samples"
        ),
        (.audioChunk(AudioChunk(streamId: 1, opusPackets: [[1]])), "audio_chunk.opus_packets"),
        (
            .audioChunk(AudioChunk(streamId: 1, firstSampleIndex: .max, samples: [0, 0])),
            "audio_chunk.first_sample_index"
        ),
        (.handFrames(HandFrames(streamId: 1)), "hand_frames.stream_id"),
        (
            .handFrames(HandFrames(streamId: 2, frames: Array(repeating: HandFrame(), count: 33))),
            "hand_frames.frames"
        ),
        (.textEdit(TextEdit(streamId: 2)), "text_edit.kind"),
        (
            .sceneFrame(SceneFrame(streamId: 3, objects: Array(repeating: SceneObject(), count: 301))),
            "scene_frame.objects"
        ),
        (.question(Question(streamId: 3, text: String(repeating: "?", count: 1025))), "question.text"),
        (.songChunk(SongChunk(streamId: 4, songId: "", totalBytes: 4, data: [1])), "song_chunk.song_id"),
        (
            .songChunk(SongChunk(streamId: 4, songId: "s", totalBytes: .max, data: [1])),
            "song_chunk.total_bytes"
        ),
        (
            .songChunk(SongChunk(streamId: 4, songId: "s", totalBytes: 2_000_000_000, data: [1])),
            "song_chunk.total_bytes"
        ),
        (
            .songChunk(SongChunk(streamId: 4, songId: "s", offset: 5, totalBytes: 9, data: [1])),
            "song_chunk.offset"
        ),
        (.songChunk(SongChunk(streamId: 4, songId: "s", totalBytes: 1, data: [1, 2])), "song_chunk.data"),
        (.songChunk(SongChunk(streamId: 4, songId: "s", totalBytes: 1)), "song_chunk.data"),
        (.playbackControl(PlaybackControl(streamId: 4)), "playback_control.command"),
        (
            .playbackControl(PlaybackControl(streamId: 4, command: .seek, positionSeconds: .nan)),
            "playback_control.position_seconds"
        ),
        (
            .playbackControl(PlaybackControl(streamId: 4, command: .play, positionSeconds: -1)),
            "playback_control.position_seconds"
        ),
        (
            .playbackControl(PlaybackControl(streamId: 4, command: .play, rate: .infinity)),
            "playback_control.rate"
        ),
        (.finish(Finish(streamId: 77)), "finish.stream_id"),
        (.gap(Gap(streamId: 1, from: 5, to: 4)), "gap.to"),
        (.streamFormat(StreamFormat(streamId: 1)), "stream_format.format"),
        (.streamFormat(StreamFormat(streamId: 1, format: .hands(HandFormat()))), "stream_format.stream_id"),
        (
            .streamFormat(StreamFormat(streamId: 1, format: .audio(audio(rate: 10)))),
            "stream_format.audio.sample_rate_hz"
        ),
        (.alertReceipt(AlertReceipt(alertId: "a")), "alert_receipt.kind"),
        (.alertReceipt(AlertReceipt(alertId: "", kind: .received)), "alert_receipt.alert_id"),
        (
            .alertReceipt(
                AlertReceipt(alertId: "a", kind: .received, note: String(repeating: "n", count: 257))),
            "alert_receipt.note"
        ),
        (.historyQuery(HistoryQuery(pageSize: 201)), "history_query.page_size"),
        (.historyQuery(HistoryQuery(fromUnixUs: 5, toUnixUs: 4)), "history_query.from_unix_us"),
        (.settingsPatch(SettingsPatch(removedKeys: ["Bad Key"])), "settings_patch.removed_keys[0]"),
        (.settingsPatch(SettingsPatch(settings: [Setting(key: "a.b")])), "settings_patch.settings[0].value"),
        (
            .settingsPatch(SettingsPatch(removedKeys: Array(repeating: "k", count: 257))),
            "settings_patch.settings"
        ),
        (.pairingCodeRequest(PairingCodeRequest(validSeconds: 29)), "pairing_code_request.valid_seconds"),
        (.heartbeat(Heartbeat(batteryPercent: 102)), "heartbeat.battery_percent"),
        (.hello(Hello()), "hello"),
        (.welcome(Welcome()), "welcome"),
        (.drill(Drill(phase: .started)), "drill.room"),
        (.drill(Drill(room: "hall")), "drill.phase"),
        (.drill(Drill(room: "hall", phase: .passed)), "drill.phase"),
        (.drill(Drill(room: "a\nb", phase: .started)), "drill.room"),
        (.drill(Drill(room: String(repeating: "r", count: 65), phase: .cancelled)), "drill.room"),
        (.alertFeedback(AlertFeedback()), "alert_feedback.alert_id"),
        (
            .alertFeedback(AlertFeedback(alertId: String(repeating: "a", count: 65))),
            "alert_feedback.alert_id"
        ),
        (
            .alertFeedback(AlertFeedback(alertId: "a", trueLabel: String(repeating: "t", count: 65))),
            "alert_feedback.true_label"
        ),
        (.alertFeedback(AlertFeedback(alertId: "a", trueLabel: "a\u{0}")), "alert_feedback.true_label"),
        (
            .alertFeedback(AlertFeedback(alertId: "a", correct: true, trueLabel: "oven")),
            "alert_feedback.true_label"
        ),
    ]

    @Test("a bad message names its field and the session lives on", arguments: badMessages)
    func badMessage(_ body: Envelope.Body, _ field: String) {
        var script = SessionScript.welcomed()
        script.send(.openStream(OpenStream(streamId: 1, format: .audio(Self.audio()))))
        script.send(
            .openStream(OpenStream(streamId: 2, format: .hands(HandFormat(producer: .raw, hasZ: true)))))
        script.send(.openStream(OpenStream(streamId: 3, format: .scene(SceneFormat()))))
        script.send(.openStream(OpenStream(streamId: 4, format: .music(MusicFormat()))))
        script.actions = []
        script.send(body)
        let errors = script.takeErrors()
        #expect(errors.map(\.field) == [field])
        #expect(errors.first?.fatal == false)
        #expect(script.session.isActive)
    }

    @Test("more media than the credit allows is refused, and credit comes back as it is used")
    func credit() {
        var script = SessionScript.welcomed()
        script.send(.openStream(OpenStream(streamId: 1, format: .audio(Self.audio()))))
        script.actions = []
        let second = [UInt8](repeating: 0, count: 32_000)
        var index: UInt64 = 0
        for _ in 0..<70 {
            script.send(
                .audioChunk(AudioChunk(streamId: 1, firstSampleIndex: index, monoUs: index, samples: second)))
            index += 16_000
        }
        let credits = script.takeSent().compactMap {
            if case .credit(let credit) = $0 { credit.mediaBytes } else { nil }
        }
        #expect(credits == [2_112_000])
        #expect(script.takeErrors().isEmpty)
    }

    @Test("finish delivers what is owed before finished (T22)")
    func finishWaits() throws {
        var script = SessionScript.welcomed()
        script.send(
            .openStream(OpenStream(streamId: 2, format: .hands(HandFormat(producer: .raw, hasZ: true)))))
        let points = (0..<63).map { Float($0) / 63 }
        script.send(
            .handFrames(
                HandFrames(streamId: 2, frames: [HandFrame(frameIndex: 1, monoUs: 1, points: points)])))
        script.actions.removeAll { if case .send = $0 { true } else { false } }
        script.send(.finish(Finish(streamId: 2)))
        #expect(script.takeSent().isEmpty)
        guard
            case .scoreLetters(let job)? = script.actions.first(where: {
                if case .scoreLetters = $0 { true } else { false }
            })
        else {
            Issue.record("no job")
            return
        }
        var probabilities = [Float](repeating: 0, count: 26)
        probabilities[3] = 1
        script.session.letterScored(
            job, scores: try LetterScores(probabilities: probabilities), at: script.now,
            actions: &script.actions)
        let sent = script.takeSent()
        guard case .letterUpdate(let update)? = sent.first, case .finished(let finished)? = sent.last else {
            Issue.record("expected a letter and finished, got \(sent)")
            return
        }
        #expect(update.letter == "D")
        #expect(finished.items == 1)
    }

    @Test("every frame of a full message is scored")
    func fullMessage() {
        var script = SessionScript.welcomed()
        script.send(
            .openStream(OpenStream(streamId: 2, format: .hands(HandFormat(producer: .raw, hasZ: true)))))
        script.actions = []
        let points = (0..<63).map { Float($0) / 63 }
        let frames = (1...32).map { HandFrame(frameIndex: $0, monoUs: $0 * 33_333, points: points) }
        script.send(.handFrames(HandFrames(streamId: 2, frames: frames)))
        let jobs = script.actions.compactMap { if case .scoreLetters(let job) = $0 { job } else { nil } }
        #expect(jobs.map(\.frameIndex) == Array(1...32))
        #expect(script.takeSent().isEmpty)
    }

    @Test(
        "bad hand frames keep the text and are warned about once a second, with a count",
        arguments: [
            [Float](repeating: .nan, count: 63), [Float](repeating: 0, count: 63),
            [Float](repeating: 1e30, count: 63), [Float](repeating: 0.5, count: 60),
            [Float](repeating: 1, count: 66),
        ])
    func badHands(_ points: [Float]) {
        var script = SessionScript.welcomed()
        script.send(
            .openStream(OpenStream(streamId: 2, format: .hands(HandFormat(producer: .raw, hasZ: true)))))
        script.actions = []
        for index in 1...30 {
            script.send(
                .handFrames(
                    HandFrames(
                        streamId: 2,
                        frames: [
                            HandFrame(
                                frameIndex: UInt64(index), monoUs: UInt64(index) * 33_333, points: points)
                        ])))
        }
        let sent = script.takeSent()
        let warnings = sent.compactMap { if case .streamWarning(let warning) = $0 { warning } else { nil } }
        #expect(warnings.count == 1)
        #expect(warnings.first?.kind == .badFrame)
        #expect(warnings.first?.field.hasPrefix("hand_frames.frames[0]") == true)
        #expect(!sent.contains { if case .error = $0 { true } else { false } })
        #expect(script.session.isActive)
    }

    @Test("scores of an older opening of a stream id are dropped")
    func staleScores() {
        var script = SessionScript.welcomed()
        let open = Envelope.Body.openStream(
            OpenStream(streamId: 2, format: .hands(HandFormat(producer: .raw, hasZ: true))))
        script.send(open)
        script.send(.finish(Finish(streamId: 2)))
        script.send(open)
        script.actions = []
        script.session.letterScored(
            LetterJob(streamID: 2, generation: 1, frameIndex: 1, monoUs: 1, pose: HandVector()),
            scores: nil, at: script.now, actions: &script.actions)
        #expect(script.actions.isEmpty)
    }
}
