import AudioFile
import Glibc
import SenseClientKit
import SenseProtocol

/// The program: chooses the command, runs it, and turns what went wrong into a sentence and an exit code.
enum Program {
    static var commands: [any Subcommand.Type] {
        [
            PairCommand.self, ListenCommand.self, SignCommand.self, CalibrateCommand.self, SoundsCommand.self,
            PlayCommand.self, WatchCommand.self,
            AckCommand.self, MarkCommand.self, DrillCommand.self, HistoryCommand.self, SettingsCommand.self,
            HealthCommand.self, DevicesCommand.self, CodeCommand.self,
            ForgetCommand.self, EvalCommand.self, BenchCommand.self, ToneCommand.self,
        ]
    }

    static let help: String = {
        let list = commands.filter { !$0.spec.isHidden }.map {
            "  \($0.spec.name.padded(10))\($0.spec.summary)"
        }
        return """
            usage: sense-client COMMAND [options]

            \(list.joined(separator: "\n"))

            sense-client COMMAND --help tells more. Begin with: sense-client pair --server HOST:PORT --code CODE

            exit codes: 0 done · 1 the server said no or the connection broke · 2 command line · 3 nobody answers
              4 not paired · 5 certificate unknown or changed · 6 file unreadable
              7 an --expect was not met, or a drill failed · 130 Ctrl-C
            """
    }()

    static func run(_ words: [String], interrupt: Interrupt) async -> ExitCode {
        guard let name = words.first, !["--help", "-h", "help"].contains(name) else {
            StandardStreams.write(help + "\n")
            return words.isEmpty ? .usage : .ok
        }
        if name == "--version" {
            StandardStreams.write(CommandContext.version + "\n")
            return .ok
        }
        guard let command = commands.first(where: { $0.spec.name == name }) else {
            StandardStreams.complain("sense-client: there is no command \(name.printable)\n\n\(help)\n")
            return .usage
        }
        let arguments: Arguments
        do throws(UsageError) {
            arguments = try Arguments(Array(words.dropFirst()), spec: command.spec)
        } catch {
            return complain(command, error.message, "See sense-client \(name) --help.", .usage)
        }
        guard !arguments.has("--help") else {
            StandardStreams.write(command.spec.help + "\n")
            return .ok
        }
        let allowsColor = !arguments.has("--no-color") && LocalFile.environment("NO_COLOR") == nil
        let console = Console(isJSON: arguments.has("--json"), allowsColor: allowsColor)
        do {
            let loop = try ClientLoop()
            interrupt.listen(on: loop) { ExitCode.interrupted.endProcess() }
            let context = CommandContext(
                arguments: arguments, console: console, interrupt: interrupt, loop: loop)
            let code = try await command.run(context)
            console.clearProgress()
            return code
        } catch {
            console.clearProgress()
            let failure = failure(for: error)
            if console.isJSON {
                console.tell(
                    "failed",
                    [
                        "exit_code": .count(failure.code.rawValue), "message": .text(failure.message),
                        "advice": .text(failure.advice),
                    ], nil)
            }
            return complain(command, failure.message, failure.advice, failure.code)
        }
    }

    private static func complain(
        _ command: any Subcommand.Type, _ message: String, _ advice: String, _ code: ExitCode
    ) -> ExitCode {
        StandardStreams.complain(
            "sense-client \(command.spec.name): \(message.printable)\n"
                + (advice.isEmpty ? "" : advice + "\n"))
        return code
    }

    /// Whatever was thrown, with its exit code.
    static func failure(for error: any Error) -> Failure {
        switch error {
        case let failure as Failure: failure
        case let usage as UsageError: Failure(code: .usage, message: usage.message)
        case let file as LocalFileError: Failure(code: .unreadable, message: file.description)
        case let audio as AudioFileError: Failure(code: .unreadable, message: audio.description)
        case let client as ClientError: failure(for: client)
        default: Failure(code: .serverError, message: "\(error)")
        }
    }

    private static func failure(for error: ClientError) -> Failure {
        switch error {
        case .badAddress: Failure(code: .usage, message: error.description)
        case .cannotResolve, .cannotConnect, .timedOut, .insecure, .notSense:
            Failure(code: .cannotConnect, message: error.description)
        case .certificateUnknown(let got):
            Failure(
                code: .certificate, message: error.description,
                advice: """
                    Compare it with the fingerprint that the server printed at its start. If they are equal, run again \
                    with --accept-fingerprint \(got)
                    """)
        case .certificateChanged(_, let got):
            Failure(
                code: .certificate,
                message: "REFUSED: " + error.description + ". Somebody may be listening in between.",
                advice: """
                    If you made the server's certificate anew, compare the fingerprint that it prints at its start; if \
                    it is the same, run once with --accept-fingerprint \(got)
                    Otherwise do not connect from this network.
                    """)
        case .refused(let message) where message.code == .unauthenticated || message.code == .forbidden:
            Failure(
                code: .notPaired, message: error.description,
                advice: """
                    Pair this device: sense-client pair --server HOST:PORT --code CODE. The server prints a code at its \
                    start; a paired device gets one with sense-client code.
                    """)
        default: Failure(code: .serverError, message: error.description)
        }
    }
}
