public import BridgeAI
import SenseProtocol

extension Session {
    mutating func receive(
        _ message: HandFrames, _ seq: UInt64, _ now: Now, _ actions: inout [SessionAction]
    ) {
        let id = message.streamId
        let frames = message.frames.count
        guard
            spend(
                frames * Self.handFrameBytes,
                playing: UInt64(frames) * .secondUs / UInt64(limits.maxHandFramesPerSecond), "hand_frames",
                seq,
                now, &actions),
            isOpen(id, .hands, "hand_frames", seq, now, &actions), let place = hands.place(of: id),
            let generation = generation(of: id)
        else { return }
        guard message.frames.count <= limits.maxHandFramesPerMessage else {
            report(
                FieldProblem(
                    field: "hand_frames.frames",
                    expected: "at most \(limits.maxHandFramesPerMessage)",
                    got: "\(message.frames.count)"), stream: id, seq: seq, now, &actions)
            return
        }
        for (index, frame) in message.frames.enumerated() {
            let taken = hands.contents[place].take(
                frame, index: index, streamID: id, generation: generation, now)
            if let job = taken.job { actions.append(.scoreLetters(job)) }
            if let warning = taken.warning { send(.streamWarning(warning), .lossy, now, &actions) }
            if frame.noHand { calibrate(id, with: nil, now, &actions) }
        }
        pushLetters(id, now, &actions)
    }

    /// Which opening of the stream it is.
    private func generation(of id: UInt32) -> UInt32? {
        streams.place(of: id).map { streams.contents[$0].generation }
    }

    /// What a hand frame costs of the credit: its size on the wire with floats.
    static let handFrameBytes = 280

    /// The model's answer for one frame.
    /// - Parameters:
    ///   - scores: nil if the model failed.
    ///   - isFollowed: the answer for a later frame of the same stream comes next; what both have to say is said then.
    public mutating func letterScored(
        _ job: LetterJob, scores: LetterScores?, isFollowed: Bool = false, at now: Now,
        actions: inout [SessionAction]
    ) {
        guard generation(of: job.streamID) == job.generation, let place = hands.place(of: job.streamID)
        else { return }
        if hands.contents[place].calibration.pending != nil {
            calibrate(job.streamID, with: scores, now, &actions)
        }
        hands.contents[place].note(job, scores, now)
        if isFollowed { return }
        pushLetters(job.streamID, now, &actions)
        finishIfDone(job.streamID, now, &actions)
    }

    mutating func receive(
        _ edit: SenseProtocol.TextEdit, _ seq: UInt64, _ now: Now, _ actions: inout [SessionAction]
    ) {
        guard isOpen(edit.streamId, .hands, "text_edit", seq, now, &actions) else { return }
        let wish: BridgeAI.TextEdit
        switch edit.kind {
        case .space: wish = .space
        case .delete: wish = .delete
        case .clear: wish = .clear
        case .unspecified, .unrecognized:
            report(
                FieldProblem(
                    field: "text_edit.kind", expected: "SPACE, DELETE or CLEAR", got: "\(edit.kind.rawValue)"),
                stream: edit.streamId, seq: seq, now, &actions)
            return
        }
        guard let place = hands.place(of: edit.streamId) else { return }
        hands.contents[place].letters.apply(wish)
        let update = SenseProtocol.LetterUpdate(
            streamId: edit.streamId, state: .committed, text: hands.contents[place].sentText)
        send(.letterUpdate(update), .durable, now, &actions)
        if let suggestions = hands[edit.streamId]?.hear(wish, streamID: edit.streamId) {
            send(.wordSuggestions(suggestions), suggestions.final ? .durable : .lossy, now, &actions)
        }
    }

    /// The stream ends: a letter that was shown well enough is still taken.
    mutating func endSpelling(_ id: UInt32, _ now: Now, _ actions: inout [SessionAction]) {
        guard let place = hands.place(of: id),
            let update = hands.contents[place].finish(streamID: id), update.state == .committed
        else { return }
        streams[id]?.finals += 1
        send(.letterUpdate(update), .durable, now, &actions)
    }

    /// The stream ends: what its last word was.
    mutating func endWords(_ id: UInt32, _ now: Now, _ actions: inout [SessionAction]) {
        _ = hands[id]?.takeSuggestions()
        guard let suggestions = hands[id]?.endWord(streamID: id) else { return }
        send(.wordSuggestions(suggestions), .durable, now, &actions)
    }

    /// Sends everything that can be said now. Commits always go out; partials only to devices that want them, and
    /// only when they look different.
    private mutating func pushLetters(_ id: UInt32, _ now: Now, _ actions: inout [SessionAction]) {
        let showsPartials = hello.capabilities?.showsPartials == true
        guard let place = hands.place(of: id) else { return }
        let updates = hands.contents[place].drain(streamID: id, showsPartials: showsPartials, now)
        for update in updates {
            if update.state == .committed {
                streams[id]?.finals += 1
                send(.letterUpdate(update), .durable, now, &actions)
            } else {
                send(.letterUpdate(update), .lossy, now, &actions)
            }
        }
        for suggestions in hands.contents[place].takeSuggestions() {
            send(.wordSuggestions(suggestions), suggestions.final ? .durable : .lossy, now, &actions)
        }
    }
}

extension HandStream {
    /// What became of one frame.
    struct Taken {
        var job: LetterJob?
        var warning: StreamWarning?
    }

    /// Letters sent back; the rest of a long text stays on the server.
    static let maxSentCharacters = 1024

    var sentText: String { String(letters.text.text.suffix(Self.maxSentCharacters)) }

    /// Takes one frame: rate, order, which hand, geometry; then it waits for its score.
    mutating func take(
        _ frame: HandFrame, index: Int, streamID: UInt32, generation: UInt32, _ now: Now
    ) -> Taken {
        var taken = Taken()
        // Texts are made for warnings only: a usual frame makes none.
        var field: String { "hand_frames.frames[\(index)]" }
        func warn(_ kind: WarningKind, _ path: String, _ message: String, _ fix: String) {
            taken.warning = warnings.warn(
                kind, streamID: streamID, field: path.isEmpty ? field : "\(field).\(path)", message: message,
                fix: fix, at: now)
        }
        switch rate.admit(index: frame.frameIndex, monoUs: frame.timeUs(now)) {
        case .admitted: break
        case .clockJumped(let fromUs, let toUs):
            warn(.clockJump, "mono_us", "went from \(fromUs) to \(toUs)", "send a monotonic clock")
        case .tooFast:
            let limit = limits.maxHandFramesPerSecond
            warn(.badFrame, "", "faster than \(limit) frames a second; left out", "send fewer frames")
            return taken
        case .duplicate:
            warn(.duplicate, "frame_index", "\(frame.frameIndex) came before; left out", "")
            return taken
        case .outOfOrder:
            warn(.outOfOrder, "frame_index", "\(frame.frameIndex) is late; left out", "send frames in order")
            return taken
        }
        receivedFrames &+= 1
        meter.add(1, at: now)
        guard follows(frame) else { return taken }
        if frame.noHand {
            normalizer.handLeft()
            enqueue(frame, .noHand, nil, now)
            return taken
        }
        guard queue.count < limits.maxHandFramesInFlight else {
            warn(.badFrame, "", "the letter model is behind; frame left out", "none: the server is busy")
            return taken
        }
        do throws(FieldProblem) {
            let short = frame.pointsQ14.isEmpty ? nil : try frame.q14Pose(field: field)
            do throws(BridgeAIError) {
                let pose = if let short { try HandPose(short) } else { try HandPose(frame.points.span) }
                let hand = try normalizer.normalize(pose, handedness: frame.handedness.hand)
                let moved = motion.follow(hand, timeUs: frame.timeUs(now))
                if let doubt = watch.add(
                    hand, moved, hasZ: normalizer.geometry.hasZ, timeUs: frame.timeUs(now))
                {
                    let (kind, path, message, fix) = explain(doubt)
                    taken.warning = warnings.warn(
                        kind, streamID: streamID, field: path, message: message, fix: fix, at: now)
                }
                enqueue(frame, nil, moved, now)
                inFlight += 1
                taken.job = LetterJob(
                    streamID: streamID, generation: generation, frameIndex: frame.frameIndex,
                    monoUs: frame.monoUs, pose: hand.vector)
            } catch {
                enqueue(frame, .badFrame, nil, now)
                warn(.badFrame, error.field, error.description, "send 63 finite numbers")
            }
        } catch {
            enqueue(frame, .badFrame, nil, now)
            warn(.badFrame, "points_q14", "expected \(error.expected), got \(error.got)", "send 63 numbers")
        }
        return taken
    }

    /// A frame without a score joins the queue only behind frames that wait for theirs.
    private mutating func enqueue(
        _ frame: HandFrame, _ observation: LetterObservation?, _ motion: HandMotion?, _ now: Now
    ) {
        // Beyond the limit only frames that need no score come in; the oldest of them tell nothing new.
        guard queue.count < 2 * limits.maxHandFramesInFlight else { return }
        queue.append(
            PendingFrame(
                frameIndex: frame.frameIndex, monoUs: frame.timeUs(now), observation: observation,
                motion: motion))
    }

    /// Follows one hand; switches when the followed one has been away for a while.
    private mutating func follows(_ frame: HandFrame) -> Bool {
        guard frame.handId != (trackedHand ?? frame.handId) else {
            trackedHand = frame.handId
            otherHandFrames = 0
            return true
        }
        otherHandFrames += 1
        guard otherHandFrames > 10 else { return false }
        trackedHand = frame.handId
        otherHandFrames = 0
        normalizer.handLeft()
        motion.handLeft()
        letters.handChanged()
        return true
    }

    /// Puts a score beside its frame; a missing one counts as a bad frame.
    mutating func note(_ job: LetterJob, _ scores: LetterScores?, _ now: Now) {
        inFlight -= 1
        lastScoredUs = now.serverUs
        guard let place = queue.firstIndex(where: { $0.frameIndex == job.frameIndex }) else { return }
        queue[place].observation =
            scores.map { .scores(adaptation?.adapted($0) ?? $0) } ?? .badFrame
    }

    /// Observes everything that can be observed now, in order; returns what is worth sending.
    mutating func drain(
        streamID: UInt32, showsPartials: Bool, _ now: Now
    ) -> [SenseProtocol.LetterUpdate] {
        var updates: [SenseProtocol.LetterUpdate] = []
        var observed = 0
        while observed < queue.count, let observation = queue[observed].observation {
            let (index, timeUs) = (queue[observed].frameIndex, queue[observed].monoUs)
            let motion = queue[observed].motion
            observed += 1
            lastMonoUs = timeUs
            guard
                let update = letters.observe(
                    observation, motion: motion, frameIndex: index, timeUs: timeUs)
            else { continue }
            let isShown = showsPartials && (format.everyFrame || filter.admits(update, nowUs: now.serverUs))
            if isShown || update.state == .committed || update.state == .space {
                updates.append(wire(update, streamID: streamID, monoUs: timeUs))
            }
            hear(update, streamID: streamID)
        }
        if observed == queue.count {
            queue.removeAll(keepingCapacity: true)
        } else if observed > 0 {
            queue.removeFirst(observed)
        }
        return updates
    }

    /// The update of a letter that the end of the stream completes.
    mutating func finish(streamID: UInt32) -> SenseProtocol.LetterUpdate? {
        letters.finish().map { update in
            hear(update, streamID: streamID)
            return wire(update, streamID: streamID, monoUs: lastMonoUs)
        }
    }

    private func wire(
        _ update: BridgeAI.LetterUpdate, streamID: UInt32, monoUs: UInt64
    ) -> SenseProtocol.LetterUpdate {
        let state: LetterState
        switch update.state {
        case .partial: state = .partial
        case .committed, .space: state = .committed
        case .noHand, .phraseEnd: state = .noHand
        case .uncertain, .textFull: state = .uncertain
        }
        // A commit names the others that it may be; a partial's first candidate is its letter.
        let others = update.commit?.alternatives ?? Array(update.alternatives.dropFirst())
        // Partials leave the text out: it has not changed, and at 30 frames a second it would be most of the bytes.
        return SenseProtocol.LetterUpdate(
            streamId: streamID, state: state,
            letter: update.state == .space ? " " : update.letter.map { String($0.character) } ?? "",
            confidence: update.confidence,
            alternatives: others.map {
                SenseProtocol.LetterCandidate(
                    letter: String($0.letter.character), probability: $0.probability)
            }, text: state == .committed ? sentText : "", firstFrameIndex: update.firstFrame,
            lastFrameIndex: update.lastFrame, monoUs: monoUs, holdProgress: update.holdProgress,
            firstMonoUs: update.commit?.startUs ?? 0,
            replaces: UInt32(clamping: update.commit?.replaces ?? 0),
            phraseEnd: update.state == .phraseEnd, letterProbability: update.letterProbability)
    }
}

extension HandFrame {
    /// The device's clock of the frame; the server's where the device gives none.
    func timeUs(_ now: Now) -> UInt64 { monoUs == 0 ? now.serverUs : monoUs }
}
