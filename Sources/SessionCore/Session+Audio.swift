import QuietAlert
import SenseProtocol

extension Session {
    mutating func receive(
        _ chunk: AudioChunk, _ seq: UInt64, _ now: Now, _ actions: inout [SessionAction]
    ) {
        let id = chunk.streamId
        let durationUs = audio[id]?.durationUs(ofBytes: chunk.samples.count) ?? 0
        guard
            spend(chunk.samples.count, playing: durationUs, "audio_chunk.samples", seq, now, &actions),
            isOpen(id, .audio, "audio_chunk", seq, now, &actions)
        else { return }
        do throws(FieldProblem) {
            let wasHeard = audio[id]?.isHeard ?? true
            guard let taken = try audio[id]?.take(chunk, at: now) else { return }
            if !wasHeard, audio[id]?.isHeard == true {
                // What the monitor finds stands: the first samples are no all-clear by themselves.
                _ = audio[id]?.evaluateHealth(at: now)
                tellHealth(of: id, now, &actions)
            }
            if let gap = taken.gap {
                let reason = "the samples did not arrive; this time could not be heard"
                send(
                    .gap(Gap(streamId: id, from: gap.lowerBound, to: gap.upperBound, reason: reason)), .lossy,
                    now,
                    &actions)
            }
            if let notice = taken.notice {
                let warning = audio[id]?.warnings.warn(
                    notice.kind, streamID: id, field: notice.field, message: notice.message, fix: notice.fix,
                    at: now)
                if let warning { send(.streamWarning(warning), .lossy, now, &actions) }
            }
            handle(taken, id, now, &actions)
        } catch {
            report(error, stream: id, seq: seq, now, &actions)
        }
    }

    /// The person's settings: how easily each sound is heard, for the streams that are open and those to come.
    public mutating func alertSettingsKnown(_ settings: AlertSettings) {
        alertSettings = settings
        for id in streams.keys where audio[id] != nil {
            audio[id]?.thresholds = settings.thresholds(context.sound.thresholds, room: hello.room)
            takeCustomSounds(id)
        }
    }

    mutating func handle(
        _ taken: AudioStream.Taken, _ id: UInt32, _ now: Now, _ actions: inout [SessionAction]
    ) {
        for event in taken.alarms { tell(event, id, now, &actions) }
        advance(id, with: taken.steps, now, &actions)
    }

    /// Hands the next step to the network, if it is free, and tells what followed from those that need none.
    private mutating func advance(
        _ id: UInt32, with steps: [AudioStep], _ now: Now, _ actions: inout [SessionAction]
    ) {
        audio[id]?.offer(steps, at: now)
        while let next = audio[id]?.next(at: now), let stream = streams[id] {
            switch next {
            case .judged(let outcome): tell(outcome, id, now, &actions)
            case .score(let step, let state, let arrivedUs):
                actions.append(
                    .scoreSound(
                        SoundJob(
                            streamID: id, generation: stream.generation, samples: step.samples, state: state,
                            endSample: step.endSampleIndex, completeServerUs: arrivedUs)))
            }
        }
    }

    /// The network's answer for one step.
    /// - Parameters:
    ///   - classLogits: `[9]` in label order; nil if the model failed or was too busy.
    ///   - presenceLogit: whether any of the nine is there.
    ///   - point: the step in the space of the person's own sounds; empty where there is none.
    ///   - state: what the network keeps for the stream's next step.
    public mutating func soundScored(
        _ job: SoundJob, classLogits: [Float]?, presenceLogit: Float, point: [Float] = [], state: [Float],
        at now: Now, actions: inout [SessionAction]
    ) {
        let id = job.streamID
        guard streams[id]?.generation == job.generation, audio[id] != nil else { return }
        if let classLogits {
            let outcome: SoundScoring.Outcome? = audio[id]?.scored(
                SoundScoring.Answer(classLogits: classLogits, presenceLogit: presenceLogit), point: point,
                state: state, end: job.endSample, at: now)
            if let outcome { tell(outcome, id, now, &actions) }
        } else {
            audio[id]?.scoringFailed(at: now)
        }
        advance(id, with: [], now, &actions)
        finishExampleIfHeard(id, now, &actions)
        finishIfDone(id, now, &actions)
    }

    private mutating func tell(
        _ outcome: SoundScoring.Outcome, _ id: UInt32, _ now: Now, _ actions: inout [SessionAction]
    ) {
        if hello.capabilities?.showsPartials == true, let decision = outcome.decision {
            send(.soundScores(scores(decision, outcome, id)), .lossy, now, &actions)
        }
        for event in outcome.events { tell(event, id, now, &actions) }
        for event in outcome.own.events { tell(event, id, now, &actions) }
    }

    private func scores(
        _ decision: SoundDecision, _ outcome: SoundScoring.Outcome, _ id: UInt32
    ) -> SoundScores {
        let end = outcome.end
        return SoundScores(
            streamId: id, windowEndSample: audio[id]?.streamSample(ofModelSample: end) ?? end,
            presence: decision.presence,
            scores: zip(SoundLabel.networkLabels, decision.classProbabilities).map { label, probability in
                LabelScore(label: label.rawValue, score: probability)
            } + outcome.own.matches.map { LabelScore(label: $0.label, score: $0.confidence) })
    }

    // MARK: Endings

    mutating func flushAudio(_ id: UInt32, _ now: Now, _ actions: inout [SessionAction]) {
        guard let taken = audio[id]?.finish() else { return }
        handle(taken, id, now, &actions)
    }

    mutating func endEpisodes(_ id: UInt32, _ now: Now, _ actions: inout [SessionAction]) {
        guard let ended = audio[id]?.finishEpisodes() else { return }
        for event in ended.known { tell(event, id, now, &actions) }
        for event in ended.own { tell(event, id, now, &actions) }
    }

    // MARK: Events → the person

    private mutating func tell(
        _ event: SoundEpisodeEvent, _ id: UInt32, _ now: Now, _ actions: inout [SessionAction]
    ) {
        let (episode, step) = Self.step(of: event)
        observe(
            id, episode: episode.number << 2, sound: Told(episode.label), step: step,
            confidence: episode.peakConfidence, onset: episode.startSampleIndex, now, &actions)
    }

    /// A sound that the person taught.
    private mutating func tell(
        _ event: EpisodeEvent<String>, _ id: UInt32, _ now: Now, _ actions: inout [SessionAction]
    ) {
        let (episode, step) = Self.step(of: event)
        let urgency = audio[id]?.custom?.urgency(of: episode.label) ?? .normal
        observe(
            id, episode: episode.number << 2 | 2, sound: Told(own: episode.label, urgency), step: step,
            confidence: episode.peakConfidence, onset: episode.startSampleIndex, now, &actions)
    }

    private static func step<Label>(
        of event: EpisodeEvent<Label>
    ) -> (episode: Episode<Label>, step: SoundObservation.Step) {
        switch event {
        case .started(let started): (started, .confirmed)
        case .updated(let updated): (updated, .continues)
        case .ended(let ended): (ended, .ended)
        }
    }

    /// An alarm pattern. Suspected is a hint as of any sound; only confirmed is life safety.
    private mutating func tell(
        _ event: AlarmEvent, _ id: UInt32, _ now: Now, _ actions: inout [SessionAction]
    ) {
        let step: SoundObservation.Step
        switch event {
        case .suspected: step = .suspected
        case .confirmed: step = .confirmed
        case .ended: step = .ended
        }
        let episode = event.episode
        observe(
            id, episode: episode.number << 2 | 1, sound: Told(episode.pattern.label), step: step,
            confidence: episode.confidence, onset: episode.onsetSampleIndex, now, &actions)
    }

    private mutating func observe(
        _ id: UInt32, episode: UInt64, sound: Told, step: SoundObservation.Step, confidence: Float,
        onset: UInt64, _ now: Now, _ actions: inout [SessionAction]
    ) {
        guard let stream = audio[id] else { return }
        if step == .confirmed { streams[id]?.finals += 1 }
        let isHint = step == .suspected
        actions.append(
            .profile(
                .sound(
                    SoundObservation(
                        streamID: id, episode: episode | UInt64(streams[id]?.generation ?? 0) << 40,
                        label: sound.label, step: step, confidence: confidence,
                        onsetServerUs: stream.serverUs(ofModelSample: onset, at: now),
                        onsetSampleIndex: stream.streamSample(ofModelSample: onset),
                        urgency: isHint ? .normal : sound.urgency.wire,
                        haptic: (isHint ? SoundHaptic.single : SoundPolicy.haptic(for: sound.urgency)).wire
                    ))))
    }

    /// What an alert is about, and how much it matters.
    private struct Told {
        var label: String
        var urgency: SoundUrgency

        init(_ label: SoundLabel) { (self.label, urgency) = (label.rawValue, SoundPolicy.urgency(of: label)) }
        init(own label: String, _ urgency: SoundUrgency) { (self.label, self.urgency) = (label, urgency) }
    }
}

extension SoundUrgency {
    var wire: Urgency {
        switch self {
        case .info: .info
        case .normal: .normal
        case .urgent: .urgent
        case .lifeSafety: .lifeSafety
        }
    }
}

extension SoundHaptic {
    var wire: HapticPattern {
        HapticPattern(
            patternId: patternID, version: 1,
            steps: pulses.map {
                HapticStep(onMs: $0.onMs, offMs: $0.offMs, intensity: $0.intensity, sharpness: $0.sharpness)
            }, repeats: repeats)
    }
}
