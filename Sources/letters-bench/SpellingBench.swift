import BridgeAI
import Inference

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// CPU time and frames of the decoder alone.
struct Costs {
    var frames = 0
    var decoderNs: UInt64 = 0

    var json: String {
        """
        {"frames":\(frames),"decoder_ns_per_frame":\(frames > 0 ? decoderNs / UInt64(frames) : 0),\
        "decoder_bytes":\(MemoryLayout<LetterDecoder>.size + LetterDecoder.heapBytes),\
        "motion_bytes":\(MemoryLayout<HandMotionTracker>.size)}
        """
    }
}

/// What came of one sequence.
struct Spelled {
    var decoder = ""
    var rule = ""
    var commits: [String] = []
    var ruleCommits: [String] = []
    var best: [String] = []

    var json: String {
        """
        {"decoder":"\(decoder)","rule":"\(rule)","commits":[\(commits.joined(separator: ","))],\
        "rule_commits":[\(ruleCommits.joined(separator: ","))],"frames":"\(best.joined())"}
        """
    }
}

/// The server's way from landmarks to letters, without a server.
struct SpellingBench {
    private let runner: BatchRunner
    private let letterOutput: Int
    private let presenceOutput: Int?
    private let tuning: DecoderTuning

    init(modelPath: String, tuning names: [String]) throws {
        let model = try InferenceModel(bytes: readAll(path: modelPath))
        runner = try BatchRunner(model, maxBatch: 64)
        guard let output = model.outputs.firstIndex(where: { $0.name == "class_logits" }) else {
            throw BenchError.noOutput("class_logits")
        }
        letterOutput = output
        presenceOutput = model.outputs.firstIndex { $0.name == "letter_logit" }
        var tuning = DecoderTuning()
        for name in names { try tuning.set(name) }
        self.tuning = tuning
    }

    func spell(_ sequence: LandmarkSequence, _ costs: inout Costs) throws -> Spelled {
        let geometry = try HandGeometry(
            producer: .raw, mirrored: true, hasZ: sequence.hasZ, handedness: .right)
        var normalizer = LandmarkNormalizer(geometry)
        var tracker = HandMotionTracker()
        var hands: [CanonicalHand?] = []
        for frame in sequence.frames { hands.append(try frame.points.map { try normalizer.normalize($0) }) }
        let scores = try score(hands)
        var decoder = LetterDecoder(tuning: tuning)
        var rule = LetterStabilizer()
        var spelled = Spelled()
        for (index, frame) in sequence.frames.enumerated() {
            let observation = scores[index].map { LetterObservation.scores($0) } ?? .noHand
            let start = Self.threadNs()
            let motion = hands[index].map { tracker.follow($0, timeUs: frame.timeUs) }
            let update = decoder.observe(
                observation, motion: motion, frameIndex: UInt64(index), timeUs: frame.timeUs)
            costs.decoderNs += Self.threadNs() - start
            costs.frames += 1
            if let commit = update?.commit { spelled.commits.append(Self.line(commit, atUs: frame.timeUs)) }
            if let best = update?.alternatives.first, update?.state != .noHand {
                spelled.best.append("\(best.letter.character)\(Int(best.probability * 99))")
                if let motion {
                    spelled.best.append(
                        " \(Self.tenths(motion.shapeSpeed))/\(Self.tenths(motion.travelSpeed))")
                }
                if let share = scores[index]?.letterProbability, share < 1 {
                    spelled.best.append(" \(Int(share * 99))")
                }
                spelled.best.append("; ")
            } else {
                spelled.best.append("-; ")
            }
            if let update = rule.observe(observation, frameIndex: UInt64(index)), update.state == .committed,
                let letter = update.letter
            {
                spelled.ruleCommits.append("[\"\(letter.character)\",\(frame.timeUs)]")
            }
        }
        if let commit = decoder.finish()?.commit {
            spelled.commits.append(Self.line(commit, atUs: sequence.frames.last?.timeUs ?? 0))
        }
        spelled.decoder = decoder.text.text
        spelled.rule = rule.text.text
        return spelled
    }

    private func score(_ hands: [CanonicalHand?]) throws -> [LetterScores?] {
        let rows = hands.indices.filter { hands[$0] != nil }
        var scores = [LetterScores?](repeating: nil, count: hands.count)
        var presence = [Float](repeating: 1, count: hands.count)
        try runner.run(
            rows: rows.count,
            fill: { row, _, span in
                guard let hand = hands[rows[row]] else { return }
                hand.vector.copy(to: &span)
            },
            take: { row, index, span in
                if index == letterOutput {
                    scores[rows[row]] = try? LetterScores(logits: (0..<span.count).map { span[$0] })
                } else if index == presenceOutput {
                    presence[rows[row]] = LetterScores.presence(logit: span[0])
                }
            })
        for row in rows { scores[row]?.letterProbability = presence[row] }
        return scores
    }

    private static func line(_ commit: LetterCommit, atUs: UInt64) -> String {
        let others = commit.alternatives.map { "\"\($0.letter.character)\"" }.joined(separator: ",")
        return """
            ["\(commit.letter.character)",\(commit.startUs),\(commit.endUs),\(atUs),\(commit.confidence),\
            \(commit.replaces),[\(others)]]
            """
    }

    private static func tenths(_ value: Float) -> Float { (value * 10).rounded() / 10 }

    private static func threadNs() -> UInt64 {
        var now = timespec()
        unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now)
        return UInt64(now.tv_sec) * 1_000_000_000 + UInt64(now.tv_nsec)
    }
}

extension DecoderTuning {
    /// Sets one number, written NAME=VALUE.
    mutating func set(_ setting: String) throws {
        let parts = setting.split(separator: "=")
        guard parts.count == 2, let value = Float(parts[1]) else { throw BenchError.unknownTuning(setting) }
        let places: [String: WritableKeyPath<DecoderTuning, Float>] = [
            "neutral": \.neutral, "floor": \.floor, "hold": \.holdEvidence, "pass": \.passEvidence,
            "travel": \.spellingTravel,
            "valley": \.valley, "stillShare": \.stillShare, "stillSpeed": \.stillSpeed,
            "motionCost": \.motionCost,
            "travelShare": \.travelShare, "meanUs": \.meanUs, "takeOver": \.takeOver, "passed": \.passed,
            "groupShare": \.groupShare, "reject": \.rejectShare, "bounceTravel": \.bounceTravel,
            "bounceShapeSpeed": \.bounceShapeSpeed, "bounceTravelSpeed": \.bounceTravelSpeed,
            "bounceApproachSpeed": \.bounceApproachSpeed, "bounceUs": \.bounceUs, "turnUs": \.turnUs,
            "leap": \.leapPerSecond,
            "bounceShape": \.bounceShape, "bounceApproach": \.bounceApproach, "topSpeedUs": \.topSpeedUs,
        ]
        guard let place = places[String(parts[0])] else { throw BenchError.unknownTuning(setting) }
        self[keyPath: place] = value
    }
}
