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

    static func run(_ context: CommandContext) async throws -> ExitCode {
        let path = context.arguments.positionals[0]
        let speed = try Pacer.speed(context.arguments)
        let source = try AudioSource(path, context.arguments)
        let tally = ListenTally()
        let display = SoundDisplay(source.format)
        context.console.tell(
            "listening",
            [
                "file": .text(path), "sample_rate_hz": .count(source.format.sampleRateHz),
                "channels": .count(source.format.channels),
                "seconds": source.frames.map {
                    .number(Double($0) / Double(source.format.sampleRateHz))
                } ?? .null,
            ],
            """
            \(path.printable): \(source.format.sampleRateHz) Hz, \(source.format.channels) channel(s)\
            \(source.frames.map { ", \((Double($0) / Double(source.format.sampleRateHz)).fixed(1)) s" } ?? "")
            """)
        let connector = try Connector(context)
        var reconnect = Reconnect()
        var resumption: ClientResumption?
        var wasConnected = false
        while true {
            do {
                let connected = try await connector.connect(
                    watchesAlerts: true, isBeside: false, resumption: resumption)
                wasConnected = true
                do {
                    let code = try await listen(connected, source, speed, display, tally, &reconnect, context)
                    await connected.client.leave()
                    return code
                } catch {
                    resumption = await connected.client.resumption()
                    await connected.client.leave()
                    throw error
                }
            } catch let error as ClientError where wasConnected {
                guard case .wait(let milliseconds) = reconnect.failed(error, random: .random(in: 0 ... .max))
                else { throw error }
                context.console.tell(
                    "lost", ["message": .text(error.description), "retry_ms": .unsigned(milliseconds)],
                    context.console.style.red(
                        "NOT HEARD: \(error.description.printable); trying again in \(milliseconds) ms"))
                let until = ContinuousClock.now.advanced(by: .milliseconds(Int64(milliseconds)))
                while ContinuousClock.now < until, !context.interrupt.isWished {
                    try? await Task.sleep(for: .milliseconds(50))
                }
                if context.interrupt.isWished { return .interrupted }
            }
        }
    }

    /// Streams over one connection until the source has ended; throws when the connection is lost. The source goes on
    /// where it was with the next one.
    private static func listen(
        _ connected: SenseClient.Connected, _ source: AudioSource, _ speed: Double?, _ display: SoundDisplay,
        _ tally: ListenTally, _ reconnect: inout Reconnect, _ context: CommandContext
    ) async throws -> ExitCode {
        let client = connected.client
        let path = context.arguments.positionals[0]
        let stream = try await client.openStream(.audio(source.format), name: String(path.suffix(48)))
        reconnect.succeeded()
        let log = SendLog()
        let report = ListenReport(
            context: context, client: client, deviceID: connected.welcome.deviceId, stream: stream,
            rateHz: source.format.sampleRateHz, log: log, display: display, tally: tally)
        let receiver = Task { try await report.receive() }
        do {
            let isWhole = try await send(
                source, stream, speed: path == "-" ? .live : speed.map { .times($0) } ?? .gated, client, log,
                context, display: display)
            guard isWhole else {
                receiver.cancel()
                return .interrupted
            }
            try await client.send(.finish(Finish(streamId: stream)))
        } catch {
            receiver.cancel()
            throw error
        }
        return try await receiver.value(within: .untilFinished)
    }

    /// How fast a source is sent.
    enum Speed {
        /// It comes at its own speed.
        case live
        /// Times real time.
        case times(Double)
        /// As fast as the server scores it.
        case gated
    }

    /// Sends the whole source; false if interrupted.
    static func send(
        _ source: AudioSource, _ stream: UInt32, speed: Speed, maxFrames: UInt64 = .max,
        _ client: SenseClient,
        _ log: SendLog, _ context: CommandContext, display: SoundDisplay? = nil
    ) async throws -> Bool {
        let rate = source.sampleRateHz
        let chunkFrames = rate / 10
        let times: Double? = if case .times(let times) = speed { times } else { nil }
        let isGated = if case .gated = speed { true } else { false }
        let pacer = Pacer(speed: times)
        let startUs = ClientLoop.nowUs
        var sent: UInt64 = 0
        while sent < maxFrames, let bytes = try await source.next(maxFrames: chunkFrames, context.interrupt) {
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
            if let display {
                display.heard(source.samples(bytes))
                context.console.live(
                    display.lines(context.console.style, columns: StandardStreams.columns))
            }
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
