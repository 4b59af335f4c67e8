import SenseClientKit
import SenseProtocol

/// `listen`: streams sound and tells what the server heard.
enum ListenCommand: Subcommand {
    static let spec = CommandSpec(
        name: "listen", summary: "stream sound from a file or standard input; print alerts",
        positionals: ["FILE|-"],
        options: [
            OptionSpec(
                "--speed", "X|max", "times real time (default 1); max waits for the server's scores only"),
            OptionSpec("--rate", "HZ", "sample rate of raw PCM on standard input"),
            OptionSpec("--channels", "N", "channels of raw PCM on standard input (default 1)"),
            OptionSpec(
                "--format", "s16le|f32le", "samples as sent, and as they come on standard input (s16le)"),
            OptionSpec("--voice-processed", nil, "say that noise suppression or gain control was at work"),
            OptionSpec("--scores", nil, "print the running scores"),
            OptionSpec("--expect", "LABEL", "exit 7 unless this alert comes; may be given several times"),
        ],
        notes: """
            wav, flac, ogg and mp3 files. A live microphone: arecord -t raw -f S16_LE -r 48000 -c 1 | \
            sense-client listen - --rate 48000
            """)

    /// Longest wait for the server to finish after the last sample.
    private static let finishTimeout = Duration.seconds(60)

    static func run(_ context: CommandContext) async throws -> ExitCode {
        let path = context.arguments.positionals[0]
        let speed = try Pacer.speed(context.arguments)
        let source = try AudioSource(path, context.arguments)
        let connected = try await Connector(context).connect(watchesAlerts: true)
        let client = connected.client
        let format = source.format
        let stream = try await client.openStream(.audio(format), name: String(path.suffix(48)))
        let log = SendLog()
        let report = ListenReport(
            context: context, client: client, deviceID: connected.welcome.deviceId, stream: stream,
            rateHz: format.sampleRateHz, log: log)
        context.console.tell(
            "listening",
            [
                "file": .text(path), "stream_id": .count(stream),
                "sample_rate_hz": .count(format.sampleRateHz),
                "channels": .count(format.channels),
                "seconds": source.frames.map { .number(Double($0) / Double(format.sampleRateHz)) } ?? .null,
            ],
            """
            \(path.printable): \(format.sampleRateHz) Hz, \(format.channels) channel(s)\
            \(source.frames.map { ", \((Double($0) / Double(format.sampleRateHz)).fixed(1)) s" } ?? "")
            """)
        let receiver = Task { try await report.receive() }
        do {
            let isWhole = try await send(source, stream, speed, client, log, context)
            guard isWhole else {
                receiver.cancel()
                await client.leave()
                return .interrupted
            }
            try await client.send(.finish(Finish(streamId: stream)))
        } catch {
            receiver.cancel()
            await client.leave()
            throw error
        }
        let deadline = Task {
            try await Task.sleep(for: finishTimeout)
            receiver.cancel()
        }
        let summary = try await receiver.value
        deadline.cancel()
        await client.leave()
        return summary
    }

    /// Sends the whole source; false if interrupted.
    private static func send(
        _ source: AudioSource, _ stream: UInt32, _ speed: Double?, _ client: SenseClient, _ log: SendLog,
        _ context: CommandContext
    ) async throws -> Bool {
        let rate = source.sampleRateHz
        let chunkFrames = rate / 10
        // Standard input comes at its own speed.
        let pacer = Pacer(speed: context.arguments.positionals[0] == "-" ? nil : speed)
        let isGated = speed == nil && context.arguments.positionals[0] != "-"
        let startUs = ClientLoop.nowUs
        var sent: UInt64 = 0
        while let bytes = try await source.next(maxFrames: chunkFrames, context.interrupt) {
            let frames = UInt64(bytes.count / source.bytesPerFrame)
            // A microphone has the samples when they have passed, not before.
            guard await pacer.wait(untilMedia: Double(sent + frames) / Double(rate), context.interrupt) else {
                return false
            }
            if isGated { await waitForScores(sent: sent, rate: UInt64(rate), log) }
            let capturedUs = startUs + sent * 1_000_000 / UInt64(rate)
            log.sent(upTo: sent + frames, atUs: ClientLoop.nowUs)
            try await client.send(
                .audioChunk(
                    AudioChunk(streamId: stream, firstSampleIndex: sent, monoUs: capturedUs, samples: bytes)))
            sent += frames
            let position = Double(sent) / Double(rate)
            context.console.progress("  \(position.fixed(1)) s sent")
        }
        return !context.interrupt.isWished
    }

    /// Keeps at most a second ahead of the scores, so that nothing is left out; gives up waiting after two seconds
    /// without one. The first decision comes after a second.
    private static func waitForScores(sent: UInt64, rate: UInt64, _ log: SendLog) async {
        let start = ContinuousClock.now
        var answered = log.answeredEnd
        var lastNews = start
        while sent > max(rate, answered) + rate {
            if log.answeredEnd > answered {
                answered = log.answeredEnd
                lastNews = .now
            }
            if lastNews.duration(to: .now) > .seconds(2) { return }
            try? await Task.sleep(for: .milliseconds(4))
        }
    }
}
