import SenseClientKit
import SenseProtocol

/// `sign`: streams hand landmarks and shows the letters and words.
enum SignCommand: Subcommand {
    static let spec = CommandSpec(
        name: "sign", summary: "stream hand landmarks; show letters, text and word suggestions",
        positionals: ["[FILE|-]"],
        options: [
            OptionSpec("--replay", "FILE", "play a recording or file at its own timing, as FILE does"),
            OptionSpec("--record", "FILE", "keep what is sent, on this device only"),
            OptionSpec("--speed", "X|max", "times real time (default 1)"),
            OptionSpec("--fps", "N", "frames a second, where the file does not say (default 30)"),
            OptionSpec("--hold", "N", "send each row of a CSV N times: samples of single letters"),
            OptionSpec("--no-words", nil, "letters alone, no word suggestions"),
            OptionSpec("--partials", nil, "print forming letters and words line by line"),
            OptionSpec("--expect-text", "TEXT", "exit 7 unless the text is this, spaces and case apart"),
        ] + HandOptions.geometry,
        notes: """
            Files: CSV with the columns label,handedness,x0,y0,z0,…; JSON {"fps", "handedness", \
            "image_aspect_w_over_h", "frames": [[63 numbers] | null, …]}; recordings of --record; gzipped ones as they \
            are. Standard input (-) takes the lines of a recording from a live detector: first \
            {"sense_hands":1,"producer":"mediapipe","mirrored":true,"width":1280,"height":720}, then for each picture \
            {"us":MICROSECONDS,"hand":"Right","points":[63 numbers]}, or "points":null without a hand.
            """)

    static func run(_ context: CommandContext) async throws -> ExitCode {
        let arguments = context.arguments
        guard let path = arguments.text("--replay") ?? arguments.positionals.first else {
            throw UsageError(message: "sign needs FILE, - or --replay FILE")
        }
        if arguments.has("--replay"), !arguments.positionals.isEmpty {
            throw UsageError(message: "--replay takes the place of FILE")
        }
        let speed = try Pacer.speed(arguments)
        let hold = try arguments.number("--hold", in: 1...600) ?? 1
        let source = try HandSource(
            path, fps: try arguments.number("--fps", in: 1.0...120.0), hold: hold)
        try await source.begin(context.interrupt)
        var format = try HandOptions.format(arguments, declared: source.declared, aspect: source.aspect)
        // Scripts see every result, and a stream without pacing is paced by them.
        format.everyFrame = speed == nil || context.console.isJSON
        format.wordSuggestions = !arguments.has("--no-words")
        let recording = try arguments.text("--record").map { path throws(LocalFileError) in
            try HandRecorder(path: path, format)
        }
        let connected = try await Connector(context).connect()
        let client = connected.client
        if connected.welcome.unavailable.contains(where: { $0.feature == "word_suggestions" }) {
            context.console.tell(
                "no_words", [:], context.console.style.yellow("the server has no word list: letters alone"))
        }
        let stream = try await client.openStream(.hands(format), name: String(path.suffix(48)))
        let log = SendLog()
        let report = SignReport(context: context, client: client, stream: stream, log: log)
        context.console.tell(
            "signing",
            [
                "file": .text(path), "stream_id": .count(stream),
                "frames": source.count.map { .count($0) } ?? .null, "fps": .number(source.framesPerSecond),
            ], source.isLive ? "from standard input" : "\(path.printable): \(source.count ?? 0) frames")
        let receiver = Task { try await report.receive() }
        do {
            let isWhole = try await send(source, stream, format, speed, client, log, recording, context)
            // A person ends a live stream with Ctrl-C; what they spelled is still summed up.
            guard isWhole || source.isLive else {
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
        let code = try await receiver.value(within: .untilFinished)
        await client.leave()
        return code
    }

    /// Sends all frames; false if interrupted.
    private static func send(
        _ source: HandSource, _ stream: UInt32, _ format: HandFormat, _ speed: Double?, _ client: SenseClient,
        _ log: SendLog, _ recording: HandRecorder?, _ context: CommandContext
    ) async throws -> Bool {
        let hand = try HandOptions.hand(context.arguments)
        let pacer = Pacer(speed: source.isLive ? nil : speed)
        let startUs = ClientLoop.nowUs
        var index: UInt64 = 0
        while let due = try await source.next(context.interrupt) {
            guard await pacer.wait(untilMedia: due.seconds, context.interrupt) else { return false }
            // Without pacing at most what the server scores at once is under way, so that it leaves none out.
            while speed == nil, !source.isLive, index > log.answeredEnd + 12, !context.interrupt.isWished {
                try await Task.sleep(for: .milliseconds(2))
                if Task.isCancelled { break }
            }
            let us = UInt64(due.seconds * 1e6)
            try recording?.append(due.frame, us: us)
            log.sent(upTo: index + 1, atUs: ClientLoop.nowUs)
            let frame = HandOptions.wire(
                due.frame, index: index, monoUs: startUs + us, hand: hand, hasZ: format.hasZ)
            try await client.send(.handFrames(HandFrames(streamId: stream, frames: [frame])))
            index += 1
        }
        return !context.interrupt.isWished
    }
}

/// Keeps what is sent. Landmarks stay on this device.
final class HandRecorder {
    private let file: LocalFile.Appending

    init(path: String, _ format: HandFormat) throws(LocalFileError) {
        file = try LocalFile.Appending(path: path)
        try file.append(HandRecording.headLine(format))
    }

    func append(_ frame: HandSequence.Frame, us: UInt64) throws(LocalFileError) {
        try file.append(HandRecording.frameLine(frame, us: us))
    }
}
