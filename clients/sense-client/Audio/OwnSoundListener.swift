import SenseClientKit
import SenseProtocol

/// Plays one recording to the server, as an example of a sound or to see what is heard in it.
struct OwnSoundListener: Sendable {
    /// What came of it.
    struct Heard: Sendable {
        /// The sounds after the example.
        var answer: CustomSounds?
        /// Why the example was not taken.
        var problem: ErrorMessage?
        /// From the end of the example to the answer.
        var answerMs = 0.0
        /// The best score of each of the person's sounds, and where.
        var best: [String: (score: Float, atSeconds: Double)] = [:]
        /// Labels that alerts told.
        var alerts: Set<String> = []
    }

    private let connected: SenseClient.Connected
    private let context: CommandContext

    /// How long alerts may come after Finished: they are stored first.
    private static let afterFinished = Duration.milliseconds(700)

    init(_ connected: SenseClient.Connected, _ context: CommandContext) {
        self.connected = connected
        self.context = context
    }

    /// Plays `source`; nil if interrupted.
    /// - Parameters:
    ///   - label: the sound that it is an example of; nil for none.
    ///   - maxSeconds: how much of it.
    func hear(
        _ source: AudioSource, name: String, teaching label: String?, maxSeconds: Double?
    ) async throws -> Heard? {
        let client = connected.client
        let own = try await ownLabels()
        let stream = try await client.openStream(.audio(source.format), name: String(name.suffix(48)))
        if let label {
            try await client.send(
                .soundExample(SoundExample(streamId: stream, label: label, recording: true)))
        }
        let log = SendLog()
        let rate = Double(source.sampleRateHz)
        let receiver = Task {
            try await receive(stream, own, isTaught: label != nil, log, rate)
        }
        do {
            let most = maxSeconds.map { UInt64($0 * rate) } ?? .max
            guard
                try await ListenCommand.send(
                    source, stream, speed: maxSeconds == nil ? .gated : .live, maxFrames: most, client, log,
                    context)
            else {
                receiver.cancel()
                return nil
            }
            // The network looks back: a second of silence shows it the end of a sound that a file cuts off.
            let frames = source.sampleRateHz / 10
            let silence = [UInt8](repeating: 0, count: frames * source.bytesPerFrame)
            let end = log.sentEnd
            for part in 0..<10 {
                let first = end + UInt64(part * frames)
                try await client.send(
                    .audioChunk(AudioChunk(streamId: stream, firstSampleIndex: first, samples: silence)))
            }
            try await client.send(.finish(Finish(streamId: stream)))
        } catch {
            receiver.cancel()
            throw error
        }
        let endUs = ClientLoop.nowUs
        var heard = try await receiver.value(within: .untilFinished)
        heard.answerMs -= Double(endUs) / 1000
        return heard
    }

    private func ownLabels() async throws -> Set<String> {
        let answer = try await connected.client.request(.customSoundEdit(CustomSoundEdit())) { body in
            if case .customSounds = body { true } else { false }
        }
        guard case .customSounds(let sounds) = answer else { return [] }
        return Set(sounds.sounds.map(\.label))
    }

    private func receive(
        _ stream: UInt32, _ own: Set<String>, isTaught: Bool, _ log: SendLog, _ rate: Double
    ) async throws -> Heard {
        var heard = Heard()
        var finishedAt: ContinuousClock.Instant?
        while true {
            try Task.checkCancellation()
            let isAnswered = heard.answer != nil || heard.problem != nil
            if let finishedAt {
                if isTaught, isAnswered { return heard }
                if !isTaught, finishedAt.duration(to: .now) > Self.afterFinished { return heard }
            }
            guard let received = try await connected.client.next(within: .milliseconds(100)) else { continue }
            switch received.event {
            case .message(.soundScores(let scores)) where scores.streamId == stream:
                _ = log.answered(scores.windowEndSample, atUs: received.atUs)
                for entry in scores.scores where own.contains(entry.label) {
                    guard entry.score >= heard.best[entry.label]?.score ?? 0 else { continue }
                    heard.best[entry.label] = (entry.score, Double(scores.windowEndSample) / rate)
                }
            case .message(.customSounds(let sounds)) where isTaught:
                heard.answer = sounds
                heard.answerMs = Double(received.atUs) / 1000
            case .problem(let error):
                heard.problem = error
                heard.answerMs = Double(received.atUs) / 1000
                // Nothing was begun, so the end has no answer of its own.
                guard isTaught, !error.fatal else { return heard }
            case .alert(let alert)
            where alert.streamId == stream && alert.deviceId == connected.welcome.deviceId && !alert.replayed:
                if alert.state == .confirmed || alert.state == .updated { heard.alerts.insert(alert.label) }
            case .message(.finished(let finished)) where finished.streamId == stream: finishedAt = .now
            default: break
            }
        }
    }
}
