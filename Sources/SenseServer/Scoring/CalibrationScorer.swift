import BridgeAI

/// Learns personal calibrations on a worker.
final class CalibrationScorer: BatchScorer {
    func score(_ jobs: [CalibrationSamples]) -> [AdaptationTrainer.Outcome?] {
        jobs.map { AdaptationTrainer().learn($0) }
    }
}
