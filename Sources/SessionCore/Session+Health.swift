import QuietAlert
import SenseProtocol
import SignalProcessing

extension Session {
    /// Looks at every stream's health; announces changes at once and the state every few seconds.
    mutating func tickStreams(_ now: Now, _ actions: inout [SessionAction]) {
        for id in streams.keys.sorted() {
            if audio[id]?.evaluateHealth(at: now) != nil {
                tellHealth(of: id, now, &actions)
            } else if let last = streams[id]?.lastHealthUs,
                now.serverUs.since(last) >= limits.healthIntervalUs
            {
                report(healthOf: id, now, &actions)
            }
        }
    }

    /// Tells the person's state and the device all that is wrong with a stream.
    mutating func tellHealth(of id: UInt32, _ now: Now, _ actions: inout [SessionAction]) {
        guard let stream = audio[id] else { return }
        let faults = stream.health.faults.map { HearingFault($0.wire, detail($0, id)) }
        // Before the first sound only what makes deaf is news: nothing else says that something is heard.
        if stream.isHeard || faults.contains(where: { HearingLoss.deaf.covers($0.state) }) {
            actions.append(.profile(.health(streamID: id, faults)))
        }
        report(healthOf: id, now, &actions)
    }

    private mutating func report(healthOf id: UInt32, _ now: Now, _ actions: inout [SessionAction]) {
        streams[id]?.lastHealthUs = now.serverUs
        send(.streamHealth(streamHealth(id, now)), .lossy, now, &actions)
    }

    func streamHealth(_ id: UInt32, _ now: Now) -> StreamHealth {
        let (items, lost) = counts(id)
        var health = StreamHealth(
            streamId: id, state: .ok, lastInferenceAgeMs: .max, levelDbfs: -120, peakDbfs: -120,
            missingItems: lost, receivedItems: items)
        if let audio = audio[id] {
            health.state = audio.health.state.wire
            health.otherStates = audio.health.faults.dropFirst().map(\.wire)
            health.detail = audio.health.faults.map { detail($0, id) }.joined(separator: " ")
            health.lastInferenceAgeMs = age(audio.health.inferenceAgeUs(nowUs: now.serverUs))
            health.levelDbfs = max(-120, audio.health.reading?.rmsDBFS ?? -120)
            health.peakDbfs = max(-120, audio.health.reading?.peakDBFS ?? -120)
            if audio.scoring.lostSteps > 0, health.detail.isEmpty {
                health.detail = "\(audio.lostSeconds) s were not judged: the server was busy."
            }
            health.gapCount = audio.gapCount
            health.estimatedRateHz = Float(audio.estimatedRateHz)
            health.blindSeconds = Float(Double(audio.health.blindUs) / 1_000_000)
        } else if let hand = hands[id] {
            health.lastInferenceAgeMs = age(hand.lastScoredUs.map { now.serverUs.since($0) })
            health.estimatedRateHz = hand.meter.perSecond
        } else if let scene = scenes[id] {
            health.lastInferenceAgeMs = age(scene.latest.map { now.serverUs.since($0.receivedUs) })
            health.estimatedRateHz = scene.meter.perSecond
        }
        return health
    }

    private func age(_ us: UInt64?) -> UInt32 { us.map { UInt32(clamping: $0 / 1000) } ?? .max }

    /// A sentence for people: what is wrong and what to do.
    func detail(_ state: StreamHealthState, _ id: UInt32) -> String {
        switch state {
        case .ok: return ""
        case .stalled: return "No sound arrives. Check that the app runs and the network is up."
        case .silent: return "The microphone sends only silence. It may be muted or covered."
        case .rateMismatch:
            let declared = audio[id]?.declaredRateHz ?? 0
            // A hostile clock can make any number of it; a sentence needs only its size.
            let measured = Int(min(max(audio[id]?.estimatedRateHz ?? 0, 0), 10_000_000))
            return "The app says \(declared) Hz but sends about \(measured) Hz; sounds cannot be recognised."
        case .detectorBehind:
            return "The server does not keep up with the sound: only smoke and CO alarms are recognised."
        case .clipped: return "The sound is overdriven. Turn the microphone down or move it away."
        case .tooQuiet:
            return
                "The microphone gives almost nothing: only very loud sounds are recognised. It may be broken."
        case .voiceProcessed:
            return audio[id]?.captureMode == .voiceProcessed
                ? "The phone filters the sound for speech, which may remove alarms."
                : "The app does not say whether the sound is filtered for speech, which may remove alarms."
        }
    }
}

extension StreamHealthState {
    var wire: HealthState {
        switch self {
        case .ok: .ok
        case .stalled: .stalled
        case .silent: .silent
        case .rateMismatch: .rateMismatch
        case .detectorBehind: .detectorBehind
        case .clipped: .clipped
        case .tooQuiet: .tooQuiet
        case .voiceProcessed: .voiceProcessed
        }
    }
}
