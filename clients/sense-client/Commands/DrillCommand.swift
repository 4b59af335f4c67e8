import SenseClientKit
import SenseProtocol

/// `drill`: guides the monthly test of a room's smoke or CO alarm.
enum DrillCommand: Subcommand {
    static let spec = CommandSpec(
        name: "drill", summary: "test the smoke or CO alarm of a room, from its sound to the alert",
        options: [
            OptionSpec(
                "--room", "ROOM", "the room whose alarm is tested; a microphone must be open there"),
            OptionSpec("--list", nil, "list past drills instead, and rooms whose drill is overdue"),
        ],
        notes: """
            Press the test button of the alarm when asked. Alerts go on as always: an alarm during a drill may be a real one.
            Exit code 0: passed. 7: failed. 130: cancelled with Ctrl-C.
            """)

    static func run(_ context: CommandContext) async throws -> ExitCode {
        if context.arguments.has("--list") { return try await list(context) }
        guard let room = context.arguments.text("--room") else {
            throw UsageError(message: "drill needs --room ROOM, or --list")
        }
        let client = try await Connector(context).connect(watchesAlerts: true).client
        let answer = try await client.request(.drill(Drill(room: room, phase: .started))) { body in
            if case .drill(let drill) = body {
                drill.room == room && drill.phase == .started
            } else {
                false
            }
        }
        guard case .drill(let started) = answer else { return .serverError }
        var guide = DrillGuide(context: context, room: room, started: started)
        guide.begin()
        do {
            let code = try await guide.follow(client)
            await client.leave()
            return code
        } catch let error as ClientError {
            throw Failure(
                code: .serverError, message: error.description,
                advice: "The drill goes on without this terminal. See sense-client drill --list.")
        }
    }

    private static func list(_ context: CommandContext) async throws -> ExitCode {
        let client = try await Connector(context).connect().client
        let query = HistoryQuery(queryId: 1, pageSize: 100, kind: .drill)
        let answer = try await client.request(.historyQuery(query)) { body in
            if case .historyPage(let page) = body { page.queryId == 1 } else { false }
        }
        await client.leave()
        guard case .historyPage(let page) = answer else { return .serverError }
        let alerts = page.entries.compactMap(\.alert)
        for alert in alerts {
            context.console.tell(
                "drill", alert.json(),
                "\(CivilTime.text(unixUs: alert.startedUnixUs))  \(alert.line(context.console.style))")
        }
        context.console.tell(
            "summary", ["drills": .count(alerts.count)], alerts.isEmpty ? "no drill yet" : nil)
        return .ok
    }
}

/// What a person sees of one drill, from its start to its result.
struct DrillGuide {
    let context: CommandContext
    let room: String
    let started: Drill
    /// What was shown of each alert last.
    private var shown: [String: AlertState] = [:]
    /// When the server gives up, on this machine's clock.
    private let end: ContinuousClock.Instant

    /// The server's word may take a moment after the end.
    static let grace: Duration = .seconds(20)

    init(context: CommandContext, room: String, started: Drill) {
        self.context = context
        self.room = room
        self.started = started
        let leftUs = started.endsUnixUs > started.unixUs ? started.endsUnixUs - started.unixUs : 0
        end = ContinuousClock.now.advanced(
            by: .microseconds(Int64(clamping: min(leftUs, 86_400_000_000))))
    }

    func begin() {
        context.console.tell(
            "drill_started",
            ["room": .text(room), "ends_unix_us": .unsigned(started.endsUnixUs)],
            """
            \(context.console.style.bold("Drill in the room \(room.printable)"))
              1. Go to the alarm of this room.
              2. Press its test button until it has sounded its whole pattern at least twice.
              3. Wait for the alert on your devices, and here.
            Alerts go on as always: an alarm that you did not start is a real one.
            """)
    }

    mutating func follow(_ client: SenseClient) async throws -> ExitCode {
        var wasCancelled = false
        while ContinuousClock.now < end.advanced(by: Self.grace) {
            if context.interrupt.isWished, !wasCancelled {
                wasCancelled = true
                try await client.send(.drill(Drill(room: room, phase: .cancelled)))
            }
            let left = max(0, ContinuousClock.now.duration(to: end).components.seconds)
            context.console.progress(
                "listening for the alarm; \(left / 60):\(left % 60 < 10 ? "0" : "")\(left % 60) left (Ctrl-C cancels)"
            )
            guard let received = try await client.next(within: .milliseconds(200)) else { continue }
            switch received.event {
            case .alert(let alert): try await show(alert, client)
            case .message(.drill(let drill)) where drill.room == room:
                if let code = finish(drill) { return code }
            case .problem(let error):
                if wasCancelled { return .interrupted }
                throw ClientError.refused(error)
            default: break
            }
        }
        throw Failure(
            code: .serverError, message: "the server did not say how the drill of \(room) ended",
            advice: "See sense-client drill --list.")
    }

    /// What came before this drill and waits in the log is not shown, nor is what only reminds.
    private mutating func show(_ alert: Alert, _ client: SenseClient) async throws {
        guard alert.updatedUnixUs >= started.unixUs, alert.kind != .drill,
            shown.updateValue(alert.state, forKey: alert.alertId) != alert.state
        else { return }
        context.console.tell("alert", alert.json(), alert.line(context.console.style))
        guard !alert.alertId.isEmpty else { return }
        try await client.sendReceipt(alert.alertId, .presented)
    }

    private func finish(_ drill: Drill) -> ExitCode? {
        let json: KeyValuePairs<String, JSONValue> = [
            "room": .text(room), "phase": .text(drill.phase.word), "heard_ms": .count(drill.heardMs),
            "latency_ms": .count(drill.latencyMs), "device": .text(drill.deviceName),
            "alert_id": .text(drill.alertId), "detail": .text(drill.detail),
        ]
        let style = context.console.style
        let detail = drill.detail.printable
        switch drill.phase {
        case .passed:
            let note =
                drill.deviceName.isEmpty
                ? style.yellow("\nNo device: look after your watches and phones.") : ""
            context.console.tell(
                "drill_ended", json,
                """
                \(style.green("PASSED")) \(detail)\(note)
                The alert stays open until somebody answers it: sense-client ack \(drill.alertId.printable)
                """)
            return .ok
        case .failed:
            context.console.tell(
                "drill_ended", json,
                "\(style.red("FAILED")) \(detail)\nCheck its battery, and that the microphone is near enough; then try again."
            )
            return .expectationMissed
        case .cancelled:
            context.console.tell("drill_ended", json, "\(style.yellow("CANCELLED")) \(detail)")
            return context.interrupt.isWished ? .interrupted : .serverError
        case .started, .unspecified, .unrecognized: return nil
        }
    }
}
