import SenseClientKit
import SenseProtocol

/// `watch`: shows the profile's alerts as they come, and comes back by itself after a loss.
enum WatchCommand: Subcommand {
    static let spec = CommandSpec(
        name: "watch", summary: "show alerts as they come, with receipts",
        options: [
            OptionSpec("--ack", nil, "acknowledge each alert, as a person who takes care of it"),
            OptionSpec("--seconds", "N", "end after so long"),
            OptionSpec("--count", "N", "end after so many alert messages"),
            OptionSpec("--expect", "LABEL", "exit 7 unless this alert comes; may be given several times"),
        ])

    static func run(_ context: CommandContext) async throws -> ExitCode {
        let seconds = try context.arguments.number("--seconds", in: 0.1...1_000_000.0)
        let count = try context.arguments.number("--count", in: 1...1_000_000)
        var watch = Watch(
            context: context, end: seconds.map { ContinuousClock.now.advanced(by: .seconds($0)) }, left: count
        )
        let connector = try Connector(context)
        var reconnect = Reconnect()
        var resumption: ClientResumption?
        var wasConnected = false
        while !watch.isOver {
            do {
                let connected = try await connector.connect(
                    watchesAlerts: true, isBeside: false, resumption: resumption)
                wasConnected = true
                reconnect.succeeded()
                do {
                    try await watch.follow(connected)
                    await connected.client.leave()
                } catch {
                    resumption = await connected.client.resumption()
                    throw error
                }
            } catch let error as ClientError where wasConnected {
                guard case .wait(let milliseconds) = reconnect.failed(error, random: .random(in: 0 ... .max))
                else {
                    throw error
                }
                context.console.tell(
                    "lost", ["message": .text(error.description), "retry_ms": .unsigned(milliseconds)],
                    context.console.style.red(
                        "STALE: \(error.description.printable); trying again in \(milliseconds) ms"))
                await watch.pause(milliseconds)
            }
        }
        let missing = context.arguments.texts("--expect").filter { !watch.heard.contains($0) }
        guard missing.isEmpty else {
            StandardStreams.complain("expected but not seen: \(missing.joined(separator: ", "))\n")
            return .expectationMissed
        }
        return .ok
    }
}

/// What `watch` shows of one connection.
struct Watch {
    let context: CommandContext
    let end: ContinuousClock.Instant?
    /// Alert messages still to be shown.
    var left: Int?
    private(set) var heard: Set<String> = []

    init(context: CommandContext, end: ContinuousClock.Instant?, left: Int?) {
        self.context = context
        self.end = end
        self.left = left
    }

    /// Whether the command has done what was asked.
    var isOver: Bool {
        context.interrupt.isWished || left.map { $0 <= 0 } ?? false
            || end.map { ContinuousClock.now >= $0 } ?? false
    }

    func pause(_ milliseconds: UInt64) async {
        let until = ContinuousClock.now.advanced(by: .milliseconds(Int64(milliseconds)))
        while !isOver, ContinuousClock.now < until { try? await Task.sleep(for: .milliseconds(50)) }
    }

    /// Shows what comes until it is over.
    mutating func follow(_ connected: SenseClient.Connected) async throws {
        let client = connected.client
        let welcome = connected.welcome
        let console = context.console
        console.tell(
            "watching",
            [
                "server_version": .text(welcome.serverVersion), "profile_id": .text(welcome.profileId),
                "device_id": .text(welcome.deviceId), "resume": .text(welcome.resumeOutcome.word),
                "replayed_events": .count(welcome.replayedEvents),
            ],
            console.style.dim(
                "connected to \(welcome.profileId.printable) (\(welcome.resumeOutcome.word), \(welcome.replayedEvents) missed)"
            ))
        try await client.send(.subscribe(Subscribe(devices: true, alerts: true, streams: true)))
        while !isOver {
            guard let received = try await client.next(within: .milliseconds(200)) else { continue }
            switch received.event {
            case .alert(let alert): try await show(alert, client)
            case .message(.snapshot(let snapshot)): show(snapshot)
            case .message(.deviceStatus(let status)): show(status)
            case .message(.receiptStored(let stored)):
                console.tell(
                    "receipt", ["alert_id": .text(stored.alertId), "kind": .text(stored.kind.word)], nil)
            case .problem(let error):
                console.tell(
                    "problem", ["field": .text(error.field), "message": .text(error.devMessage)],
                    console.style.yellow(ClientError.refused(error).description.printable))
            default: break
            }
        }
    }

    private mutating func show(_ alert: Alert, _ client: SenseClient) async throws {
        // Nothing old is presented as new: what waited says how long ago it was (PRODUCT 4.7, 6).
        let age = await age(alert, client)
        let suffix = age > 10 || alert.replayed ? ", \(Self.ago(age))" : ""
        context.console.tell(
            "alert", alert.json([("age_s", .number(age))]), alert.line(context.console.style, suffix: suffix))
        heard.insert(alert.label)
        left = left.map { $0 - 1 }
        guard !alert.alertId.isEmpty else { return }
        try await client.sendReceipt(alert.alertId, .presented)
        if context.arguments.has("--ack"), alert.disposition.needsAnswer {
            try await client.sendReceipt(alert.alertId, .ackedByHuman)
        }
    }

    private func age(_ alert: Alert, _ client: SenseClient) async -> Double {
        guard alert.sentServerUs > 0, alert.onsetServerUs > 0 else { return 0 }
        return max(0, (Double(alert.sentServerUs) - Double(alert.onsetServerUs)) / 1e6)
    }

    private static func ago(_ seconds: Double) -> String {
        seconds < 90 ? "\(seconds.fixed(0)) s ago" : "\((seconds / 60).fixed(0)) min ago"
    }

    private func show(_ snapshot: Snapshot) {
        let style = context.console.style
        let rooms = snapshot.rooms.map { room in
            let name = room.room.isEmpty ? "(no room)" : room.room.printable
            let word = room.state.word.uppercased()
            return
                "  \(name): \(room.state.isProtected ? style.green(word) : style.red(word)) \(room.reason.printable)"
        }
        let devices = snapshot.devices.map(\.name).joined(separator: ", ").printable
        context.console.tell(
            "snapshot",
            [
                "last_event_id": .unsigned(snapshot.lastEventId),
                "open_alerts": .count(snapshot.openAlerts.count),
                "devices": .list(snapshot.devices.map { .text($0.name) }),
                "rooms": .object(snapshot.rooms.map { .init(key: $0.room, value: .text($0.state.word)) }),
            ],
            (["\(snapshot.openAlerts.count) open alerts; here now: \(devices)"] + rooms).joined(
                separator: "\n"))
    }

    private func show(_ status: DeviceStatus) {
        let name = (status.device?.name ?? "").printable
        context.console.tell(
            "device",
            [
                "name": .text(status.device?.name ?? ""), "online": .flag(status.device?.online ?? false),
                "reason": .text(status.reason),
            ],
            context.console.style.dim("\(name): \(status.reason.printable)"))
    }
}
