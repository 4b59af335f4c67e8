import QuietAlert

/// Teaches each sound from a few of its takes, and counts what of its other takes and of the background is told.
struct OwnSoundsBench {
    private struct Stream {
        var entry: StreamList.Entry
        var steps: [PointNetwork.Step]
    }

    private let streams: [Stream]
    private let space: SoundSpace
    private let rateHz = Double(AudioStepper.sampleRateHz)

    /// Each sound is taught so often, from other takes each time.
    static let repetitions = 3
    /// A sound that is told so long after its end is not false: the network looks back.
    static let toleranceSeconds = 5.5

    init(_ list: StreamList, _ network: PointNetwork, _ space: SoundSpace) throws {
        self.space = space
        streams = try list.entries.map { Stream(entry: $0, steps: try network.steps($0.path)) }
    }

    // MARK: One sound

    private func example(_ stream: Stream) -> Result<CustomSoundExample, CustomSoundProblem> {
        // Announced a second and a half before the sound.
        let start = (stream.entry.spans.first?.start ?? 0) - 1.5
        var trail = NoveltyTrail(lagSteps: space.lagSteps)
        var recorder = ExampleRecorder(stepSamples: space.stepSamples)
        for step in stream.steps {
            if step.startsFromSilence { trail.begin(at: space.silence) }
            let novelty = step.point.isEmpty ? nil : trail.follow(step.point)
            guard Double(step.endSample) / rateHz > start else { continue }
            recorder.take(levels: step.levels, novelty: novelty)
        }
        do throws(CustomSoundProblem) {
            return .success(try recorder.finish())
        } catch {
            return .failure(error)
        }
    }

    /// Seconds at which the sound was told in a stream.
    private func told(_ matcher: CustomSoundMatcher, _ stream: Stream) -> [Double] {
        var trail = NoveltyTrail(lagSteps: space.lagSteps)
        var tracker = EpisodeTracker<String>()
        var times: [Double] = []
        for step in stream.steps {
            if step.startsFromSilence { trail.begin(at: space.silence) }
            let matches = step.point.isEmpty ? [] : matcher.match(trail.follow(step.point))
            guard step.endSample >= AudioStepper.firstDecisionSamples else { continue }
            let events = tracker.receive(
                heard: matches.filter(\.isHeard).map { ($0.label, $0.confidence) },
                traces: matches.map { ($0.label, $0.confidence) }, windowEnd: step.endSample)
            for case .started in events { times.append(Double(step.endSample) / rateHz) }
        }
        return times
    }

    private func isInside(_ time: Double, _ span: (label: String, start: Double, end: Double)) -> Bool {
        time >= span.start && time <= span.end + Self.toleranceSeconds
    }

    // MARK: All of them

    struct Tally {
        var heard: [String: (right: Int, of: Int)] = [:]
        var falseAlarms = 0
        var hours = 0.0
        var refusedExamples = 0
        var refusedSounds = 0
        var sounds = 0
        var learnTime = Duration.zero

        mutating func count(_ kind: String, _ isHeard: Bool) {
            let (right, of) = heard[kind] ?? (0, 0)
            heard[kind] = (right + (isHeard ? 1 : 0), of + 1)
        }
    }

    private func tally(examples count: Int) -> Tally {
        var tally = Tally()
        let groups = Set(streams.map(\.entry.group)).subtracting([""]).sorted()
        let background = streams.filter { $0.entry.role == "background" }
        for group in groups {
            let own = streams.filter { $0.entry.group == group }
            let teach = own.filter { $0.entry.role == "teach" }
            guard teach.count >= count, let label = teach.first?.entry.spans.first?.label else { continue }
            for repetition in 0..<Self.repetitions {
                let chosen = (0..<count).map { teach[(repetition * 3 + $0) % teach.count] }
                let tests = own.filter { stream in
                    stream.entry.role == "test" && !chosen.contains { $0.entry.take == stream.entry.take }
                }
                guard !tests.isEmpty else { continue }
                tally.sounds += 1
                var examples: [CustomSoundExample] = []
                for stream in chosen {
                    switch example(stream) {
                    case .success(let example): examples.append(example)
                    case .failure: tally.refusedExamples += 1
                    }
                }
                let start = ContinuousClock.now
                guard let sound = learn(group, &examples, &tally) else {
                    tally.refusedSounds += 1
                    continue
                }
                tally.learnTime += start.duration(to: .now)
                let matcher = CustomSoundMatcher([sound], in: space)
                for stream in tests {
                    let times = told(matcher, stream)
                    let isHeard = stream.entry.spans.contains { span in times.contains { isInside($0, span) }
                    }
                    tally.count("all", isHeard)
                    tally.count(stream.entry.kind, isHeard)
                    tally.count(stream.entry.kind + " " + stream.entry.room, isHeard)
                }
                for stream in background {
                    tally.hours += Double(stream.steps.last?.endSample ?? 0) / rateHz / 3600
                    let spans = stream.entry.spans.filter { $0.label == label }
                    tally.falseAlarms += told(matcher, stream).count { time in
                        !spans.contains { isInside(time, $0) }
                    }
                }
            }
        }
        return tally
    }

    /// Learns as a person would: an example that is refused is left out, as long as three are left.
    private func learn(
        _ label: String, _ examples: inout [CustomSoundExample], _ tally: inout Tally
    ) -> TaughtSound? {
        let trainer = CustomSoundTrainer(space)
        while examples.count >= CustomSoundLimits.examples.lowerBound {
            do throws(CustomSoundProblem) {
                return TaughtSound(
                    label: label, urgency: .normal, modelName: "", modelVersion: "",
                    modelDigest: space.modelDigest, examples: examples,
                    threshold: try trainer.threshold(for: examples))
            } catch {
                guard case .unlike(let example, _, _) = error else { return nil }
                tally.refusedExamples += 1
                examples.remove(at: example)
            }
        }
        return nil
    }

    func measure() -> (text: String, json: String) {
        var text = "own sounds: recall of unseen takes, false alarms an hour and sound, refusals\n"
        var json: [String] = []
        for count in [3, 5, 8] {
            let tally = tally(examples: count)
            guard tally.sounds > 0 else { continue }
            let rate = tally.hours > 0 ? Double(tally.falseAlarms) / tally.hours : 0
            let kinds = tally.heard.sorted { $0.key < $1.key }
            text += "\(count) examples: \(tally.sounds) sounds, \(tally.refusedSounds) refused, "
            text += "\(tally.refusedExamples) examples refused; "
            text +=
                "\(tally.falseAlarms) false alarms in \(Int(tally.hours)) h of sounds × background, \(Self.short(rate)) an hour; "
            text += "learned in \(tally.learnTime / max(1, tally.sounds - tally.refusedSounds))\n"
            for (kind, score) in kinds {
                text += "  \(kind): \(score.right) of \(score.of), "
                text += "\(Self.short(Double(score.right) / Double(max(1, score.of))))\n"
            }
            let scores = kinds.map { "\"\($0.key)\":[\($0.value.right),\($0.value.of)]" }
            json.append(
                "{\"examples\":\(count),\"sounds\":\(tally.sounds),\"refused_sounds\":\(tally.refusedSounds),"
                    + "\"refused_examples\":\(tally.refusedExamples),\"false_alarms\":\(tally.falseAlarms),"
                    + "\"hours\":\(tally.hours),\"heard\":{\(scores.joined(separator: ","))}}")
        }
        return (text, "[\(json.joined(separator: ",\n"))]\n")
    }

    private static func short(_ value: Double) -> String { "\((value * 1000).rounded() / 1000)" }
}
