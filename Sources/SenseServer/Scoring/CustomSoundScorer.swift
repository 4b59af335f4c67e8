import QuietAlert

/// Learns people's own sounds on a worker: comparing with all strangers takes longer than a loop may pause.
final class CustomSoundScorer: BatchScorer {
    private let trainer: CustomSoundTrainer

    init(_ space: SoundSpace) { trainer = CustomSoundTrainer(space) }

    func score(_ jobs: [TaughtSound]) -> [Result<Float, CustomSoundProblem>?] {
        jobs.map { sound in
            do throws(CustomSoundProblem) {
                return .success(try trainer.threshold(for: sound.examples))
            } catch {
                return .failure(error)
            }
        }
    }
}
