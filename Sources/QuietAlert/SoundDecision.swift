import Numerics

/// A label heard in one window.
public struct SoundDetection: Equatable, Sendable {
    /// What was heard.
    public var label: SoundLabel
    /// 0…1: probability that one of the nine is there, times the probability of this one among them.
    public var confidence: Float

    /// A detection.
    public init(label: SoundLabel, confidence: Float) {
        self.label = label
        self.confidence = confidence
    }
}

/// Thresholds that turn the network's logits into detections. Chosen on training data, shipped with the model.
public struct SoundThresholds: Equatable, Sendable {
    /// Presence logit at and above which a window holds one of the nine.
    public var presenceLogit: Float
    /// Presence logit for single labels, where it differs.
    public var presenceLogitByLabel: [SoundLabel: Float]
    /// A second label is reported beside the best from this share of probability on; 1 allows none.
    public var secondLabelProbability: Float

    /// Defaults: presence at even odds; a second label only when it shares the window almost equally.
    public init(
        presenceLogit: Float = 0, presenceLogitByLabel: [SoundLabel: Float] = [:],
        secondLabelProbability: Float = 0.35
    ) {
        self.presenceLogit = presenceLogit
        self.presenceLogitByLabel = presenceLogitByLabel
        self.secondLabelProbability = secondLabelProbability
    }
}

/// What the network said about one window, and what follows from it.
public struct SoundDecision: Equatable, Sendable {
    /// Labels over their thresholds, most probable first; empty when there is nothing (or nothing sure).
    public var detections: [SoundDetection]
    /// Probability that any of the nine is there, 0…1.
    public var presence: Float
    /// Softmax over the nine, in logit order, for live displays; empty if the logits were unusable.
    public var classProbabilities: [Float]

    /// Decides one window. Logits that are not nine finite numbers give an empty decision.
    public init(presenceLogit: Float, classLogits: [Float], thresholds: SoundThresholds = SoundThresholds()) {
        let labels = SoundLabel.networkLabels
        guard classLogits.count == labels.count, classLogits.allSatisfy(\.isFinite), presenceLogit.isFinite
        else {
            detections = []
            presence = 0
            classProbabilities = []
            return
        }
        let probabilities = Elementary.softmax(classLogits)
        let present = Elementary.sigmoid(presenceLogit)
        let order = probabilities.indices.sorted { probabilities[$0] > probabilities[$1] }
        detections = order.enumerated().compactMap { rank, index in
            let label = labels[index]
            let threshold = thresholds.presenceLogitByLabel[label] ?? thresholds.presenceLogit
            guard presenceLogit >= threshold,
                rank == 0 || probabilities[index] >= thresholds.secondLabelProbability
            else { return nil }
            return SoundDetection(label: label, confidence: present * probabilities[index])
        }
        presence = present
        classProbabilities = probabilities
    }
}
