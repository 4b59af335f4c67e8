import HarmoniAI
import SenseProtocol

extension ProfileState {
    mutating func musicOpened(
        _ streamID: UInt32, _ format: MusicFormat, from session: SessionID, _ now: Now,
        _ actions: inout [ProfileAction]
    ) {
        guard members[session] != nil else { return }
        members[session]?.music[streamID] = format
        let lead = leadMs
        music.playing?.scheduler.setLead(ms: lead)
        // A late joiner learns where the song is and gets the next batch with everybody else.
        if music.playing != nil {
            actions.append(.send(session, .playbackState(playbackState(streamID, now)), .durable))
        }
    }

    /// The largest lead that any following device asks for, its own output latency included.
    private var leadMs: Int {
        let wishes = members.values.flatMap(\.music.values).map { format in
            (format.leadMs == 0 ? HarmoniAILimits.defaultLeadMs : Int(format.leadMs))
                + max(0, Int(format.outputOffsetMs))
        }
        return wishes.max() ?? HarmoniAILimits.defaultLeadMs
    }

    mutating func song(
        _ streamID: UInt32, _ songID: String, _ stems: StemData, from session: SessionID, _ now: Now,
        _ actions: inout [ProfileAction]
    ) {
        guard members[session] != nil else { return }
        music.keep(stems, as: songID, max: limits.maxSongsPerProfile, now: now)
    }

    mutating func playback(
        _ control: PlaybackControl, _ seq: UInt64, from session: SessionID, _ now: Now,
        _ actions: inout [ProfileAction]
    ) {
        guard members[session] != nil else { return }
        do throws(FieldProblem) {
            try perform(control, now)
            announcePlayback(now, &actions)
            musicTick(now, &actions)
        } catch {
            var problem = error
            problem.streamID = control.streamId
            actions.append(.send(session, .error(problem.message(inReplyToSeq: seq)), .control))
        }
    }

    private mutating func perform(_ control: PlaybackControl, _ now: Now) throws(FieldProblem) {
        let nowUs = Int64(clamping: now.serverUs)
        let positionUs = Int64(control.positionSeconds * 1_000_000)
        let wanted = control.songId.isEmpty ? music.playing?.songID : control.songId
        if control.command == .play, let wanted, wanted != music.playing?.songID {
            guard music.load(wanted, leadMs: leadMs, now: now) else {
                throw FieldProblem(
                    .notFound, field: "playback_control.song_id",
                    expected: "a song that was sent and is ready",
                    got: wanted)
            }
        }
        guard var playing = music.playing, wanted == playing.songID else {
            throw FieldProblem(
                .notFound, field: "playback_control.song_id", expected: "a song that plays or stands still",
                got: control.songId.isEmpty ? "none" : control.songId)
        }
        do throws(HarmoniAIError) {
            switch control.command {
            case .play:
                let isResumed = control.positionSeconds == 0 && isPaused(playing.scheduler)
                try playing.scheduler.play(
                    positionUs: isResumed ? nil : positionUs, rate: control.rate == 0 ? nil : control.rate,
                    loops: control.loop, nowUs: nowUs)
            case .pause: try playing.scheduler.pause(nowUs: nowUs)
            case .seek: try playing.scheduler.seek(toUs: positionUs, nowUs: nowUs)
            case .stop, .unspecified, .unrecognized: playing.scheduler.stop()
            }
        } catch {
            throw FieldProblem(
                field: "playback_control.\(error.field)", expected: "what the song allows",
                got: error.description)
        }
        music.playing = playing
    }

    private func isPaused(_ scheduler: MusicScheduler) -> Bool {
        if case .paused = scheduler.clock.phase { true } else { false }
    }

    /// Sends every batch that is due to every device that follows.
    mutating func musicTick(_ now: Now, _ actions: inout [ProfileAction]) {
        guard var playing = music.playing else { return }
        let before = playing.scheduler.clock.phase
        let batches = playing.scheduler.advance(nowUs: Int64(clamping: now.serverUs))
        let hasEnded = before != .ended && playing.scheduler.clock.phase == .ended
        music.playing = playing
        for batch in batches {
            for session in members.keys.sorted() {
                for (streamID, format) in members[session]?.music ?? [:] {
                    push(
                        batch.shifted(outputOffsetMs: Int(format.outputOffsetMs)), playing.songID, streamID,
                        to: session, &actions)
                }
            }
        }
        if hasEnded { announcePlayback(now, &actions) }
    }

    private func push(
        _ batch: MusicBatch, _ songID: String, _ streamID: UInt32, to session: SessionID,
        _ actions: inout [ProfileAction]
    ) {
        guard let first = batch.frames.first else { return }
        let frames = MusicFrames(
            streamId: streamID, songId: songID, playbackId: batch.playbackID,
            playAtServerUs: UInt64(clamping: first.playAtUs), fps: batch.framesPerSecond,
            frames: batch.frames.map {
                MusicFrame(
                    frame: UInt32(clamping: $0.frame), drums: $0.drums, bass: $0.bass, vocals: $0.vocals,
                    other: $0.other, beat: $0.marks.contains(.beat), drumOnset: $0.marks.contains(.drumOnset),
                    vocalOnset: $0.marks.contains(.vocalOnset))
            })
        actions.append(.send(session, .musicFrames(frames), .lossy))
        guard !batch.haptics.isEmpty else { return }
        let haptics = HapticEvents(
            streamId: streamID, songId: songID, playbackId: batch.playbackID,
            events: batch.haptics.map {
                SenseProtocol.HapticEvent(
                    playAtServerUs: UInt64(clamping: $0.playAtUs), strength: $0.strength.wire,
                    intensity: $0.strength.intensity, sharpness: $0.strength.sharpness,
                    frame: UInt32(clamping: $0.frame))
            })
        actions.append(.send(session, .hapticEvents(haptics), .lossy))
    }

    private func announcePlayback(_ now: Now, _ actions: inout [ProfileAction]) {
        for session in members.keys.sorted() {
            for streamID in (members[session]?.music.keys.sorted() ?? []) {
                actions.append(.send(session, .playbackState(playbackState(streamID, now)), .durable))
            }
        }
    }

    private func playbackState(_ streamID: UInt32, _ now: Now) -> PlaybackState {
        guard let playing = music.playing else { return PlaybackState(streamId: streamID, phase: .idle) }
        let clock = playing.scheduler.clock
        let phase: PlaybackPhase
        var positionUs = clock.positionUs(atUs: Int64(clamping: now.serverUs))
        var atUs = now.serverUs
        switch clock.phase {
        case .idle: phase = .idle
        case .playing(let anchorPosition, let anchorUs):
            phase = .playing
            if anchorUs > Int64(clamping: now.serverUs) {
                positionUs = anchorPosition
                atUs = UInt64(clamping: anchorUs)
            }
        case .paused: phase = .paused
        case .ended: phase = .ended
        }
        return PlaybackState(
            streamId: streamID, songId: playing.songID, playbackId: clock.playbackID, phase: phase,
            positionSeconds: Double(positionUs) / 1_000_000, atServerUs: atUs, rate: clock.rate,
            title: playing.scheduler.song.title, durationSeconds: playing.scheduler.song.durationSeconds)
    }
}

extension HarmoniAI.HapticStrength {
    var wire: SenseProtocol.HapticStrength {
        switch self {
        case .soft: .soft
        case .medium: .medium
        case .heavy: .heavy
        }
    }
}
