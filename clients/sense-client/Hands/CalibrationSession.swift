import SenseClientKit
import SenseProtocol

/// One calibration over a hand stream.
final class CalibrationSession {
    private let context: CommandContext
    private let client: SenseClient
    private let stream: UInt32
    private let format: HandFormat
    private let hand: Handedness?
    private var index: UInt64 = 0
    private let startUs = ClientLoop.nowUs

    /// Frames that the server takes for one sample.
    private static let framesPerSample = 5

    init(
        context: CommandContext, client: SenseClient, stream: UInt32, format: HandFormat, hand: Handedness?
    ) {
        self.context = context
        self.client = client
        self.stream = stream
        self.format = format
        self.hand = hand
    }

    /// Sends a wish that is answered at once.
    func ask(_ sample: CalibrationSample, timeout: Duration = .seconds(10)) async throws -> CalibrationState {
        let answer = try await client.request(.calibrationSample(sample), timeout: timeout) {
            if case .calibrationState = $0 { true } else { false }
        }
        if case .calibrationState(let state) = answer { return state }
        return CalibrationState()
    }

    private func send(_ frame: HandSequence.Frame, us: UInt64) async throws {
        let wire = HandOptions.wire(
            frame, index: index, monoUs: startUs + us, hand: hand, hasZ: format.hasZ)
        index += 1
        try await client.send(.handFrames(HandFrames(streamId: stream, frames: [wire])))
    }

    /// Asks a person for each letter; false if interrupted.
    func guide(_ source: HandSource, letters: String, samples: Int) async throws -> Bool {
        for letter in letters {
            for number in 1...samples {
                context.console.tell(
                    "show",
                    ["letter": .text(String(letter)), "sample": .count(number), "of": .count(samples)],
                    "Hold \(context.console.style.bold(String(letter))) (\(number) of \(samples))")
                // The hand needs a moment to get there.
                guard try await pass(source, seconds: number == 1 ? 1.5 : 0.6) else { return false }
                try await client.send(
                    .calibrationSample(CalibrationSample(streamId: stream, letter: String(letter))))
                guard try await pass(source, until: number, of: letter) else { return false }
            }
        }
        return true
    }

    /// Lets frames go by.
    private func pass(_ source: HandSource, seconds: Double) async throws -> Bool {
        var end: Double?
        while let due = try await source.next(context.interrupt) {
            try await send(due.frame, us: UInt64(due.seconds * 1e6))
            let until = end ?? due.seconds + seconds
            end = until
            if due.seconds >= until { return true }
        }
        return false
    }

    /// Sends frames until the sample was taken.
    private func pass(_ source: HandSource, until number: Int, of letter: Character) async throws -> Bool {
        while let due = try await source.next(context.interrupt) {
            try await send(due.frame, us: UInt64(due.seconds * 1e6))
            while let received = try await client.next(within: .zero) {
                switch received.event {
                case .message(.calibrationState): return true
                case .problem(let error): throw ClientError.refused(error)
                default: break
                }
            }
        }
        return false
    }

    /// Takes samples from labelled rows, spread over all rows of each letter; false if interrupted.
    func teach(_ sequence: HandSequence, letters: String, samples: Int) async throws -> Bool {
        var us: UInt64 = 0
        for letter in letters {
            let rows = sequence.frames.filter { $0.points != nil && $0.label.uppercased() == String(letter) }
            let count = min(samples, rows.count / Self.framesPerSample)
            for number in 0..<count {
                guard !context.interrupt.isWished else { return false }
                let first = number * (rows.count / count)
                let sample = CalibrationSample(streamId: stream, letter: String(letter))
                try await client.send(.calibrationSample(sample))
                for row in rows[first..<first + Self.framesPerSample] {
                    try await send(row, us: us)
                    us += 33_333
                }
                let answer = try await client.first(within: .seconds(10)) { event in
                    switch event {
                    case .message(.calibrationState), .problem: true
                    default: false
                    }
                }
                switch answer?.event {
                case .problem(let error)?: throw ClientError.refused(error)
                case nil: throw ClientError.timedOut(waitingFor: "calibration_state")
                default: break
                }
            }
            context.console.tell(
                "taken", ["letter": .text(String(letter)), "samples": .count(count)],
                count == 0 ? "\(letter): no rows" : nil)
        }
        return true
    }

    /// Says what is in force now.
    func sumUp(_ state: CalibrationState) {
        let with = Double(state.crossValidatedAccuracy)
        let without = Double(state.accuracyWithout)
        let isMeasured = with > 0 || without > 0
        let figures =
            isMeasured
            ? "; of the samples \((with * 100).fixed(0)) % right with it (each judged by the others), "
                + "\((without * 100).fixed(0)) % without" : ""
        let words =
            isMeasured && with < without
            ? "not kept: it would be worse"
            : state.active ? "a calibration is in force" : "no calibration is in force"
        context.console.tell(
            "calibration",
            [
                "active": .flag(state.active), "can_undo": .flag(state.canUndo),
                "accuracy_with": isMeasured ? .number(with) : .null,
                "accuracy_without": isMeasured ? .number(without) : .null,
                "samples": .object(
                    state.samplesByLetter.sorted { $0.key < $1.key }.map {
                        .init(key: $0.key, value: .count($0.value))
                    }),
            ], words + figures)
    }
}
