import SenseClientKit
import SenseProtocol

/// Shows frames and haptics of a playback when they are due.
struct MusicShow {
    let context: CommandContext
    let client: SenseClient
    let stream: UInt32
    private(set) var frames = 0
    private(set) var haptics = 0
    private var missingFrames = 0
    private var nextFrame: UInt32?
    private var leads = Percentiles()
    private var late = 0
    private var phase = ""

    init(context: CommandContext, client: SenseClient, stream: UInt32) {
        self.context = context
        self.client = client
        self.stream = stream
    }

    /// Takes events for so many seconds or until the song ends; false if interrupted.
    mutating func run(for seconds: Double) async throws -> Bool {
        let end = ContinuousClock.now.advanced(by: .seconds(seconds))
        while ContinuousClock.now < end {
            if context.interrupt.isWished { return false }
            guard let received = try await client.next(within: .milliseconds(100)) else { continue }
            switch received.event {
            case .message(.musicFrames(let batch)) where batch.streamId == stream:
                await take(batch, received.atUs)
            case .message(.hapticEvents(let batch)) where batch.streamId == stream:
                await take(batch, received.atUs)
            case .message(.playbackState(let state)) where state.streamId == stream:
                tell(state)
                // What was sent ahead is still to be shown.
                if state.phase == .ended { return true }
            case .problem(let error): throw ClientError.refused(error)
            default: break
            }
        }
        return true
    }

    private mutating func take(_ batch: MusicFrames, _ atUs: UInt64) async {
        guard let first = batch.frames.first, let last = batch.frames.last else { return }
        let lead = await lead(batch.playAtServerUs, atUs)
        if let nextFrame, first.frame > nextFrame { missingFrames += Int(first.frame - nextFrame) }
        nextFrame = last.frame &+ 1
        frames += batch.frames.count
        let style = context.console.style
        context.console.tell(
            "frames",
            [
                "first": .count(first.frame), "count": .count(batch.frames.count), "fps": .number(batch.fps),
                "play_at_server_us": .unsigned(batch.playAtServerUs),
                "lead_ms": lead.map { .number($0) } ?? .null,
                "drums": .list(batch.frames.map { .number(Double($0.drums)) }),
                "bass": .list(batch.frames.map { .number(Double($0.bass)) }),
                "vocals": .list(batch.frames.map { .number(Double($0.vocals)) }),
                "other": .list(batch.frames.map { .number(Double($0.other)) }),
                "beats": .list(batch.frames.filter(\.beat).map { .count($0.frame) }),
            ], nil)
        context.console.progress(
            "  \((Double(first.frame) / max(1, batch.fps)).fixed(1).paddedLeft(6)) s  drums \(style.bar(first.drums, width: 8))"
                + " bass \(style.bar(first.bass, width: 8)) vocals \(style.bar(first.vocals, width: 8))"
                + " other \(style.bar(first.other, width: 8))\(batch.frames.contains(where: \.beat) ? " ●" : "")"
        )
    }

    private mutating func take(_ batch: HapticEvents, _ atUs: UInt64) async {
        for event in batch.events {
            haptics += 1
            let lead = await lead(event.playAtServerUs, atUs)
            context.console.tell(
                "haptic",
                [
                    "strength": .text(event.strength.word), "frame": .count(event.frame),
                    "intensity": .number(Double(event.intensity)),
                    "sharpness": .number(Double(event.sharpness)),
                    "play_at_server_us": .unsigned(event.playAtServerUs),
                    "lead_ms": lead.map { .number($0) } ?? .null,
                ],
                nil)
        }
    }

    /// Milliseconds between the arrival and the moment to play.
    private mutating func lead(_ playAtServerUs: UInt64, _ atUs: UInt64) async -> Double? {
        guard let now = await client.serverTime(atLocalUs: atUs) else { return nil }
        let lead = (Double(playAtServerUs) - Double(now.serverUs)) / 1000
        leads.add(lead)
        if lead < 0 { late += 1 }
        return lead
    }

    private mutating func tell(_ state: PlaybackState) {
        guard context.console.isJSON || state.phase.word != phase else { return }
        phase = state.phase.word
        context.console.tell(
            "playback",
            [
                "phase": .text(phase), "position_s": .number(state.positionSeconds),
                "rate": .number(state.rate),
                "at_server_us": .unsigned(state.atServerUs),
            ], "\(phase) at \(state.positionSeconds.fixed(2)) s")
    }

    /// Sums up.
    func sumUp() {
        let smallest = leads.values.min()
        context.console.tell(
            "summary",
            [
                "frames": .count(frames), "missing_frames": .count(missingFrames), "haptics": .count(haptics),
                "late": .count(late), "min_lead_ms": smallest.map { .number($0) } ?? .null,
                "median_lead_ms": leads.at(0.5).map { .number($0) } ?? .null,
            ],
            """
            \(frames) frames (\(missingFrames) missing), \(haptics) haptic events; ahead of their time by \
            \((smallest ?? 0).fixed(0)) ms at least, \((leads.at(0.5) ?? 0).fixed(0)) ms mostly, \(late) late
            """)
    }
}
