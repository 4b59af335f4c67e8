import SenseClientKit
import SenseProtocol

/// The receiving half of `listen`: tells what comes, and sums up.
struct ListenReport: Sendable {
    let context: CommandContext
    let client: SenseClient
    let deviceID: String
    let stream: UInt32
    let rateHz: UInt32
    let log: SendLog
    let display: SoundDisplay
    let tally: ListenTally

    /// How long alerts may come after Finished: they are stored first.
    private static let afterFinished = Duration.seconds(3)

    /// Takes events until the stream is finished and everything expected has come.
    func receive() async throws -> ExitCode {
        let expected = context.arguments.texts("--expect")
        var finished: Finished?
        var finishedAt: ContinuousClock.Instant?
        while !Task.isCancelled {
            if let finishedAt {
                let waited = finishedAt.duration(to: .now)
                let isComplete = tally.hasHeard(expected)
                if waited > Self.afterFinished || (isComplete && waited > .milliseconds(500)) { break }
            }
            guard let received = try await client.next(within: .milliseconds(200)) else { continue }
            if case .message(.finished(let end)) = received.event, end.streamId == stream {
                finished = end
                finishedAt = .now
                tally.update {
                    $0.samples += end.items; $0.lostSamples += end.lostItems; $0.finals += end.finals
                }
            } else {
                try await take(received)
            }
        }
        guard finished != nil else {
            throw Failure(code: .serverError, message: "the server did not finish the stream in time")
        }
        return sumUp(expected)
    }

    private func take(_ received: SenseClient.Received) async throws {
        let console = context.console
        switch received.event {
        case .alert(let alert): try await take(alert)
        case .message(.soundScores(let scores)) where scores.streamId == stream:
            take(scores, received.atUs)
        case .message(.streamHealth(let health)) where health.streamId == stream: take(health)
        case .message(.gap(let gap)):
            tally.update { $0.gaps += 1 }
            console.tell(
                "gap", ["from": .unsigned(gap.from), "to": .unsigned(gap.to), "reason": .text(gap.reason)],
                console.style.yellow("gap: items \(gap.from)…\(gap.to) (\(gap.reason.printable))"))
        case .message(.streamWarning(let warning)):
            console.tell(
                "warning",
                [
                    "kind": .text(warning.kind.word), "field": .text(warning.field),
                    "message": .text(warning.message),
                    "fix": .text(warning.suggestedFix),
                ],
                console.style.yellow(
                    "warning [\(warning.field.printable)]: \(warning.message.printable); \(warning.suggestedFix.printable)"
                ))
        case .problem(let error): throw ClientError.refused(error)
        default: break
        }
    }

    private func take(_ alert: Alert) async throws {
        guard alert.deviceId == deviceID, !alert.replayed else { return }
        // Seconds of sound between the first sample of it and the newest that had been sent when the alert came.
        let behind = log.sentEnd > alert.onsetSampleIndex ? log.sentEnd - alert.onsetSampleIndex : 0
        let heardAfter = Double(behind) / Double(rateHz)
        let isFirst = !tally.hasHeard([alert.label])
        if isFirst, alert.state == .confirmed || alert.state == .updated {
            tally.update { $0.heard[alert.label] = heardAfter }
        }
        let suffix = isFirst && alert.state == .confirmed ? ", \(heardAfter.fixed(1)) s after it began" : ""
        context.console.tell(
            "alert",
            alert.json([
                ("onset_s", .number(Double(alert.onsetSampleIndex) / Double(rateHz))),
                ("heard_after_s", .number(heardAfter)),
            ]), alert.line(context.console.style, suffix: suffix))
        try await client.sendReceipt(alert.alertId, .presented)
    }

    private func take(_ scores: SoundScores, _ atUs: UInt64) {
        let latency = log.answered(scores.windowEndSample, atUs: atUs)
        tally.update { state in
            if let latency { state.latencies.add(latency) }
            state.windows += 1
        }
        display.took(scores)
        let best = scores.scores.max { $0.score < $1.score }
        let end = Double(scores.windowEndSample) / Double(rateHz)
        guard context.arguments.has("--scores") || context.console.isJSON else { return }
        context.console.tell(
            "scores",
            [
                "end_s": .number(end), "presence": .number(Double(scores.presence)),
                "latency_ms": latency.map { .number($0) } ?? .null,
                "scores": .object(
                    scores.scores.map { .init(key: $0.label, value: .number(Double($0.score))) }),
            ],
            """
            \(end.fixed(1).paddedLeft(6)) s  presence \(Double(scores.presence).fixed(2))  \
            \((best?.label ?? "").printable) \(Double(best?.score ?? 0).fixed(2))
            """)
    }

    private func take(_ health: StreamHealth) {
        let state = health.state.word
        // People hear of changes, scripts of every report.
        display.took(health)
        let before = tally.read { $0.health }
        guard context.console.isJSON || state != before else { return }
        let isFirstGood = before.isEmpty && health.state.isHealthy
        tally.update { $0.health = state }
        let style = context.console.style
        let text = "health: \(state)\(health.detail.isEmpty ? "" : " – \(health.detail.printable)")"
        context.console.tell(
            "health",
            [
                "state": .text(state), "level_dbfs": .number(Double(health.levelDbfs)),
                "peak_dbfs": .number(Double(health.peakDbfs)), "gaps": .unsigned(health.gapCount),
                "missing_items": .unsigned(health.missingItems),
                "estimated_rate_hz": .number(Double(health.estimatedRateHz)),
                "last_inference_age_ms": .count(health.lastInferenceAgeMs), "detail": .text(health.detail),
            ],
            isFirstGood ? nil : health.state.isHealthy ? style.green(text) : style.yellow(text))
    }

    private func sumUp(_ expected: [String]) -> ExitCode {
        let tally = tally.read { $0 }
        let missing = expected.filter { tally.heard[$0] == nil }
        let heard = tally.heard.keys.sorted()
        let seconds = Double(tally.samples) / Double(rateHz)
        context.console.tell(
            "summary",
            [
                "seconds": .number(seconds), "samples": .unsigned(tally.samples),
                "lost_samples": .unsigned(tally.lostSamples),
                "finals": .unsigned(tally.finals), "windows": .count(tally.windows),
                "gaps": .count(tally.gaps),
                "labels": .list(heard.map { .text($0) }),
                "heard_after_s": .object(heard.map { .init(key: $0, value: .number(tally.heard[$0] ?? 0)) }),
                "window_to_scores": tally.latencies.json, "missing": .list(missing.map { .text($0) }),
            ],
            """
            heard \(seconds.fixed(1)) s, \(tally.lostSamples) samples lost: \
            \(heard.isEmpty ? "nothing to alert about" : heard.joined(separator: ", ").printable)
            step complete → scores: \(tally.latencies.line)
            """)
        guard missing.isEmpty else {
            context.console.clearProgress()
            StandardStreams.complain("expected but not heard: \(missing.joined(separator: ", "))\n")
            return .expectationMissed
        }
        return .ok
    }
}
