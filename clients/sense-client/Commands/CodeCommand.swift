import SenseClientKit
import SenseProtocol

/// `code`: a pairing code for one more device.
enum CodeCommand: Subcommand {
    static let spec = CommandSpec(
        name: "code", summary: "get a pairing code for one more device",
        options: [
            OptionSpec(
                "--role", "ROLE", "subject, caregiver or admin (default subject: the person's own device)"),
            OptionSpec("--valid", "SECONDS", "30…86400 (default 600)"),
        ])

    static func run(_ context: CommandContext) async throws -> ExitCode {
        let role: Role =
            try context.arguments.choice(
                "--role", ["subject": .subject, "caregiver": .caregiver, "admin": .admin])
            ?? .subject
        let valid = try context.arguments.number("--valid", in: 30...86_400) ?? 0
        let client = try await Connector(context).connect().client
        let code = try await client.pairingCode(role: role, validSeconds: UInt32(valid))
        await client.leave()
        context.console.tell(
            "code",
            [
                "code": .text(code.code), "expires_unix_us": .unsigned(code.expiresUnixUs),
                "role": .text(role.word),
            ],
            "\(context.console.style.bold(code.code.printable))  (one \(role.word) device, until "
                + "\(CivilTime.text(unixUs: code.expiresUnixUs)))")
        return .ok
    }
}

extension SenseClient {
    /// Asks for a code with which one more device can be paired.
    func pairingCode(role: Role, validSeconds: UInt32 = 0) async throws(ClientError) -> PairingCode {
        let answer = try await request(
            .pairingCodeRequest(PairingCodeRequest(role: role, validSeconds: validSeconds))
        ) { body in
            if case .pairingCode = body { true } else { false }
        }
        guard case .pairingCode(let code) = answer else { throw .timedOut(waitingFor: "pairing_code") }
        return code
    }
}
