import BridgeAI
import Inference
import Net

/// The letter network on one thread: poses → 26 probabilities, and whether the hand shows a letter at all.
final class LetterScorer: BatchScorer {
    private let runner: BatchRunner?
    private let output: Int
    /// Nil for a network that cannot tell.
    private let presence: Int?
    /// Whether each row of the present run shows a letter; kept to be used again.
    private var shown: [Float] = []

    /// Poses of one run at most.
    static let maxBatch = 64

    init(_ model: LoadedModel) {
        runner = try? BatchRunner(model.network, maxBatch: Self.maxBatch, step: 4)
        // Now rather than at the first run of each size: a loop would have to wait for it.
        try? runner?.prepare()
        output = model.network.outputs.firstIndex { $0.name == "class_logits" } ?? 0
        presence = model.network.outputs.firstIndex { $0.name == "letter_logit" }
    }

    func score(_ jobs: [HandVector]) -> [LetterScores?] {
        var results: [LetterScores?] = []
        score(rows: jobs.count, fill: { jobs[$0].copy(to: &$1) }, into: &results)
        return results
    }

    /// Scores `rows` poses, which `fill` writes where the network reads them. What cannot be scored is nil: the frame
    /// counts as bad and the stream's health shows it.
    func score(
        rows: Int, fill: (Int, inout MutableSpan<Float>) -> Void, into results: inout [LetterScores?]
    ) {
        results.removeAll(keepingCapacity: true)
        results.append(contentsOf: repeatElement(nil, count: rows))
        shown.removeAll(keepingCapacity: true)
        shown.append(contentsOf: repeatElement(1, count: rows))
        let (output, presence) = (output, presence)
        try? runner?.run(
            rows: rows,
            fill: { row, _, span in fill(row, &span) },
            take: { row, index, span in
                if index == output {
                    results[row] = try? LetterScores(logits: span)
                } else if index == presence, span.count == 1 {
                    shown[row] = LetterScores.presence(logit: span[0])
                }
            })
        for row in results.indices { results[row]?.letterProbability = shown[row] }
    }

    /// How long one run of `rows` poses takes on this machine: the shortest of several, the first not counted.
    func measuredTime(rows: Int) -> Duration {
        let poses = [HandVector](repeating: HandVector(), count: rows)
        var shortest = Duration.seconds(3600)
        for attempt in 0..<6 {
            let start = Syscalls.monotonicNow()
            _ = score(poses)
            if attempt > 0 { shortest = min(shortest, Syscalls.monotonicNow().since(start)) }
        }
        return shortest
    }
}
