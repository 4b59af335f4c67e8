import SenseClientKit
import SenseProtocol

/// `pair`: turns a code into a token, and pins the certificate.
enum PairCommand: Subcommand {
    static let spec = CommandSpec(
        name: "pair", summary: "pair this device with a server, once",
        options: [
            OptionSpec("--code", "CODE", "printed by the server at its start, or by sense-client code"),
            OptionSpec("--name", "NAME", "what people shall call this device (default: terminal)"),
            OptionSpec("--room", "ROOM", "where it stands"),
        ])

    static func run(_ context: CommandContext) async throws -> ExitCode {
        guard let code = context.arguments.text("--code") else {
            throw UsageError(message: "pair needs --code CODE")
        }
        var connector = try Connector(context)
        let name = context.arguments.text("--name") ?? "terminal"
        let room = context.arguments.text("--room") ?? ""
        let connected = try await connector.connect(
            ClientGreeting(
                credential: .pairingCode(code), deviceName: name, appVersion: CommandContext.version,
                room: room,
                watchesAlerts: false))
        let welcome = connected.welcome
        guard !welcome.issuedToken.isEmpty else {
            throw Failure(code: .serverError, message: "the server took the code but gave no token")
        }
        try connector.remember { server in
            server.token = welcome.issuedToken
            server.device_id = welcome.deviceId
            server.device_name = name
            server.room = room
        }
        try connector.makeDefault()
        await connected.client.leave()
        context.console.tell(
            "paired",
            [
                "server": .text(connector.address.hostAndPort), "device_id": .text(welcome.deviceId),
                "profile_id": .text(welcome.profileId), "name": .text(name), "room": .text(room),
                "server_version": .text(welcome.serverVersion),
                "models": .list(welcome.models.map { .text($0.name) }),
                "unavailable": .list(welcome.unavailable.map { .text($0.feature) }),
            ],
            """
            paired with \(connector.address.hostAndPort) (version \(welcome.serverVersion.printable)) as \
            \(name.printable), device \(welcome.deviceId.printable); the token is kept in \(connector.store.path)
            \(models(welcome))
            """)
        return .ok
    }

    private static func models(_ welcome: Welcome) -> String {
        let names = welcome.models.map { "\($0.name.printable) \($0.version.printable)" }.joined(
            separator: ", ")
        let missing = welcome.unavailable.map {
            "  not available: \($0.feature.printable) (\($0.reason.printable)); instead: \($0.fallback.printable)"
        }
        return (["models: \(names.isEmpty ? "none" : names)"] + missing).joined(separator: "\n")
    }
}
