import SenseClientKit
import SenseProtocol

/// `calibrate`: shows the server how a person forms the letters.
enum CalibrateCommand: Subcommand {
    static let spec = CommandSpec(
        name: "calibrate", summary: "teach the server how you form the letters, or take that back",
        positionals: ["[FILE|-]"],
        options: [
            OptionSpec("--letters", "TEXT", "letters to show (default: the 24 that do not move)"),
            OptionSpec("--samples", "N", "samples of each letter, 1…10 (default 3)"),
            OptionSpec("--undo", nil, "go back to what was in force before the last calibration"),
            OptionSpec("--status", nil, "only say whether a calibration is in force"),
        ] + HandOptions.geometry,
        notes: """
            From standard input (-), lines of a live detector as sign takes them: the letter to hold is shown, and five \
            pictures with the hand are one sample. FILE is a CSV with labels: its rows are the samples. Only how the \
            letters are confused is kept, never landmarks. A calibration that would name fewer of the samples right is \
            not kept.
            """)

    /// Letters that one picture shows.
    static let still = "ABCDEFGHIKLMNOPQRSTUVWXY"

    static func run(_ context: CommandContext) async throws -> ExitCode {
        let arguments = context.arguments
        let isQuestion = arguments.has("--undo") || arguments.has("--status")
        let path = arguments.positionals.first
        guard isQuestion || path != nil else {
            throw UsageError(message: "calibrate needs FILE, -, --undo or --status")
        }
        let letters = (arguments.text("--letters") ?? still).uppercased().filter { $0 >= "A" && $0 <= "Z" }
        guard !letters.isEmpty else { throw UsageError(message: "--letters takes letters A–Z") }
        let samples = try arguments.number("--samples", in: 1...10) ?? 3
        let source = try path.map { try HandSource($0, fps: nil) }
        try await source?.begin(context.interrupt)
        let format = try HandOptions.format(arguments, declared: source?.declared, aspect: source?.aspect)
        let connected = try await Connector(context).connect()
        let client = connected.client
        let stream = try await client.openStream(.hands(format), name: "calibration")
        let session = CalibrationSession(
            context: context, client: client, stream: stream, format: format,
            hand: try HandOptions.hand(arguments))
        do {
            let state: CalibrationState
            if isQuestion {
                state = try await session.ask(
                    CalibrationSample(streamId: stream, undo: arguments.has("--undo")))
            } else if let source {
                let isWhole =
                    source.isLive
                    ? try await session.guide(source, letters: letters, samples: samples)
                    : try await session.teach(
                        try HandSequence(path: path ?? ""), letters: letters, samples: samples)
                guard isWhole else {
                    await client.leave()
                    return .interrupted
                }
                state = try await session.ask(
                    CalibrationSample(streamId: stream, apply: true), timeout: .seconds(60))
            } else {
                state = CalibrationState()
            }
            session.sumUp(state)
            await client.leave()
            return .ok
        } catch {
            await client.leave()
            throw error
        }
    }
}
