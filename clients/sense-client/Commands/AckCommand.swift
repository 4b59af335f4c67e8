import SenseClientKit
import SenseProtocol

/// `ack`: a person answers an alert.
enum AckCommand: Subcommand {
    static let spec = CommandSpec(
        name: "ack", summary: "acknowledge an alert", positionals: ["ALERT_ID"],
        options: [
            OptionSpec("--resolve", nil, "it is over and done with"),
            OptionSpec("--note", "TEXT", "kept with the receipt, at most 256 bytes"),
        ])

    static func run(_ context: CommandContext) async throws -> ExitCode {
        let id = context.arguments.positionals[0]
        let kind: ReceiptKind = context.arguments.has("--resolve") ? .resolved : .ackedByHuman
        let receipt = AlertReceipt(alertId: id, kind: kind, note: context.arguments.text("--note") ?? "")
        let client = try await Connector(context).connect().client
        _ = try await client.request(.alertReceipt(receipt)) { body in
            if case .receiptStored(let stored) = body {
                stored.alertId == id && stored.kind == kind
            } else {
                false
            }
        }
        await client.leave()
        context.console.tell(
            "stored", ["alert_id": .text(id), "kind": .text(kind.word)], "\(kind.word): \(id.printable)")
        return .ok
    }
}
