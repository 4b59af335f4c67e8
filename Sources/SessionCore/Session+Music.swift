public import HarmoniAI
import SenseProtocol

extension Session {
    mutating func receive(
        _ chunk: SongChunk, _ seq: UInt64, _ now: Now, _ actions: inout [SessionAction]
    ) {
        let id = chunk.streamId
        guard spend(chunk.data.count, "song_chunk.data", seq, now, &actions),
            isOpen(id, .music, "song_chunk", seq, now, &actions), let generation = streams[id]?.generation
        else { return }
        let isUploadingElsewhere = music.contains {
            $0.key != id && ($0.value.upload != nil || $0.value.isDecoding)
        }
        guard !isUploadingElsewhere else {
            report(
                FieldProblem(
                    .tooFast, field: "song_chunk", expected: "one song at a time in a session",
                    got: "a second",
                    retryAfterMs: 1000), stream: id, seq: seq, now, &actions)
            return
        }
        do throws(FieldProblem) {
            guard let whole = try music[id]?.take(chunk) else { return }
            actions.append(
                .decodeSong(
                    SongJob(streamID: id, generation: generation, songID: whole.songID, bytes: whole.bytes)))
        } catch {
            report(error, stream: id, seq: seq, now, &actions)
        }
    }

    /// The stem data was read, or refused with the field named.
    public mutating func songDecoded(
        _ job: SongJob, _ result: Result<StemData, HarmoniAIError>, at now: Now,
        actions: inout [SessionAction]
    ) {
        guard streams[job.streamID]?.generation == job.generation, music[job.streamID] != nil else { return }
        music[job.streamID]?.isDecoding = false
        streams[job.streamID]?.finals += 1
        var status = SongStatus(
            streamId: job.streamID, songId: job.songID, receivedBytes: UInt64(job.bytes.count))
        switch result {
        case .success(let stems):
            status.ready = true
            status.title = stems.title
            status.durationSeconds = stems.durationSeconds
            status.totalFrames = UInt32(clamping: stems.totalFrames)
            actions.append(.profile(.song(streamID: job.streamID, songID: job.songID, stems)))
        case .failure(let error):
            status.problemField = error.field
            status.problem = error.description
        }
        send(.songStatus(status), .durable, now, &actions)
        finishIfDone(job.streamID, now, &actions)
    }

    mutating func receive(
        _ control: PlaybackControl, _ seq: UInt64, _ now: Now, _ actions: inout [SessionAction]
    ) {
        guard isOpen(control.streamId, .music, "playback_control", seq, now, &actions) else { return }
        if let problem = check(control) {
            report(problem, stream: control.streamId, seq: seq, now, &actions)
        } else {
            actions.append(.profile(.playback(control, seq: seq)))
        }
    }

    private func check(_ control: PlaybackControl) -> FieldProblem? {
        switch control.command {
        case .play, .pause, .seek, .stop: break
        case .unspecified, .unrecognized:
            return FieldProblem(
                field: "playback_control.command", expected: "PLAY, PAUSE, SEEK or STOP",
                got: "\(control.command.rawValue)")
        }
        guard (0...86_400).contains(control.positionSeconds) else {
            return FieldProblem(
                field: "playback_control.position_seconds", expected: "0…86400",
                got: "\(control.positionSeconds)")
        }
        guard control.rate == 0 || HarmoniAILimits.rate.contains(control.rate) else {
            return FieldProblem(
                field: "playback_control.rate", expected: "0 or 0.5…2", got: "\(control.rate)")
        }
        return nil
    }
}
