import BridgeAI
import Inference

/// The letter network on one worker: poses `[63]` → 26 probabilities, and whether the hand shows a letter at all.
final class LetterScorer: BatchScorer {
    private let runner: BatchRunner?
    private let output: Int
    /// Nil for a network that cannot tell.
    private let presence: Int?

    init(_ model: LoadedModel) {
        runner = try? BatchRunner(model.network, maxBatch: 64)
        output = model.network.outputs.firstIndex { $0.name == "class_logits" } ?? 0
        presence = model.network.outputs.firstIndex { $0.name == "letter_logit" }
    }

    func score(_ jobs: [[Float]]) -> [LetterScores?] {
        var results = [LetterScores?](repeating: nil, count: jobs.count)
        var shown = [Float](repeating: 1, count: jobs.count)
        let (output, presence) = (output, presence)
        // A failed run leaves nil: the frames count as bad and the streams' health shows it.
        try? runner?.run(
            rows: jobs.count,
            fill: { row, _, span in
                for i in 0..<min(span.count, jobs[row].count) { span[i] = jobs[row][i] }
            },
            take: { row, index, span in
                if index == output {
                    results[row] = try? LetterScores(logits: (0..<span.count).map { span[$0] })
                } else if index == presence, span.count == 1 {
                    shown[row] = LetterScores.presence(logit: span[0])
                }
            })
        for row in results.indices { results[row]?.letterProbability = shown[row] }
        return results
    }
}
