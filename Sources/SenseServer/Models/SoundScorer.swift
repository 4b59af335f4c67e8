import Inference

/// What the sound network says about one window.
struct SoundNetworkScores: Sendable, Equatable {
    /// `[9]`, in label order.
    var classLogits: [Float]
    /// Whether any of the nine is there.
    var presenceLogit: Float
}

/// The sound network on one worker: windows `[110250]` → logits.
final class SoundScorer: BatchScorer {
    private let runner: BatchRunner?
    private let classes: Int
    private let presence: Int

    /// Windows of one batch: bounds how long the first of them waits for the last.
    static let maxBatch = 4

    init(_ model: LoadedModel) {
        runner = try? BatchRunner(model.network, maxBatch: Self.maxBatch)
        classes = model.network.outputs.firstIndex { $0.name == "class_logits" } ?? 0
        presence = model.network.outputs.firstIndex { $0.name == "presence_logit" } ?? 1
    }

    func score(_ jobs: [[Float]]) -> [SoundNetworkScores?] {
        var results = [SoundNetworkScores](
            repeating: SoundNetworkScores(classLogits: [], presenceLogit: -.infinity), count: jobs.count)
        let (classes, presence) = (classes, presence)
        do {
            guard let runner else { return [SoundNetworkScores?](repeating: nil, count: jobs.count) }
            try runner.run(
                rows: jobs.count,
                fill: { row, _, span in
                    for i in 0..<min(span.count, jobs[row].count) { span[i] = jobs[row][i] }
                },
                take: { row, index, span in
                    if index == classes {
                        for i in 0..<span.count { results[row].classLogits.append(span[i]) }
                    } else if index == presence, span.count > 0 {
                        results[row].presenceLogit = span[0]
                    }
                })
        } catch {
            return [SoundNetworkScores?](repeating: nil, count: jobs.count)
        }
        return results
    }
}
