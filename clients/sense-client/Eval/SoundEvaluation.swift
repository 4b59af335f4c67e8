import AudioFile
import SenseClientKit
import SenseProtocol

/// The part of `eval` for sounds: each clip is one stream; the alerts about it are the answer.
struct SoundEvaluation {
    private let context: CommandContext
    private let speed: ListenCommand.Speed
    private let seconds: Double

    /// Longest wait for alerts after the server has finished a stream: they are stored first.
    private static let afterFinished = Duration.milliseconds(400)

    init(_ context: CommandContext) throws {
        self.context = context
        let times = context.arguments.has("--speed") ? try Pacer.speed(context.arguments) : nil
        speed = times.map { .times($0) } ?? .gated
        seconds = try context.arguments.number("--seconds", in: 0.5...3600.0) ?? 5
    }

    private struct Tally {
        var confusions = Confusions()
        var latencies = Percentiles()
        var falseAlarms: [String: Int] = [:]
        var seconds = 0.0
        var otherClips = 0
        var otherAlarmed = 0
        var unreadable = 0
    }

    func run(_ paths: [String]) async throws -> ExitCode {
        let set = try SoundSet(
            paths, split: context.arguments.text("--split"),
            limit: try context.arguments.number("--limit", in: 1...1_000_000) ?? .max)
        let connected = try await Connector(context).connect(watchesAlerts: true, sendsReceipts: false)
        var tally = Tally()
        do {
            for (number, clip) in set.clips.enumerated() {
                context.console.progress("  \(number) of \(set.clips.count): \(clip.path.printable)")
                guard try await measure(clip, connected, &tally) else {
                    await connected.client.leave()
                    return .interrupted
                }
            }
        } catch {
            await connected.client.leave()
            throw error
        }
        await connected.client.leave()
        try tell(tally, clips: set.clips.count)
        return .ok
    }

    /// Runs one clip; false if interrupted.
    private func measure(
        _ clip: SoundSet.Clip, _ connected: SenseClient.Connected, _ tally: inout Tally
    ) async throws -> Bool {
        let client = connected.client
        let source: AudioSource
        do {
            source = try AudioSource(clip.path, context.arguments)
        } catch let error as AudioFileError {
            tally.unreadable += 1
            context.console.tell(
                "unreadable", ["path": .text(clip.path), "message": .text(error.description)],
                context.console.style.yellow(error.description.printable))
            return true
        }
        let stream = try await client.openStream(.audio(source.format), name: String(clip.path.suffix(48)))
        let log = SendLog()
        let rate = Double(source.sampleRateHz)
        let receiver = Task {
            try await Self.alerts(client, stream: stream, deviceID: connected.welcome.deviceId, log, rate)
        }
        guard
            try await ListenCommand.send(
                source, stream, speed: speed, maxFrames: UInt64(seconds * rate), client, log, context)
        else {
            receiver.cancel()
            return false
        }
        try await client.send(.finish(Finish(streamId: stream)))
        let told = try await receiver.value
        tally.seconds += Double(log.sentEnd) / rate
        let truth = clip.isOther ? "other" : clip.label
        let isRight = told.contains { $0.label == truth }
        tally.confusions.add(
            truth, clip.isOther && told.isEmpty ? "other" : isRight ? truth : told.first?.label)
        if let first = told.first(where: { $0.label == truth }) { tally.latencies.add(first.after * 1000) }
        for wrong in told where wrong.label != truth { tally.falseAlarms[wrong.label, default: 0] += 1 }
        if clip.isOther {
            tally.otherClips += 1
            tally.otherAlarmed += told.isEmpty ? 0 : 1
        }
        context.console.tell(
            "clip",
            [
                "path": .text(clip.path), "label": .text(clip.label),
                "told": .list(told.map { .text($0.label) }),
                "right": .flag(isRight || (clip.isOther && told.isEmpty)),
            ], nil)
        return true
    }

    /// Sounds told about one stream, each label once, and how many seconds of sound after the onset.
    private static func alerts(
        _ client: SenseClient, stream: UInt32, deviceID: String, _ log: SendLog, _ rate: Double
    ) async throws -> [(label: String, after: Double)] {
        var told: [(label: String, after: Double)] = []
        var finishedAt: ContinuousClock.Instant?
        let start = ContinuousClock.now
        while true {
            if let finishedAt, finishedAt.duration(to: .now) > afterFinished { return told }
            guard finishedAt != nil || start.duration(to: .now) < .seconds(3700) else {
                throw Failure(code: .serverError, message: "the server did not finish the stream in time")
            }
            guard let received = try await client.next(within: .milliseconds(100)) else { continue }
            switch received.event {
            case .alert(let alert)
            where alert.streamId == stream && alert.deviceId == deviceID && !alert.replayed:
                guard alert.kind == .sound, alert.state == .confirmed || alert.state == .updated,
                    !told.contains(where: { $0.label == alert.label })
                else { break }
                let behind = log.sentEnd > alert.onsetSampleIndex ? log.sentEnd - alert.onsetSampleIndex : 0
                told.append((alert.label, Double(behind) / rate))
            case .message(.soundScores(let scores)) where scores.streamId == stream:
                _ = log.answered(scores.windowEndSample, atUs: received.atUs)
            case .message(.finished(let finished)) where finished.streamId == stream: finishedAt = .now
            case .problem(let error): throw ClientError.refused(error)
            default: break
            }
        }
    }

    private func tell(_ tally: Tally, clips: Int) throws {
        let hours = tally.seconds / 3600
        let falseAlarms = tally.falseAlarms.values.reduce(0, +)
        let perHour = hours > 0 ? Double(falseAlarms) / hours : 0
        let named = tally.confusions.labels.filter { $0 != "other" }
        let recall =
            named.isEmpty
            ? 0
            : named.reduce(0) { sum, label in
                sum + Double(tally.confusions.right(label)) / Double(max(1, tally.confusions.total(label)))
            } / Double(named.count)
        let otherShare = Double(tally.otherAlarmed) / Double(max(1, tally.otherClips))
        let report = JSONLine([
            "kind": .text("sounds"), "clips": .count(clips), "unreadable": .count(tally.unreadable),
            "hours": .number(hours, places: 4), "mean_recall": .number(recall, places: 4),
            "other_clips": .count(tally.otherClips), "other_alarmed": .number(otherShare, places: 4),
            "false_alarms": .object(
                tally.falseAlarms.sorted { $0.key < $1.key }.map {
                    .init(key: $0.key, value: .count($0.value))
                }),
            "false_alarms_per_hour": .number(perHour), "onset_to_alert": tally.latencies.json,
            "confusions": tally.confusions.json,
        ])
        let style = context.console.style
        context.console.tell(
            "eval", ["result": .object(report.members)],
            """
            \(clips) clips, \((tally.seconds / 60).fixed(1)) min: mean recall \((recall * 100).fixed(1)) %, \
            \(falseAlarms) false alarms (\(perHour.fixed(1)) an hour), \(tally.otherAlarmed) of \(tally.otherClips) \
            other clips alarmed
            \(tally.confusions.table(style))
              onset → alert: \(tally.latencies.line) of sound
            """)
        try EvalCommand.save(report, context)
    }
}
