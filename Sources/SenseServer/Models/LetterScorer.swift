import Inference
import Numerics

/// The letter network on one worker: poses `[63]` → 26 probabilities.
final class LetterScorer: BatchScorer {
    private let runner: BatchRunner?
    private let output: Int

    init(_ model: LoadedModel) {
        runner = try? BatchRunner(model.network, maxBatch: 64)
        output = model.network.outputs.firstIndex { $0.name == "class_logits" } ?? 0
    }

    func score(_ jobs: [[Float]]) -> [[Float]?] {
        var results = [[Float]?](repeating: nil, count: jobs.count)
        let output = output
        // A failed run leaves nil: the frames count as bad and the streams' health shows it.
        try? runner?.run(
            rows: jobs.count,
            fill: { row, _, span in
                for i in 0..<min(span.count, jobs[row].count) { span[i] = jobs[row][i] }
            },
            take: { row, index, span in
                if index == output { results[row] = Self.softmax(span) }
            })
        return results
    }

    private static func softmax(_ logits: Span<Float>) -> [Float] {
        var values: [Float] = []
        values.reserveCapacity(logits.count)
        for i in 0..<logits.count { values.append(logits[i]) }
        return Elementary.softmax(values)
    }
}
