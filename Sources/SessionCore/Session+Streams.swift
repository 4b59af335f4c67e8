import SenseProtocol

extension Session {
    mutating func dispatch(
        _ envelope: Envelope, unknownBody: String?, _ now: Now, _ actions: inout [SessionAction]
    ) {
        let seq = envelope.seq
        guard let body = envelope.body else {
            countUnknown()
            if envelope.mustUnderstand {
                let got = unknownBody.map { "body \($0)" } ?? "no body"
                report(
                    FieldProblem(
                        .unsupported, field: "body", expected: "a message of \(protocolName)", got: got),
                    seq: seq, now, &actions)
            }
            return
        }
        if handleRequest(body, seq: seq, now, &actions) { return }
        switch body {
        case .openStream(let open): self.open(open, seq, now, &actions)
        case .streamFormat(let format): change(format, seq, now, &actions)
        case .finish(let finish): self.finish(finish, seq, now, &actions)
        case .audioChunk(let chunk): receive(chunk, seq, now, &actions)
        case .handFrames(let frames): receive(frames, seq, now, &actions)
        case .textEdit(let edit): receive(edit, seq, now, &actions)
        case .calibrationSample(let sample): receive(sample, seq, now, &actions)
        case .soundExample(let example): receive(example, seq, now, &actions)
        case .customSoundEdit(let edit): receive(edit, seq, now, &actions)
        case .sceneFrame(let scene): receive(scene, seq, now, &actions)
        case .question(let question): receive(question, seq, now, &actions)
        case .songChunk(let chunk): receive(chunk, seq, now, &actions)
        case .playbackControl(let control): receive(control, seq, now, &actions)
        case .gap(let gap): receive(gap, seq, now, &actions)
        case .hello:
            report(
                FieldProblem(
                    .unsupported, field: "hello", expected: "one hello a connection", got: "a second"),
                seq: seq, now, &actions)
        case .error: break  // A peer's complaint ends here; it is counted by the owner's metrics.
        case .credit, .speechAudio:
            report(
                FieldProblem(
                    .unsupported, field: body.wireName, expected: "a message that this server handles",
                    got: body.wireName), seq: seq, now, &actions)
        default:
            report(
                FieldProblem(
                    .unsupported, field: body.wireName, expected: "a message from a device",
                    got: "\(body.wireName), which only a server sends"), seq: seq, now, &actions)
        }
    }

    var protocolName: String { "sense.v1" }

    // MARK: Opening

    private mutating func open(
        _ open: OpenStream, _ seq: UInt64, _ now: Now, _ actions: inout [SessionAction]
    ) {
        do throws(FieldProblem) {
            try checkRoom(for: open)
            let kind = try insertContent(open, now)
            generations &+= 1
            streams[open.streamId] = OpenedStream(
                kind: kind, generation: generations, name: open.name, lastSeq: seq, lastHealthUs: now.serverUs
            )
            send(.streamOpened(StreamOpened(streamId: open.streamId, kind: kind)), .control, now, &actions)
            switch open.format {
            case .audio?:
                actions.append(.profile(.listening(streamID: open.streamId, true)))
                takeCustomSounds(open.streamId)
                if context.sound.space != nil { actions.append(.request(.customSounds, seq: seq)) }
            case .hands?:
                signerKnown(signer, at: now, actions: &actions)
                actions.append(.request(.signer, seq: seq))
            case .music(let format)?:
                actions.append(.profile(.musicOpened(streamID: open.streamId, format: format)))
            default: break
            }
        } catch {
            report(error, stream: open.streamId, seq: seq, now, &actions)
        }
    }

    private func checkRoom(for open: OpenStream) throws(FieldProblem) {
        guard (1...65_535).contains(open.streamId) else {
            throw FieldProblem(field: "open_stream.stream_id", expected: "1…65535", got: "\(open.streamId)")
        }
        guard streams[open.streamId] == nil else {
            throw FieldProblem(
                field: "open_stream.stream_id", expected: "an id that is not open", got: "\(open.streamId)")
        }
        guard streams.count < limits.maxStreams else {
            throw FieldProblem(
                .tooFast, field: "open_stream", expected: "at most \(limits.maxStreams) streams",
                got: "one more")
        }
        if let problem = FieldProblem.name(
            open.name, field: "open_stream.name", maxBytes: limits.maxNameBytes)
        {
            throw problem
        }
    }

    /// Makes the module state of a new stream.
    private mutating func insertContent(_ open: OpenStream, _ now: Now) throws(FieldProblem) -> StreamKind {
        guard let format = open.format else {
            throw FieldProblem(
                field: "open_stream.format", expected: "one of audio, hands, scene, question, music",
                got: "none")
        }
        if open.kind != .unspecified, open.kind != format.kind {
            throw FieldProblem(
                field: "open_stream.kind", expected: "\(format.kind), as the format says", got: "\(open.kind)"
            )
        }
        switch format {
        case .audio(let wish):
            audio[open.streamId] = try AudioStream(
                wish, field: "open_stream.audio", context: context, at: now)
            audio[open.streamId]?.thresholds = alertSettings.thresholds(
                context.sound.thresholds, room: hello.room)
        case .hands(let wish):
            hands[open.streamId] = try HandStream(wish, field: "open_stream.hands", limits: limits)
        case .scene(let wish):
            scenes[open.streamId] = SceneStream(wish)
        case .music(let wish):
            music[open.streamId] = try MusicStream(wish, field: "open_stream.music", limits: limits)
        case .question:
            throw FieldProblem(
                .unavailable, field: "open_stream.question", expected: "typed questions on a scene stream",
                got: "spoken questions, which this server cannot hear")
        }
        return format.kind
    }

    // MARK: Changing and finishing

    private mutating func change(
        _ format: StreamFormat, _ seq: UInt64, _ now: Now, _ actions: inout [SessionAction]
    ) {
        let id = format.streamId
        guard let wish = format.format else {
            report(
                FieldProblem(field: "stream_format.format", expected: "a format", got: "none"), stream: id,
                seq: seq, now, &actions)
            return
        }
        guard isOpen(id, wish.kind, "stream_format", seq, now, &actions) else { return }
        do throws(FieldProblem) {
            switch wish {
            case .audio(let new):
                let taken = try audio[id]?.change(
                    new, from: format.effectiveSampleIndex, field: "stream_format.audio", at: now)
                if let taken { handle(taken, id, now, &actions) }
            case .hands(let new):
                try hands[id]?.change(new, field: "stream_format.hands")
                signerKnown(signer, at: now, actions: &actions)
            case .music(let new):
                try music[id]?.change(new, field: "stream_format.music")
                actions.append(.profile(.musicOpened(streamID: id, format: new)))
            }
        } catch {
            report(error, stream: id, seq: seq, now, &actions)
        }
    }

    private mutating func finish(
        _ finish: Finish, _ seq: UInt64, _ now: Now, _ actions: inout [SessionAction]
    ) {
        guard streams[finish.streamId] != nil else {
            report(noStream(finish.streamId, "finish"), seq: seq, now, &actions)
            return
        }
        streams[finish.streamId]?.isFinishing = true
        streams[finish.streamId]?.lastSeq = seq
        endExample(finish.streamId, seq: seq)
        flushAudio(finish.streamId, now, &actions)
        finishExampleIfHeard(finish.streamId, now, &actions)
        finishIfDone(finish.streamId, now, &actions)
    }

    /// Sends Finished once nothing is owed to a finishing stream.
    mutating func finishIfDone(_ id: UInt32, _ now: Now, _ actions: inout [SessionAction]) {
        guard let place = streams.place(of: id), streams.contents[place].isFinishing, !isOwedResults(id)
        else { return }
        endEpisodes(id, now, &actions)
        endSpelling(id, now, &actions)
        endWords(id, now, &actions)
        guard let stream = streams[id] else { return }
        streams[id] = nil
        let (items, lost) = counts(id)
        audio[id] = nil
        hands[id] = nil
        scenes[id] = nil
        music[id] = nil
        send(
            .finished(
                Finished(
                    streamId: id, lastSeq: stream.lastSeq, items: items, lostItems: lost,
                    finals: stream.finals)),
            .durable, now, &actions)
        switch stream.kind {
        case .audio: actions.append(.profile(.listening(streamID: id, false)))
        case .music: actions.append(.profile(.musicClosed(streamID: id)))
        default: break
        }
    }

    /// Results still on their way.
    private func isOwedResults(_ id: UInt32) -> Bool {
        audio[id]?.isOwedScores ?? false || (hands[id]?.inFlight ?? 0) > 0 || music[id]?.isDecoding ?? false
    }

    /// Samples, frames or scenes handled, and known missing.
    func counts(_ id: UInt32) -> (items: UInt64, lost: UInt64) {
        if let audio = audio[id] { return (audio.receivedSamples, audio.missingSamples) }
        if let hands = hands[id] { return (hands.receivedFrames, hands.missingFrames) }
        if let scene = scenes[id] { return (scene.receivedFrames, 0) }
        return (UInt64(clamping: music[id]?.receivedBytes ?? 0), 0)
    }

    // MARK: Access

    func noStream(_ streamID: UInt32, _ message: String) -> FieldProblem {
        FieldProblem(
            .notFound, field: "\(message).stream_id", expected: "the id of an open stream",
            got: "\(streamID)",
            streamID: streamID)
    }

    /// Whether a stream of that kind is open; reports it otherwise. Notes the seq.
    mutating func isOpen(
        _ streamID: UInt32, _ kind: StreamKind, _ message: String, _ seq: UInt64, _ now: Now,
        _ actions: inout [SessionAction]
    ) -> Bool {
        guard let place = streams.place(of: streamID), !streams.contents[place].isFinishing else {
            report(noStream(streamID, message), seq: seq, now, &actions)
            return false
        }
        let found = streams.contents[place].kind
        guard found == kind else {
            report(
                FieldProblem(
                    field: "\(message).stream_id", expected: "a stream of kind \(kind)", got: "\(found)"),
                stream: streamID, seq: seq, now, &actions)
            return false
        }
        streams.contents[place].lastSeq = seq
        return true
    }

    /// Reports a problem of one stream.
    mutating func report(
        _ problem: FieldProblem, stream: UInt32, seq: UInt64, _ now: Now, _ actions: inout [SessionAction]
    ) {
        var problem = problem
        problem.streamID = stream
        report(problem, seq: seq, now, &actions)
    }

    private mutating func receive(
        _ gap: Gap, _ seq: UInt64, _ now: Now, _ actions: inout [SessionAction]
    ) {
        guard gap.from <= gap.to else {
            report(
                FieldProblem(field: "gap.to", expected: "at least from (\(gap.from))", got: "\(gap.to)"),
                seq: seq, now, &actions)
            return
        }
        // The next chunk's index tells the same; the notice only says it earlier.
        if streams[gap.streamId] == nil { report(noStream(gap.streamId, "gap"), seq: seq, now, &actions) }
    }

    /// Takes media credit; false (and an error) if the client overran what it was given.
    /// - Parameter mediaUs: how long the media plays; 0 for what has no time of its own.
    mutating func spend(
        _ bytes: Int, playing mediaUs: UInt64 = 0, _ field: String, _ seq: UInt64, _ now: Now,
        _ actions: inout [SessionAction]
    ) -> Bool {
        let bytes = UInt64(clamping: bytes)
        guard bytes <= creditLeft else {
            var problem = FieldProblem(
                .tooFast, field: field, expected: "at most \(creditLeft) more media bytes before credit",
                got: "\(bytes)", retryAfterMs: 100)
            let since = overdrawnSinceUs ?? now.serverUs
            overdrawnSinceUs = since
            problem.isFatal = now.serverUs.since(since) >= limits.overrunEndsUs
            report(problem, seq: seq, now, &actions)
            return false
        }
        overdrawnSinceUs = nil
        creditLeft -= bytes
        creditUsed += bytes
        pace.add(mediaUs: mediaUs, at: now)
        growCredit(now, &actions)
        return true
    }

    /// Gives back what was used, unless media runs too far ahead of its own time.
    mutating func growCredit(_ now: Now, _ actions: inout [SessionAction]) {
        guard creditUsed >= limits.creditBytes / 2, !pace.isAhead(at: now) else { return }
        send(.credit(Credit(mediaBytes: creditUsed)), .control, now, &actions)
        creditLeft += creditUsed
        creditUsed = 0
    }
}

extension OpenStream.Format {
    var kind: StreamKind {
        switch self {
        case .audio: .audio
        case .hands: .hands
        case .scene: .scene
        case .question: .question
        case .music: .music
        }
    }
}

extension StreamFormat.Format {
    var kind: StreamKind {
        switch self {
        case .audio: .audio
        case .hands: .hands
        case .music: .music
        }
    }
}
