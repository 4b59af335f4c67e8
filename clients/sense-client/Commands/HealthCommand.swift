import SenseClientKit
import SenseProtocol

/// `health`: how the server is, and for a paired device what it hears.
enum HealthCommand: Subcommand {
    static let spec = CommandSpec(
        name: "health", summary: "how the server is; with a token also rooms, streams and metrics",
        options: [OptionSpec("--metrics", nil, "print the metrics page too")])

    static func run(_ context: CommandContext) async throws -> ExitCode {
        var connector = try Connector(context)
        let answer = try await connector.get("/health")
        let body = answer.body.filter { !$0.isNewline }
        context.console.tell(
            "health",
            [
                "status": .count(answer.status), "body": .text(body),
                "fingerprint": .text(answer.fingerprint ?? ""),
            ],
            "\(connector.address.hostAndPort): HTTP \(answer.status) \(body.printable)")
        let isWell = answer.status == 200
        guard context.arguments.has("--token") || connector.known.token != nil else {
            return isWell ? .ok : .serverError
        }
        let client = try await connector.connect().client
        let seen = try await client.request(.subscribe(Subscribe(devices: true, streams: true))) { body in
            if case .snapshot = body { true } else { false }
        }
        if case .snapshot(let snapshot) = seen { show(snapshot, context.console) }
        if context.arguments.has("--metrics") || context.console.isJSON {
            let page = try await client.request(.metricsRequest(MetricsRequest())) { body in
                if case .metrics = body { true } else { false }
            }
            if case .metrics(let metrics) = page {
                context.console.tell(
                    "metrics", ["prometheus_text": .text(metrics.prometheusText)], metrics.prometheusText)
            }
        }
        await client.leave()
        return isWell ? .ok : .serverError
    }

    private static func show(_ snapshot: Snapshot, _ console: Console) {
        for room in snapshot.rooms {
            let word = room.state.word.uppercased()
            let shown = room.state.isProtected ? console.style.green(word) : console.style.red(word)
            console.tell(
                "room",
                ["room": .text(room.room), "state": .text(room.state.word), "reason": .text(room.reason)],
                "room \(room.room.isEmpty ? "(unnamed)" : room.room.printable): \(shown) \(room.reason.printable)"
            )
        }
        for stream in snapshot.streams {
            console.tell(
                "stream",
                [
                    "stream_id": .count(stream.streamId), "state": .text(stream.state.word),
                    "level_dbfs": .number(Double(stream.levelDbfs)), "gaps": .unsigned(stream.gapCount),
                    "last_inference_age_ms": .count(stream.lastInferenceAgeMs),
                ],
                "stream \(stream.streamId): \(stream.state.word), \(Double(stream.levelDbfs).fixed(0)) dBFS")
        }
        console.tell(
            "open_alerts",
            ["count": .count(snapshot.openAlerts.count), "devices_online": .count(snapshot.devices.count)],
            "\(snapshot.openAlerts.count) open alerts, \(snapshot.devices.count) devices connected")
    }
}
