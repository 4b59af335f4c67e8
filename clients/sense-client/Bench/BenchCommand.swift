import SenseClientKit
import SenseProtocol
import Synchronization

/// `bench`: many devices at once, and how fast the server answers them.
enum BenchCommand: Subcommand {
    static let spec = CommandSpec(
        name: "bench", summary: "load a server with many devices; measure latency and throughput",
        options: [
            OptionSpec(
                "--kind", "hands|audio|music|alerts",
                "what each device does; music: all follow one song; alerts: rooms go deaf (default hands)"),
            OptionSpec("--sessions", "N", "devices (default 10)"),
            OptionSpec(
                "--rate", "N", "hand frames a second of each device, alerts a second of all (default 30)"),
            OptionSpec("--frames-per-message", "N", "hand frames sent together (default 1)"),
            OptionSpec(
                "--every-frame", nil,
                "ask for an answer to each frame, not only to those that change something"),
            OptionSpec(
                "--active", "SHARE",
                "share of the time, 0 to 1, in which a microphone hears more than a quiet room (default 1)"),
            OptionSpec("--seconds", "S", "measured time (default 10)"),
            OptionSpec("--warm-up", "S", "before measuring (default 3, audio 7)"),
            OptionSpec("--loops", "N", "network threads of this program (default 1)"),
            OptionSpec(
                "--file", "FILE", "landmarks to send instead of generated ones; the stem data of the song"),
            OptionSpec(
                "--pid", "PID", "server process on this machine: its CPU time gives figures per CPU-second"),
        ],
        notes: """
            Meant for a server with a store of its own: devices and rooms stay in its lists. Each device is paired for \
            the run and revoked after it. The server must allow as many sessions of one \
            profile: start it with --max-sessions N.
            """)

    static func run(_ context: CommandContext) async throws -> ExitCode {
        let plan = try BenchPlan(context.arguments)
        let connector = try Connector(context)
        let admin = try await connector.connect(watchesAlerts: false)
        let recorder = BenchRecorder()
        let loops = try (0..<plan.loops).map { try ClientLoop(name: "bench-\($0)") }
        let trust: ServerTrust = connector.known.fingerprint.map { .pinned($0) } ?? .onFirstUse { _ in true }
        let pacers = loops.map { BenchPacer(loop: $0, periodUs: 1e6 / plan.messagesPerSecond) }
        func stop() async {
            recorder.stopSending()
            for (loop, pacer) in zip(loops, pacers) { loop.run { pacer.leave() } }
            await cleanUp(admin.client, recorder.end().deviceIDs)
        }
        do {
            try await openSessions(plan, connector, trust, admin.client, pacers, recorder, context)
        } catch {
            await stop()
            throw error
        }
        guard !context.interrupt.isWished else {
            await stop()
            return .interrupted
        }
        if plan.kind == .alerts {
            let code: ExitCode
            do {
                code = try await runAlerts(plan, connector, trust, admin.client, pacers, recorder, context)
            } catch {
                await stop()
                throw error
            }
            await stop()
            return code
        }
        for (loop, pacer) in zip(loops, pacers) { loop.run { pacer.start() } }
        let isWhole = await pause(plan.warmUpSeconds, context)
        let cpuBefore = try plan.serverPID.map(ProcessTime.cpuSeconds)
        let start = ContinuousClock.now
        recorder.begin()
        _ = await pause(plan.seconds, context)
        let result = recorder.end()
        let elapsed = Double(start.duration(to: .now) / .seconds(1))
        let cpu = try plan.serverPID.map { pid in try ProcessTime.cpuSeconds(pid) - (cpuBefore ?? 0) }
        report(plan, result, elapsed, cpu, context.console)
        await stop()
        return isWhole ? (result.failures.isEmpty ? .ok : .serverError) : .interrupted
    }

    /// Codes that are under way at once: a server takes five tries of one address before it answers the first.
    private static let codesAhead = 4

    /// Pairs and connects every device, and waits until each has its stream.
    private static func openSessions(
        _ plan: BenchPlan, _ connector: Connector, _ trust: ServerTrust, _ admin: SenseClient,
        _ pacers: [BenchPacer],
        _ recorder: BenchRecorder, _ context: CommandContext
    ) async throws {
        let address = connector.address
        let addresses = try ResolvedAddresses.resolve(address)
        for index in 0..<plan.sessions {
            try await wait(for: index - codesAhead, recorder, context)
            if context.interrupt.isWished { return }
            let code = try await admin.pairingCode(role: .subject, validSeconds: 600).code
            let pacer = pacers[index % pacers.count]
            pacer.loop.run {
                let session = BenchSession(
                    index: index, code: code, plan: plan, loop: pacer.loop, recorder: recorder)
                pacer.add(session)
                session.start(address: address, addresses: addresses, trust: trust)
            }
            context.console.progress("  \(index + 1) of \(plan.sessions) devices")
        }
        try await wait(for: plan.sessions, recorder, context)
    }

    /// Waits until so many streams are open.
    private static func wait(
        for count: Int, _ recorder: BenchRecorder, _ context: CommandContext
    ) async throws {
        let start = ContinuousClock.now
        while recorder.openStreams < count, !context.interrupt.isWished {
            if let failure = recorder.firstFailure { throw failure }
            guard start.duration(to: .now) < .seconds(60) else {
                throw ClientError.timedOut(waitingFor: "\(count) streams; \(recorder.openStreams) opened")
            }
            try await Task.sleep(for: .milliseconds(2))
        }
    }

    private static func pause(_ seconds: Double, _ context: CommandContext) async -> Bool {
        await Pacer(speed: 1).wait(untilMedia: seconds, context.interrupt)
    }

    /// Takes the tokens of the run away again.
    private static func cleanUp(_ admin: SenseClient, _ deviceIDs: [String]) async {
        // They leave by themselves first; a device that is cut off would count as lost.
        try? await Task.sleep(for: .milliseconds(500))
        for id in deviceIDs { _ = try? await admin.send(.revokeDevice(RevokeDevice(deviceId: id))) }
        _ = try? await admin.request(.deviceListRequest(DeviceListRequest())) { body in
            if case .deviceList = body { true } else { false }
        }
        await admin.leave()
    }

    private static func report(
        _ plan: BenchPlan, _ result: BenchRecorder.Result, _ elapsed: Double, _ cpu: Double?,
        _ console: Console
    ) {
        if plan.kind == .music { return reportMusic(plan, result, elapsed, cpu, console) }
        let items = plan.kind == .hands ? "frames" : "chunks"
        let sent = Double(result.sent) / elapsed
        let answered = Double(result.latencies.values.count) / elapsed
        let perCPU = cpu.flatMap { $0 > 0 ? Double(result.sent) / $0 : nil }
        console.tell(
            "bench",
            [
                "kind": .text(plan.kind.rawValue), "sessions": .count(plan.sessions),
                "seconds": .number(elapsed),
                "items_per_s": .number(sent), "answers_per_s": .number(answered),
                "latency": result.latencies.json,
                "alerts": .count(result.alerts), "problems": .count(result.problems),
                "failures": .list(result.failures.map { .text($0.description) }),
                "server_cpu_s": cpu.map { .number($0) } ?? .null,
                "items_per_cpu_s": perCPU.map { .number($0) } ?? .null,
            ],
            """
            \(plan.sessions) devices, \(plan.kind.rawValue), \(elapsed.fixed(1)) s
              sent      \(sent.fixed(0)) \(items)/s
              answered  \(answered.fixed(0)) results/s, \(result.alerts) alerts, \(result.problems) problems
              latency   \(result.latencies.line)
            \(cpu.map { "  server    \($0.fixed(2)) CPU-s = \(($0 / elapsed * 100).fixed(0)) % of a core, \((perCPU ?? 0).fixed(0)) \(items) per CPU-s" } ?? "")
            """)
        for failure in result.failures.prefix(3) { StandardStreams.complain("\(failure)\n") }
    }
}

extension BenchCommand {
    /// Lets every room go deaf while one device watches, then lets another one catch up.
    private static func runAlerts(
        _ plan: BenchPlan, _ connector: Connector, _ trust: ServerTrust, _ admin: SenseClient,
        _ pacers: [BenchPacer], _ recorder: BenchRecorder, _ context: CommandContext
    ) async throws -> ExitCode {
        let loop = try ClientLoop(name: "bench-watch")
        let watcher = try await BenchWatcher.connect(connector, trust, admin, recorder, loop: loop)
        let watching = Task { try await watcher.watch() }
        // The greetings' own work is over.
        _ = await pause(1, context)
        func cpuSeconds() throws -> Double { try plan.serverPID.map(ProcessTime.cpuSeconds) ?? 0 }
        let cpuBefore = try cpuSeconds()
        recorder.begin()
        for pacer in pacers { pacer.loop.run { pacer.start() } }
        _ = await pause(Double(plan.sessions) / plan.framesPerSecond + 2, context)
        let result = recorder.end()
        let cpu = try cpuSeconds() - cpuBefore
        watching.cancel()
        _ = await watching.result
        await watcher.client.leave()
        let late = try await BenchWatcher.connect(
            connector, trust, admin, recorder, loop: loop, resumption: ClientResumption())
        let cpuBeforeReplay = try cpuSeconds()
        let replay = try await late.catchUp(to: result.alertsOfRooms.lastEventID)
        let replayCPU = try cpuSeconds() - cpuBeforeReplay
        await late.client.leave()
        let alerts = result.alertsOfRooms
        context.console.tell(
            "bench",
            [
                "kind": .text(plan.kind.rawValue), "sessions": .count(plan.sessions),
                "cut": .count(alerts.cutUs.count), "alerts": .count(alerts.seen.count),
                "events": .count(alerts.events), "latency": result.latencies.json,
                "server_cpu_s": .number(cpu),
                "events_per_cpu_s": .number(cpu > 0 ? Double(alerts.events) / cpu : 0),
                "replayed": .count(replay.events), "replay_seconds": .number(replay.seconds),
                "replay_cpu_s": .number(replayCPU), "problems": .count(result.problems),
                "failures": .list(result.failures.map { .text($0.description) }),
            ],
            """
            \(plan.sessions) rooms went deaf, \(alerts.seen.count) alerts, \(alerts.events) events on the second device
              loss → alert on disk and on the second device   \(result.latencies.line)
              server    \(cpu.fixed(2)) CPU-s, \((cpu > 0 ? Double(alerts.events) / cpu : 0).fixed(0)) events per CPU-s
              replay    \(replay.events) missed events in \(replay.seconds.fixed(2)) s
            """)
        return alerts.seen.count == alerts.cutUs.count ? .ok : .serverError
    }

    private static func reportMusic(
        _ plan: BenchPlan, _ result: BenchRecorder.Result, _ elapsed: Double, _ cpu: Double?,
        _ console: Console
    ) {
        var music = result.music
        music.finish()
        let items = Double(music.frames + music.haptics)
        let perCPU = cpu.flatMap { $0 > 0 ? items / $0 : nil }
        let leads = music.leads.values
        let spread = music.spreads
        console.tell(
            "bench",
            [
                "kind": .text(plan.kind.rawValue), "sessions": .count(plan.sessions),
                "seconds": .number(elapsed), "frames_per_s": .number(Double(music.frames) / elapsed),
                "haptics_per_s": .number(Double(music.haptics) / elapsed),
                "lead": music.leads.json, "min_lead_ms": leads.min().map { .number($0) } ?? .null,
                "late": .count(leads.count { $0 < 0 }), "arrival_spread": spread.json,
                "play_at_spread_ms": .number(music.playSpreadMs), "problems": .count(result.problems),
                "failures": .list(result.failures.map { .text($0.description) }),
                "server_cpu_s": cpu.map { .number($0) } ?? .null,
                "items_per_cpu_s": perCPU.map { .number($0) } ?? .null,
            ],
            """
            \(plan.sessions) devices, music, \(elapsed.fixed(1)) s
              received  \((Double(music.frames) / elapsed).fixed(0)) frames/s, \((Double(music.haptics) / elapsed).fixed(0)) haptics/s
              lead      at least \((leads.min() ?? 0).fixed(1)) ms, \(music.leads.line)
              devices   the same batch within \(spread.line), told to play it within \(music.playSpreadMs.fixed(3)) ms
            \(cpu.map { "  server    \($0.fixed(2)) CPU-s, \((perCPU ?? 0).fixed(0)) frames and haptics per CPU-s" } ?? "")
            """)
        for failure in result.failures.prefix(3) { StandardStreams.complain("\(failure)\n") }
    }
}

/// CPU time of another process, from `/proc`.
enum ProcessTime {
    /// User and system time so far, seconds.
    static func cpuSeconds(_ pid: Int) throws -> Double {
        let content = String(decoding: try LocalFile.read("/proc/\(pid)/stat", maxBytes: 4096), as: UTF8.self)
        // The name in brackets may hold spaces; fields are counted behind it. 14 and 15 are utime and stime.
        let fields = content.split(separator: ")").last?.split(separator: " ") ?? []
        guard fields.count > 12, let user = Double(fields[11]), let system = Double(fields[12]) else {
            throw Failure(code: .unreadable, message: "/proc/\(pid)/stat does not read as expected")
        }
        return (user + system) / 100
    }
}
