import Inference
package import QuietAlert

/// One step of one stream: its newest samples and what the network keeps of those before.
package struct SoundStep: Sendable, Equatable {
    /// `[7056]`; any number for whole windows.
    var samples: [Float]
    /// Empty: nothing but silence so far.
    var state: [Float]

    package init(samples: [Float], state: [Float]) { (self.samples, self.state) = (samples, state) }
}

/// What the sound network says after one step.
package struct SoundNetworkScores: Sendable, Equatable {
    /// `[9]`, in label order.
    package var classLogits: [Float] = []
    /// Whether any of the nine is there.
    package var presenceLogit = -Float.infinity
    /// The step in the space of people's own sounds; empty where there is none.
    package var point: [Float] = []
    /// For the stream's next step.
    package var state: [Float]
}

/// The sound network on one worker: steps of any streams, each with its own state → logits and new states.
package final class SoundScorer: BatchScorer {
    private enum Runner {
        case steps(StreamRunner)
        case windows(BatchRunner)
    }

    private let runner: Runner?
    private let classes: Int
    private let presence: Int
    private let embedding: Int?
    private let space: SoundSpace?

    /// Streams of one batch: bounds how long the first of them waits for the last, and eight fill the second-level
    /// cache.
    package static let maxBatch = 8

    /// - Parameter space: where people's own sounds are compared, if the network has one.
    package init(_ network: SoundNetwork, space: SoundSpace? = nil) {
        switch network {
        case .steps(let stream):
            let made = try? StreamRunner(stream, maxBatch: Self.maxBatch)
            try? made?.prepare()
            runner = made.map { .steps($0) }
        case .windows(let model, _):
            runner = (try? BatchRunner(model, maxBatch: Self.maxBatch)).map { .windows($0) }
        }
        classes = network.outputs.firstIndex(of: "class_logits") ?? 0
        presence = network.outputs.firstIndex(of: "presence_logit") ?? 1
        embedding = network.outputs.firstIndex(of: "embedding")
        self.space = space
    }

    package func score(_ jobs: consuming [SoundStep]) -> [SoundNetworkScores?] {
        // States are moved, never held twice: a second holder would make each step copy them.
        var states: [[Float]] = []
        for index in jobs.indices {
            states.append(jobs[index].state)
            jobs[index].state = []
        }
        let samples = jobs.map(\.samples)
        var scores = samples.map { _ in SoundNetworkScores(state: []) }
        let (classes, presence, embedding, space) = (classes, presence, embedding, space)
        func take(_ row: Int, _ output: Int, _ span: Span<Float>) {
            if output == classes {
                for i in 0..<span.count { scores[row].classLogits.append(span[i]) }
            } else if output == presence, span.count > 0 {
                scores[row].presenceLogit = span[0]
            } else if output == embedding, let space {
                scores[row].point = space.point(span)
            }
        }
        do throws(InferenceError) {
            switch runner {
            case .steps(let runner): try runner.run(samples: samples, states: &states, take: take)
            case .windows(let runner): try Self.run(runner, samples, &states, take)
            case nil: return [SoundNetworkScores?](repeating: nil, count: samples.count)
            }
        } catch {
            return [SoundNetworkScores?](repeating: nil, count: samples.count)
        }
        for row in scores.indices {
            swap(&scores[row].state, &states[row])
        }
        return scores
    }

    /// Whole windows: the state is what came before the step.
    private static func run(
        _ runner: BatchRunner, _ samples: [[Float]], _ states: inout [[Float]],
        _ take: (Int, Int, Span<Float>) -> Void
    ) throws(InferenceError) {
        let count = runner.model.inputs[0].rowCount
        for row in samples.indices {
            let missing = max(0, count - samples[row].count - states[row].count)
            states[row] = [Float](repeating: 0, count: missing) + states[row] + samples[row]
            states[row].removeFirst(max(0, states[row].count - count))
        }
        let windows = states
        try runner.run(
            rows: windows.count,
            fill: { row, _, span in
                for i in 0..<min(span.count, windows[row].count) { span[i] = windows[row][i] }
            }, take: take)
        for row in samples.indices { states[row].removeFirst(samples[row].count) }
    }
}
