import SenseClientKit
import SenseProtocol

/// `mark`: a person says whether an alert was right.
enum MarkCommand: Subcommand {
    static let spec = CommandSpec(
        name: "mark", summary: "say whether an alert was right or wrong",
        positionals: ["ALERT_ID", "right|wrong"],
        options: [OptionSpec("--was", "LABEL", "what it was instead, at most 64 bytes; with wrong only")],
        notes: """
            The newest word counts, whoever says it; `history` shows how often each label was wrong in each room.
            It does not acknowledge the alert. A smoke or CO alarm may be marked too; nothing is ever learned from that.
            """)

    static func run(_ context: CommandContext) async throws -> ExitCode {
        let arguments = context.arguments
        let id = arguments.positionals[0]
        let word = arguments.positionals[1]
        guard ["right", "wrong"].contains(word) else {
            throw UsageError(message: "mark takes right or wrong, not \(word)")
        }
        let isRight = word == "right"
        let label = arguments.text("--was") ?? ""
        guard !isRight || label.isEmpty else {
            throw UsageError(message: "--was says what a wrong alert was; a right one was what it said")
        }
        let client = try await Connector(context).connect().client
        let feedback = AlertFeedback(alertId: id, correct: isRight, trueLabel: label)
        _ = try await client.request(.alertFeedback(feedback)) { body in
            if case .alertFeedback(let stored) = body { stored.alertId == id } else { false }
        }
        await client.leave()
        context.console.tell(
            "marked", ["alert_id": .text(id), "verdict": .text(word), "true_label": .text(label)],
            "\(word)\(label.isEmpty ? "" : ", it was \(label.printable)"): \(id.printable)")
        return .ok
    }
}
