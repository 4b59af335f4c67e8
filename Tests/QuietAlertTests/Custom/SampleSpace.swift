@testable import QuietAlert

/// A small space for tests: an embedding of four numbers, of which the first three are the point.
enum SampleSpace {
    static let digest = [UInt8](repeating: 7, count: 32)
    static let width = 3

    static func make(
        strangers: [[Float]] = [[0, 0, 1], [0, 0.6, 0.8]], rule: ThresholdRule = SampleSpace.rule
    ) -> SoundSpace {
        let map: [Float] = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0]
        guard
            let space = SoundSpace(
                modelDigest: digest, embeddingWidth: 4, width: width, lagSteps: 2, stepSamples: 7056,
                rule: rule,
                silence: [0, 0, 0], map: map, strangers: strangers.flatMap { $0 })
        else { preconditionFailure("the sample space does not fit together") }
        return space
    }

    static let rule = ThresholdRule(strangerMargin: 0.05, spreadShare: 0.5, leastThreshold: 0.5)

    /// The stored form of ``make(strangers:rule:)``.
    static var bytes: [UInt8] {
        func word(_ value: UInt32) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) } }
        let numbers: [Float] =
            [0.05, 0.5, 0.5] + [0, 0, 0] + [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0] + [0, 0, 1, 0, 0.6, 0.8]
        return Array("SENSESP1".utf8) + digest + [4, 3, 2, 2, 7056].flatMap { word($0) }
            + numbers.flatMap { word($0.bitPattern) }
    }

    static func example(_ vectors: [Float]...) -> CustomSoundExample {
        CustomSoundExample(vectors: vectors.compactMap(\.unit), magnitude: 1)
    }

    static func sound(_ label: String = "my kettle", threshold: Float = 0.8) -> TaughtSound {
        TaughtSound(
            label: label, urgency: .normal, modelName: "quietalert", modelVersion: "1", modelDigest: digest,
            examples: [example([1, 0, 0]), example([1, 0.2, 0], [0.9, 0, 0.1]), example([1, 0.1, 0])],
            threshold: threshold)
    }
}
