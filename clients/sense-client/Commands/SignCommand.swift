import SenseClientKit
import SenseProtocol

/// `sign`: streams hand landmarks and prints the letters.
enum SignCommand: Subcommand {
    static let spec = CommandSpec(
        name: "sign", summary: "stream hand landmarks from a file; print letters and text",
        positionals: ["FILE"],
        options: [
            OptionSpec("--speed", "X|max", "times real time (default 1)"),
            OptionSpec("--fps", "N", "frames a second, where the file does not say (default 30)"),
            OptionSpec("--hold", "N", "send each row of a CSV N times: samples of single letters"),
            OptionSpec(
                "--producer", "NAME",
                "mediapipe, mediapipe-true, apple-vision or raw (default mediapipe)"),
            OptionSpec("--mirrored", nil, "the picture was flipped left to right before detection"),
            OptionSpec("--y", "up|down", "direction of the y axis (default: as the producer has it)"),
            OptionSpec("--width", "PIXELS", "of the picture (default: from the file)"),
            OptionSpec("--height", "PIXELS", "of the picture (default: from the file)"),
            OptionSpec("--no-z", nil, "send no depth, as phones with Apple Vision do"),
            OptionSpec("--handedness", "left|right|unknown", "instead of what the file says"),
            OptionSpec("--partials", nil, "print forming letters too"),
            OptionSpec("--expect-text", "TEXT", "exit 7 unless the text is this, spaces and case apart"),
        ],
        notes: """
            Files: CSV with the columns label,handedness,x0,y0,z0,… or JSON {"fps", "handedness", \
            "image_aspect_w_over_h", "frames": [[63 numbers] | null, …]}; gzipped ones as they are.
            """)

    static func run(_ context: CommandContext) async throws -> ExitCode {
        let arguments = context.arguments
        let path = arguments.positionals[0]
        let speed = try Pacer.speed(arguments)
        let hold = try arguments.number("--hold", in: 1...600) ?? 1
        let sequence = try HandSequence(path: path)
        let fps = try arguments.number("--fps", in: 1.0...120.0) ?? sequence.framesPerSecond ?? 30
        // Scripts see every result, and a stream without pacing is paced by them.
        let everyFrame = speed == nil || context.console.isJSON
        let format = try format(sequence, arguments, everyFrame: everyFrame)
        let hand: Handedness? = try arguments.choice(
            "--handedness", ["left": .left, "right": .right, "unknown": .unspecified])
        let connected = try await Connector(context).connect()
        let client = connected.client
        let stream = try await client.openStream(.hands(format), name: String(path.suffix(48)))
        let log = SendLog()
        let report = SignReport(context: context, client: client, stream: stream, log: log)
        context.console.tell(
            "signing",
            [
                "file": .text(path), "stream_id": .count(stream),
                "frames": .count(sequence.frames.count * hold),
                "fps": .number(fps),
            ],
            "\(path.printable): \(sequence.frames.count * hold) frames at \(fps.fixed(0)) a second")
        let receiver = Task { try await report.receive() }
        do {
            let pacer = Pacer(speed: speed)
            let startUs = ClientLoop.nowUs
            var index: UInt64 = 0
            for frame in sequence.frames {
                for _ in 0..<hold {
                    guard await pacer.wait(untilMedia: Double(index) / fps, context.interrupt) else {
                        receiver.cancel()
                        await client.leave()
                        return .interrupted
                    }
                    // Without pacing at most what the server scores at once is under way, so that it leaves none out.
                    while speed == nil, index > log.answeredEnd + 12, !context.interrupt.isWished {
                        try await Task.sleep(for: .milliseconds(2))
                        if Task.isCancelled { break }
                    }
                    let points = frame.points.map { arguments.has("--no-z") ? withoutDepth($0) : $0 }
                    log.sent(upTo: index + 1, atUs: ClientLoop.nowUs)
                    try await client.send(
                        .handFrames(
                            HandFrames(
                                streamId: stream,
                                frames: [
                                    HandFrame(
                                        frameIndex: index,
                                        monoUs: startUs + UInt64(Double(index) / fps * 1e6),
                                        handedness: hand ?? frame.handedness, noHand: points == nil,
                                        points: points ?? [])
                                ])))
                    index += 1
                }
            }
            try await client.send(.finish(Finish(streamId: stream)))
        } catch {
            receiver.cancel()
            await client.leave()
            throw error
        }
        let deadline = Task {
            try await Task.sleep(for: .seconds(30))
            receiver.cancel()
        }
        let code = try await receiver.value
        deadline.cancel()
        await client.leave()
        return code
    }

    private static func format(
        _ sequence: HandSequence, _ arguments: Arguments, everyFrame: Bool
    ) throws -> HandFormat {
        let producer: HandProducer =
            try arguments.choice(
                "--producer",
                [
                    "mediapipe": .mediapipe, "mediapipe-true": .mediapipeTrue, "apple-vision": .appleVision,
                    "raw": .raw,
                ])
            ?? .mediapipe
        let axis: YAxis = try arguments.choice("--y", ["up": .up, "down": .down]) ?? .unspecified
        var width = try arguments.number("--width", in: 1...16_384) ?? 0
        var height = try arguments.number("--height", in: 1...16_384) ?? 0
        if (width == 0) != (height == 0) { throw UsageError(message: "--width and --height go together") }
        if width == 0, let aspect = sequence.aspect {
            // Only the proportion matters.
            (width, height) = (Int((aspect * 1000).rounded()), 1000)
        }
        return HandFormat(
            producer: producer, mirrored: arguments.has("--mirrored"), yAxis: axis, imageWidth: UInt32(width),
            imageHeight: UInt32(height), hasZ: !arguments.has("--no-z"), everyFrame: everyFrame)
    }

    private static func withoutDepth(_ points: [Float]) -> [Float] {
        points.enumerated().map { $0.offset % 3 == 2 ? 0 : $0.element }
    }
}
