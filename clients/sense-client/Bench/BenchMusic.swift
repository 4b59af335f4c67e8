import SenseClientKit
import SenseProtocol

/// What many devices that follow one playback received.
struct BenchMusic: Sendable {
    /// One batch of frames on its way to all devices.
    private struct Batch: Sendable {
        var firstUs: UInt64
        var lastUs: UInt64
        var playAtUs: ClosedRange<UInt64>
    }

    private struct Key: Hashable {
        var playbackID: UInt64
        var frame: UInt32
    }

    private(set) var frames = 0
    private(set) var haptics = 0
    /// From arrival to the time to play, milliseconds; negative: too late.
    private(set) var leads = Percentiles()
    /// Milliseconds between the first and the last device that had the same batch.
    private(set) var spreads = Percentiles()
    /// Milliseconds by which devices are told to play the same frame apart.
    private(set) var playSpreadMs = 0.0
    private var batches: [Key: Batch] = [:]

    /// Copies of one batch that come later than this belong to another round of the song.
    private static let roundUs: UInt64 = 2_000_000

    mutating func add(_ message: MusicFrames, leadMs: Double?, atUs now: UInt64) {
        guard let first = message.frames.first else { return }
        frames += message.frames.count
        if let leadMs { leads.add(leadMs) }
        let playAt = message.playAtServerUs
        let key = Key(playbackID: message.playbackId, frame: first.frame)
        guard var batch = batches[key], now < batch.firstUs + Self.roundUs else {
            // The first of all devices, or of a looped song's next round.
            if let done = batches[key] { finish(done) }
            batches[key] = Batch(firstUs: now, lastUs: now, playAtUs: playAt...playAt)
            return
        }
        batch.firstUs = min(batch.firstUs, now)
        batch.lastUs = max(batch.lastUs, now)
        batch.playAtUs = min(batch.playAtUs.lowerBound, playAt)...max(batch.playAtUs.upperBound, playAt)
        batches[key] = batch
    }

    private mutating func finish(_ batch: Batch) {
        spreads.add(Double(batch.lastUs - batch.firstUs) / 1000)
        playSpreadMs = max(
            playSpreadMs, Double(batch.playAtUs.upperBound - batch.playAtUs.lowerBound) / 1000)
    }

    /// Counts the batches that are still open.
    mutating func finish() {
        for batch in batches.values { finish(batch) }
        batches = [:]
    }

    mutating func add(_ message: HapticEvents) { haptics += message.events.count }
}

extension BenchSession {
    /// Sends the song; it plays as soon as it is ready.
    func sendSong() {
        send(
            .songChunk(
                SongChunk(
                    streamId: stream, songId: BenchPlan.songID, offset: 0,
                    totalBytes: UInt64(plan.song.count),
                    data: plan.song)))
    }

    func play(_ status: SongStatus) {
        guard status.ready else {
            recorder.failed(.notSense(reason: "the server refuses the song: \(status.problem)"))
            return
        }
        send(
            .playbackControl(
                PlaybackControl(streamId: stream, command: .play, songId: BenchPlan.songID, loop: true)))
    }

    func take(_ message: MusicFrames, atUs now: UInt64) {
        let serverNow = link?.session.clock.serverUs(atLocalUs: now)
        let leadMs = serverNow.map {
            Double(Int64(clamping: message.playAtServerUs) - Int64(clamping: $0)) / 1000
        }
        recorder.note { $0.music.add(message, leadMs: leadMs, atUs: now) }
    }

    private func send(_ body: Envelope.Body) {
        do throws(ClientError) {
            try link?.perform { session, now throws(ClientError) in _ = try session.send(body, atUs: now) }
        } catch {
            recorder.failed(error)
        }
    }
}
