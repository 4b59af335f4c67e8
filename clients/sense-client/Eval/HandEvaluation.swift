import SenseClientKit
import SenseProtocol

/// The part of `eval` for hands.
struct HandEvaluation {
    /// What came of one file.
    struct Outcome {
        var confusions = Confusions()
        /// Characters that should have been written, and edits between them and what was.
        var characters = 0
        var edits = 0
        /// Device time from the first picture of a letter to its commit, ms.
        var holds = Percentiles()
        /// From sending a picture to the answer about it, ms.
        var answers = Percentiles()
        var frames = 0
        var lostFrames: UInt64 = 0

        var characterErrorRate: Double { Double(edits) / Double(max(1, characters)) }

        mutating func add(_ other: Outcome) {
            confusions.add(other.confusions)
            characters += other.characters
            edits += other.edits
            for value in other.holds.values { holds.add(value) }
            for value in other.answers.values { answers.add(value) }
            frames += other.frames
            lostFrames += other.lostFrames
        }

        var json: JSONValue {
            .object([
                .init(
                    key: "samples", value: .count(confusions.labels.reduce(0) { $0 + confusions.total($1) })),
                .init(key: "accuracy", value: .number(confusions.accuracy, places: 4)),
                .init(key: "mean_recall", value: .number(confusions.meanRecall, places: 4)),
                .init(key: "character_error_rate", value: .number(characterErrorRate, places: 4)),
                .init(key: "hold_to_commit", value: holds.json),
                .init(key: "frame_to_letter", value: answers.json),
                .init(key: "frames", value: .count(frames)),
                .init(key: "lost_frames", value: .unsigned(lostFrames)),
                .init(key: "confusions", value: confusions.json),
            ])
        }
    }

    /// Pictures without a hand between two samples: as long as a hand is away between two words.
    private static let pauseFrames = 30
    private static let framesPerSecond = 30.0

    private let context: CommandContext
    private let hold: Int
    private let limit: Int
    private let hand: Handedness?

    init(_ context: CommandContext) throws {
        self.context = context
        hold = try context.arguments.number("--hold", in: 1...600) ?? 15
        limit = try context.arguments.number("--limit", in: 1...1_000_000) ?? .max
        hand = try HandOptions.hand(context.arguments)
    }

    func run(_ paths: [String]) async throws -> ExitCode {
        let client = try await Connector(context).connect().client
        var all = Outcome()
        var sources: [JSONValue.Member] = []
        for path in paths {
            let outcome: Outcome
            do {
                guard let measured = try await measure(path, client) else {
                    await client.leave()
                    return .interrupted
                }
                outcome = measured
            } catch {
                await client.leave()
                throw error
            }
            let source = HandSetManifest.source(path)
            tell(source, outcome)
            sources.append(.init(key: source, value: outcome.json))
            all.add(outcome)
        }
        await client.leave()
        if paths.count > 1 { tell("all", all) }
        try EvalCommand.save(
            JSONLine(["kind": .text("hands"), "all": all.json, "sources": .object(sources)]), context)
        return .ok
    }

    private func tell(_ source: String, _ outcome: Outcome) {
        let style = context.console.style
        context.console.tell(
            "eval", ["source": .text(source), "result": outcome.json],
            """
            \(style.bold(source.printable)): \((outcome.confusions.accuracy * 100).fixed(1)) % right, \
            mean of the letters \((outcome.confusions.meanRecall * 100).fixed(1)) %, character error rate \
            \((outcome.characterErrorRate * 100).fixed(1)) %
            \(outcome.confusions.table(style))
              first picture → letter: \(outcome.holds.line) of the device's time
              picture in → answer out: \(outcome.answers.line)
            """)
    }

    /// One sample on its way: which frames show it, what it is.
    private struct Sample {
        var truth: String
        var frames: Range<UInt64>
        var written = ""
        var firstCommitFrame: UInt64?
    }

    /// Runs one file; nil if interrupted.
    private func measure(_ path: String, _ client: SenseClient) async throws -> Outcome? {
        let sequence = try HandSequence(path: path)
        let known = try HandSetManifest(besides: path)[path]
        var format = try HandOptions.format(
            context.arguments, declared: sequence.format, aspect: sequence.aspect ?? known.aspect)
        // Recordings without depth hold zeros.
        let hasDepth = sequence.frames.contains { frame in
            stride(from: 2, to: frame.points?.count ?? 0, by: 3).contains { frame.points?[$0] != 0 }
        }
        if !hasDepth { format.hasZ = false }
        // Every frame's answer is counted, not only those that change what a person sees.
        format.everyFrame = true
        let isLabelled = sequence.frames.contains { !$0.label.isEmpty }
        let stream = try await client.openStream(.hands(format), name: String(path.suffix(48)))
        let fps = isLabelled ? Self.framesPerSecond : sequence.framesPerSecond ?? Self.framesPerSecond
        let (frames, samples) =
            isLabelled
            ? held(sequence, known)
            : (
                sequence.frames.map { sided($0, known) },
                [Sample(truth: sequence.label, frames: 0..<UInt64(sequence.frames.count))]
            )
        let log = SendLog()
        let context = context
        let receiver = Task { try await Self.receive(samples, stream, fps, client, log, isLabelled) }
        let startUs = ClientLoop.nowUs
        do {
            for (index, frame) in frames.enumerated() {
                let index = UInt64(index)
                while index > log.answeredEnd + 12, !context.interrupt.isWished, !receiver.isCancelled {
                    try await Task.sleep(for: .milliseconds(1))
                }
                guard !context.interrupt.isWished else {
                    receiver.cancel()
                    return nil
                }
                log.sent(upTo: index + 1, atUs: ClientLoop.nowUs)
                let monoUs = startUs + UInt64(Double(index) / fps * 1e6)
                let wire = HandOptions.wire(
                    frame, index: index, monoUs: monoUs, hand: hand, hasZ: format.hasZ)
                try await client.send(.handFrames(HandFrames(streamId: stream, frames: [wire])))
                if isLabelled, index % 8192 == 8191 {
                    try await client.send(.textEdit(TextEdit(streamId: stream, kind: .clear)))
                }
                if index % 256 == 0 {
                    context.console.progress("  \(path.printable): \(index) of \(frames.count) pictures")
                }
            }
            try await client.send(.finish(Finish(streamId: stream)))
        } catch {
            receiver.cancel()
            throw error
        }
        var outcome = try await receiver.value
        outcome.frames = frames.count
        return outcome
    }

    /// Rows held for some pictures each, with a pause between them.
    private func held(
        _ sequence: HandSequence, _ known: HandSetManifest.Entry
    ) -> ([HandSequence.Frame], [Sample]) {
        var frames: [HandSequence.Frame] = []
        var samples: [Sample] = []
        var taken: [String: Int] = [:]
        for row in sequence.frames where row.points != nil && !row.label.isEmpty {
            guard taken[row.label, default: 0] < limit else { continue }
            taken[row.label, default: 0] += 1
            let first = UInt64(frames.count)
            let frame = sided(row, known)
            frames += Array(repeating: frame, count: hold)
            frames += Array(repeating: HandSequence.Frame(points: nil), count: Self.pauseFrames)
            samples.append(Sample(truth: row.label.uppercased(), frames: first..<UInt64(frames.count)))
        }
        return (frames, samples)
    }

    private func sided(_ frame: HandSequence.Frame, _ known: HandSetManifest.Entry) -> HandSequence.Frame {
        guard frame.handedness == .unspecified, let isLeft = known.unknownHandIsLeft else { return frame }
        var frame = frame
        frame.handedness = isLeft ? .left : .right
        return frame
    }

    private static func receive(
        _ expected: [Sample], _ stream: UInt32, _ fps: Double, _ client: SenseClient, _ log: SendLog,
        _ isLabelled: Bool
    ) async throws -> Outcome {
        var samples = expected
        var outcome = Outcome()
        var place = 0
        while !Task.isCancelled {
            guard let received = try await client.next(within: .seconds(30)) else {
                throw Failure(code: .serverError, message: "the server did not finish the stream in time")
            }
            switch received.event {
            case .message(.letterUpdate(let update)) where update.streamId == stream:
                if let latency = log.answered(update.lastFrameIndex + 1, atUs: received.atUs) {
                    outcome.answers.add(latency)
                }
                guard update.state == .committed, let letter = update.letter.first, letter != " " else {
                    break
                }
                while place + 1 < samples.count, update.lastFrameIndex >= samples[place].frames.upperBound {
                    place += 1
                }
                guard place < samples.count else { break }
                samples[place].written.append(letter)
                if samples[place].firstCommitFrame == nil {
                    samples[place].firstCommitFrame = update.lastFrameIndex
                }
            case .message(.finished(let finished)) where finished.streamId == stream:
                outcome.lostFrames = finished.lostItems
                for sample in samples { judge(sample, fps, isLabelled, &outcome) }
                return outcome
            case .problem(let error): throw ClientError.refused(error)
            default: break
            }
        }
        throw CancellationError()
    }

    private static func judge(_ sample: Sample, _ fps: Double, _ isLabelled: Bool, _ outcome: inout Outcome) {
        let truth = Array(sample.truth.uppercased().filter { !$0.isWhitespace })
        // A J may be written as an I that becomes a J: the last letter is the answer.
        outcome.confusions.add(
            String(truth),
            isLabelled ? sample.written.last.map(String.init) : sample.written.isEmpty ? nil : sample.written)
        outcome.characters += truth.count
        outcome.edits += editDistance(Array(sample.written), truth)
        if let commit = sample.firstCommitFrame {
            outcome.holds.add(Double(commit - sample.frames.lowerBound) / fps * 1000)
        }
    }
}
