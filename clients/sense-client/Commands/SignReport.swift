import SenseClientKit
import SenseProtocol

/// The receiving half of `sign`.
struct SignReport: Sendable {
    let context: CommandContext
    let client: SenseClient
    let stream: UInt32
    let log: SendLog

    /// Takes events until the stream is finished.
    func receive() async throws -> ExitCode {
        var text = ""
        var commits = 0
        var latencies = Percentiles()
        while !Task.isCancelled {
            guard let received = try await client.next(within: .milliseconds(200)) else { continue }
            switch received.event {
            case .message(.letterUpdate(let update)) where update.streamId == stream:
                let latency = log.answered(update.lastFrameIndex + 1, atUs: received.atUs)
                if let latency { latencies.add(latency) }
                if update.state == .committed {
                    text = update.text
                    if !update.letter.isEmpty { commits += 1 }
                }
                tell(update, latency)
            case .message(.streamWarning(let warning)) where warning.streamId == stream: tell(warning)
            case .message(.finished(let finished)) where finished.streamId == stream:
                return sumUp(text, commits, latencies, finished)
            case .problem(let error): throw ClientError.refused(error)
            default: break
            }
        }
        throw Failure(code: .serverError, message: "the server did not finish the stream in time")
    }

    private func tell(_ update: LetterUpdate, _ latency: Double?) {
        let console = context.console
        guard update.state == .committed || context.arguments.has("--partials") else {
            let shown = update.state == .partial ? update.letter : update.state == .noHand ? "-" : "?"
            console.progress(
                "  \(shown.printable)  \(console.style.bar(update.confidence))  held "
                    + console.style.bar(update.holdProgress))
            return
        }
        console.tell(
            "letter",
            [
                "state": .text(update.state.word), "letter": .text(update.letter),
                "confidence": .number(Double(update.confidence)), "text": .text(update.text),
                "frame": .unsigned(update.lastFrameIndex), "latency_ms": latency.map { .number($0) } ?? .null,
            ],
            update.state == .committed
                ? "\(console.style.green(update.letter.printable.padded(2))) "
                    + "\((Double(update.confidence) * 100).fixed(0)) %  → \(console.style.bold(update.text.printable))"
                : "   \(update.state.word) \(update.letter.printable) \(Double(update.confidence).fixed(2))")
    }

    private func tell(_ warning: StreamWarning) {
        context.console.tell(
            "warning",
            [
                "kind": .text(warning.kind.word), "field": .text(warning.field),
                "message": .text(warning.message),
                "fix": .text(warning.suggestedFix),
            ],
            context.console.style.yellow(
                "warning [\(warning.field.printable)]: \(warning.message.printable); \(warning.suggestedFix.printable)"
            ))
    }

    private func sumUp(
        _ text: String, _ commits: Int, _ latencies: Percentiles, _ finished: Finished
    ) -> ExitCode {
        let expected = context.arguments.text("--expect-text")
        let isMet = expected.map { Self.letters($0) == Self.letters(text) } ?? true
        context.console.tell(
            "summary",
            [
                "text": .text(text), "letters": .count(commits), "frames": .unsigned(finished.items),
                "lost_frames": .unsigned(finished.lostItems), "frame_to_letter": latencies.json,
                "expectation_met": .flag(isMet),
            ],
            """
            text: \(context.console.style.bold(text.printable)) (\(commits) letters, \(finished.items) frames, \
            \(finished.lostItems) lost)
            frame in → letter out: \(latencies.line)
            """)
        guard isMet else {
            context.console.clearProgress()
            StandardStreams.complain("expected the text \(expected ?? ""), got \(text.printable)\n")
            return .expectationMissed
        }
        return .ok
    }

    private static func letters(_ text: String) -> String { text.uppercased().filter { !$0.isWhitespace } }
}
