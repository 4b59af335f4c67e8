import SenseClientKit

/// `forget`: removes a server's certificate and token from this machine.
enum ForgetCommand: Subcommand {
    static let spec = CommandSpec(
        name: "forget", summary: "forget a server, its certificate and this device's token")

    static func run(_ context: CommandContext) async throws -> ExitCode {
        var connector = try Connector(context)
        try connector.forget()
        let host = connector.address.hostAndPort
        context.console.tell(
            "forgotten", ["server": .text(host)],
            "forgot \(host); the server still lists this device: revoke it there with sense-client devices --revoke"
        )
        return .ok
    }
}
