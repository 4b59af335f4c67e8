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

    /// How long alerts may come after Finished: they are stored first.
    private static let afterFinished = Duration.seconds(3)

    private struct Tally {
        var heard: [String: Double] = [:]
        var latencies = Percentiles()
        var windows = 0
        var gaps = 0
        var health = ""
        var finished: Finished?
        var finishedAt: ContinuousClock.Instant?
    }

    /// Takes events until the stream is finished and everything expected has come.
    func receive() async throws -> ExitCode {
        let expected = context.arguments.texts("--expect")
        var tally = Tally()
        while !Task.isCancelled {
            if let finishedAt = tally.finishedAt {
                let waited = finishedAt.duration(to: .now)
                let isComplete = expected.allSatisfy { tally.heard[$0] != nil }
                if waited > Self.afterFinished || (isComplete && waited > .milliseconds(500)) { break }
            }
            guard let received = try await client.next(within: .milliseconds(200)) else { continue }
            try await take(received, &tally)
        }
        guard let finished = tally.finished else {
            throw Failure(code: .serverError, message: "the server did not finish the stream in time")
        }
        return await sumUp(tally, finished, expected)
    }

    private func take(_ received: SenseClient.Received, _ tally: inout Tally) async throws {
        let console = context.console
        switch received.event {
        case .alert(let alert): try await take(alert, received.atUs, &tally)
        case .message(.soundScores(let scores)) where scores.streamId == stream:
            take(scores, received.atUs, &tally)
        case .message(.streamHealth(let health)) where health.streamId == stream: take(health, &tally)
        case .message(.gap(let gap)):
            tally.gaps += 1
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
        case .message(.finished(let finished)) where finished.streamId == stream:
            tally.finished = finished
            tally.finishedAt = .now
        case .problem(let error): throw ClientError.refused(error)
        default: break
        }
    }

    private func take(_ alert: Alert, _ atUs: UInt64, _ tally: inout Tally) async throws {
        guard alert.deviceId == deviceID, !alert.replayed else { return }
        // Seconds of sound between the first sample of it and the newest that had been sent when the alert came.
        let behind = log.sentEnd > alert.onsetSampleIndex ? log.sentEnd - alert.onsetSampleIndex : 0
        let heardAfter = Double(behind) / Double(rateHz)
        let isFirst = tally.heard[alert.label] == nil
        if isFirst, alert.state == .confirmed || alert.state == .updated {
            tally.heard[alert.label] = heardAfter
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

    private func take(_ scores: SoundScores, _ atUs: UInt64, _ tally: inout Tally) {
        let latency = log.answered(scores.windowEndSample, atUs: atUs)
        if let latency { tally.latencies.add(latency) }
        tally.windows += 1
        let best = scores.scores.max { $0.score < $1.score }
        let end = Double(scores.windowEndSample) / Double(rateHz)
        guard context.arguments.has("--scores") else {
            context.console.progress(
                "  \(end.fixed(1).paddedLeft(6)) s  something \(context.console.style.bar(scores.presence)) "
                    + "\((best?.label ?? "").printable.padded(16)) \(context.console.style.bar(best?.score ?? 0))"
            )
            return
        }
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

    private func take(_ health: StreamHealth, _ tally: inout Tally) {
        let state = health.state.word
        // People hear of changes, scripts of every report.
        guard context.console.isJSON || state != tally.health else { return }
        let isFirstGood = tally.health.isEmpty && health.state.isHealthy
        tally.health = state
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

    private func sumUp(_ tally: Tally, _ finished: Finished, _ expected: [String]) async -> ExitCode {
        let missing = expected.filter { tally.heard[$0] == nil }
        let heard = tally.heard.keys.sorted()
        let seconds = Double(finished.items) / Double(rateHz)
        context.console.tell(
            "summary",
            [
                "seconds": .number(seconds), "samples": .unsigned(finished.items),
                "lost_samples": .unsigned(finished.lostItems),
                "finals": .unsigned(finished.finals), "windows": .count(tally.windows),
                "gaps": .count(tally.gaps),
                "labels": .list(heard.map { .text($0) }),
                "heard_after_s": .object(heard.map { .init(key: $0, value: .number(tally.heard[$0] ?? 0)) }),
                "window_to_scores": tally.latencies.json, "missing": .list(missing.map { .text($0) }),
            ],
            """
            heard \(seconds.fixed(1)) s, \(finished.lostItems) samples lost: \
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
