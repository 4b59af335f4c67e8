import SenseClientKit

/// A command of the program.
protocol Subcommand {
    /// What it takes.
    static var spec: CommandSpec { get }
    /// Does it.
    static func run(_ context: CommandContext) async throws -> ExitCode
}

/// What every command works with.
struct CommandContext: Sendable {
    let arguments: Arguments
    let console: Console
    let interrupt: Interrupt
    let loop: ClientLoop

    /// Version sent to the server.
    static let version = "sense-client 0.1.0"
}
