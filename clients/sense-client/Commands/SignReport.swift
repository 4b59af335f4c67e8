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
        var display = SignDisplay()
        var commits = 0
        var latencies = Percentiles()
        var finals: [WordSuggestions] = []
        while !Task.isCancelled {
            guard let received = try await client.next(within: .milliseconds(200)) else { continue }
            switch received.event {
            case .message(.letterUpdate(let update)) where update.streamId == stream:
                let latency = log.answered(update.lastFrameIndex + 1, atUs: received.atUs)
                if let latency { latencies.add(latency) }
                display.letter = update
                if update.state == .committed {
                    display.text = update.text
                    if !update.letter.isEmpty, update.letter != " " { commits += 1 }
                }
                tell(update, latency, display)
            case .message(.wordSuggestions(let words)) where words.streamId == stream:
                display.words = words
                if words.final { finals.append(words) }
                tell(words, display)
            case .message(.streamWarning(let warning)) where warning.streamId == stream: tell(warning)
            case .message(.finished(let finished)) where finished.streamId == stream:
                return sumUp(display.text, finals, commits, latencies, finished)
            case .problem(let error): throw ClientError.refused(error)
            default: break
            }
        }
        throw Failure(code: .serverError, message: "the server did not finish the stream in time")
    }

    private func tell(_ update: LetterUpdate, _ latency: Double?, _ display: SignDisplay) {
        let console = context.console
        let isWanted = update.state == .committed || context.arguments.has("--partials") || console.isJSON
        guard isWanted else { return show(display) }
        console.tell(
            "letter",
            [
                "state": .text(update.state.word), "letter": .text(update.letter),
                "confidence": .number(Double(update.confidence)),
                "alternatives": .list(
                    update.alternatives.map {
                        .object([
                            .init(key: "letter", value: .text($0.letter)),
                            .init(key: "probability", value: .number(Double($0.probability))),
                        ])
                    }), "hold_progress": .number(Double(update.holdProgress)), "text": .text(update.text),
                "first_frame": .unsigned(update.firstFrameIndex), "frame": .unsigned(update.lastFrameIndex),
                "mono_us": .unsigned(update.monoUs), "latency_ms": latency.map { .number($0) } ?? .null,
            ], line(update))
        show(display)
    }

    /// A line for a person; none for a space, which the text shows.
    private func line(_ update: LetterUpdate) -> String? {
        let style = context.console.style
        guard update.state == .committed else {
            return "   \(update.state.word) \(update.letter.printable) \(Double(update.confidence).fixed(2))"
        }
        guard !update.letter.isEmpty, update.letter != " " else { return nil }
        let rivals = update.alternatives.map {
            "\($0.letter.printable) \(SignDisplay.percent($0.probability))"
        }
        return "\(style.green(update.letter.printable.padded(2))) \(style.bar(update.confidence)) "
            + SignDisplay.percent(update.confidence).paddedLeft(5)
            + "  → \(style.bold(update.text.printable))"
            + (rivals.isEmpty ? "" : style.dim("   or \(rivals.joined(separator: ", "))"))
    }

    private func tell(_ words: WordSuggestions, _ display: SignDisplay) {
        let console = context.console
        guard words.final || context.arguments.has("--partials") || console.isJSON else {
            return show(display)
        }
        console.tell(
            "words", ["final": .flag(words.final), "letters": .text(words.letters), "words": words.json],
            "   \(words.final ? "word" : "may become"): \(words.line(console.style))")
        show(display)
    }

    private func show(_ display: SignDisplay) {
        context.console.live(display.lines(context.console.style, columns: StandardStreams.columns))
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
        _ text: String, _ finals: [WordSuggestions], _ commits: Int, _ latencies: Percentiles,
        _ finished: Finished
    ) -> ExitCode {
        let expected = context.arguments.text("--expect-text")
        let isMet = expected.map { Self.letters($0) == Self.letters(text) } ?? true
        context.console.tell(
            "summary",
            [
                "text": .text(text),
                "words": .list(finals.map { .text($0.words.first?.word ?? $0.letters) }),
                "letters": .count(commits), "frames": .unsigned(finished.items),
                "lost_frames": .unsigned(finished.lostItems), "frame_to_letter": latencies.json,
                "expectation_met": .flag(isMet),
            ],
            """
            text: \(context.console.style.bold(text.printable)) (\(commits) letters, \(finished.items) frames, \
            \(finished.lostItems) lost)
            \(finals.isEmpty ? "" : "likeliest words: \(Self.words(finals))\n")\
            frame in → letter out: \(latencies.line)
            """)
        guard isMet else {
            context.console.clearProgress()
            StandardStreams.complain("expected the text \(expected ?? ""), got \(text.printable)\n")
            return .expectationMissed
        }
        return .ok
    }

    private static func words(_ finals: [WordSuggestions]) -> String {
        finals.map { ($0.words.first?.word ?? $0.letters).printable }.joined(separator: " ")
    }

    private static func letters(_ text: String) -> String { text.uppercased().filter { !$0.isWhitespace } }
}

extension WordSuggestions {
    /// For scripts.
    var json: JSONValue {
        .list(
            words.map {
                .object([
                    .init(key: "word", value: .text($0.word)),
                    .init(key: "probability", value: .number(Double($0.probability))),
                    .init(key: "literal", value: .flag($0.literal)),
                    .init(key: "personal", value: .flag($0.personal)),
                ])
            })
    }

    /// For a person.
    func line(_ style: TerminalStyle) -> String {
        words.enumerated().map { place, word in
            let text = "\(word.word.printable) \(SignDisplay.percent(word.probability))"
            return place == 0 ? style.bold(text) : word.literal ? style.dim(text) : text
        }.joined(separator: "  ")
    }
}
