import Numerics

/// Learns a `PersonalAdaptation` from samples: softmax regression on the network's scores, held near "no correction" by
/// a penalty on the squares of all numbers, minimised by Adam (Kingma and Ba 2015) from zero. Deterministic.
///
/// Penalty, steps and rate were chosen on training recordings (`Models/training/letters_personal.py`). About 60 million
/// multiply-adds for 130 samples: not for an event loop.
public struct AdaptationTrainer: Sendable {
    /// What came out, with its honest measure.
    public struct Outcome: Equatable, Sendable {
        /// Learned from all samples.
        public let adaptation: PersonalAdaptation
        /// 0…1: samples named right by what was learned from the other folds.
        public let crossValidatedAccuracy: Float
        /// 0…1: samples named right without calibration.
        public let accuracyWithout: Float
    }

    private let penalty: Float = 0.03
    private let steps = 150
    private let rate: Float = 0.1
    /// Samples of a letter go to the folds in turn.
    private let folds = 4

    /// The shipped numbers.
    public init() {}

    /// Learns; nil with fewer than `CalibrationSamples.minLetters` letters.
    public func learn(_ samples: CalibrationSamples) -> Outcome? {
        guard samples.letterCount >= CalibrationSamples.minLetters else { return nil }
        let all = samples.samples
        var right = 0
        for fold in 0..<folds {
            let held = Self.fold(all, fold, of: folds)
            guard !held.isEmpty else { continue }
            let heldIndices = Set(held)
            let adaptation = fit(all.indices.filter { !heldIndices.contains($0) }.map { all[$0] })
            right += held.count { best(all[$0], adaptation) == all[$0].letter.index }
        }
        let without = all.count { Self.largest($0.scores) == $0.letter.index }
        return Outcome(
            adaptation: fit(all), crossValidatedAccuracy: Float(right) / Float(all.count),
            accuracyWithout: Float(without) / Float(all.count))
    }

    /// Indices of the samples of one fold.
    private static func fold(_ samples: [CalibrationSamples.Sample], _ fold: Int, of folds: Int) -> [Int] {
        var seen = [Int](repeating: 0, count: Letter.count)
        return samples.indices.filter { index in
            let letter = samples[index].letter.index
            defer { seen[letter] += 1 }
            return seen[letter] % folds == fold
        }
    }

    private func best(_ sample: CalibrationSamples.Sample, _ adaptation: PersonalAdaptation) -> Int {
        Self.largest(adaptation.adapted(sample.scores.map { Float(Elementary.exp(Double($0))) }))
    }

    private static func largest(_ values: [Float]) -> Int {
        values.indices.max { values[$0] < values[$1] } ?? 0
    }

    private func fit(_ samples: [CalibrationSamples.Sample]) -> PersonalAdaptation {
        let side = Letter.count
        let size = side * side + side
        var parameters = [Float](repeating: 0, count: size)
        var mean = parameters
        var square = parameters
        var meanDecay: Float = 1
        var squareDecay: Float = 1
        let features = samples.map { PersonalAdaptation.features($0.scores) }
        let share = 1 / Float(max(1, samples.count))
        for _ in 0..<steps {
            var gradient = parameters.map { penalty * $0 }
            for (sample, feature) in zip(samples, features) {
                var scores = sample.scores
                for row in 0..<side {
                    scores[row] += parameters[side * side + row]
                    for column in 0..<side {
                        scores[row] += parameters[row * side + column] * feature[column]
                    }
                }
                var error = Elementary.softmax(scores)
                error[sample.letter.index] -= 1
                for row in 0..<side {
                    let slope = error[row] * share
                    gradient[side * side + row] += slope
                    for column in 0..<side { gradient[row * side + column] += slope * feature[column] }
                }
            }
            meanDecay *= 0.9
            squareDecay *= 0.99
            for index in 0..<size {
                mean[index] = 0.9 * mean[index] + 0.1 * gradient[index]
                square[index] = 0.99 * square[index] + 0.01 * gradient[index] * gradient[index]
                parameters[index] -=
                    rate * (mean[index] / (1 - meanDecay))
                    / ((square[index] / (1 - squareDecay)).squareRoot() + 1e-8)
            }
        }
        return PersonalAdaptation(
            weights: Array(parameters[..<(side * side)]), bias: Array(parameters[(side * side)...]))
    }
}
