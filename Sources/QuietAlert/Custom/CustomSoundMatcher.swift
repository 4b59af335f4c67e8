import Numerics

/// Compares what is new in the sound with a person's own sounds.
public struct CustomSoundMatcher: Sendable {
    /// One sound, as far as it was heard in a step.
    public struct Match: Equatable, Sendable {
        /// Name of the sound.
        public var label: String
        /// Over its threshold.
        public var isHeard: Bool
        /// 0…1; 0.5 at the threshold.
        public var confidence: Float
    }

    /// A sound as it is compared: the vectors of all its examples in a row.
    private struct Entry: Sendable {
        var label: String
        var urgency: SoundUrgency
        var threshold: Float
        var leastMagnitude: Float
        var vectors: [Float]
    }

    /// Novelty shorter than this share of the faintest example is no sound of its own.
    static let leastShare: Float = 0.3

    private let width: Int
    private let entries: [Entry]

    /// A matcher for the sounds that were taught to the network of `space`.
    public init(_ sounds: [TaughtSound], in space: SoundSpace) {
        width = space.width
        let ours = sounds.filter { sound in
            sound.modelDigest == space.modelDigest
                && sound.examples.allSatisfy { $0.vectors.allSatisfy { $0.count == space.width } }
        }
        entries = ours.map { sound in
            Entry(
                label: sound.label, urgency: sound.urgency, threshold: sound.threshold,
                leastMagnitude: Self.leastShare * (sound.examples.map(\.magnitude).min() ?? .infinity),
                vectors: sound.examples.flatMap { $0.vectors.flatMap { $0 } })
        }
    }

    /// Whether there is anything to compare with.
    public var isEmpty: Bool { entries.isEmpty }

    /// How much a sound matters.
    public func urgency(of label: String) -> SoundUrgency? {
        entries.first { $0.label == label }?.urgency
    }

    /// Compares one step's novelty.
    public func match(_ novelty: [Float]) -> [Match] {
        guard !entries.isEmpty, novelty.count == width, let direction = novelty.unit else { return [] }
        let magnitude = novelty.magnitude
        return entries.map { entry in
            let similarity = magnitude >= entry.leastMagnitude ? similarity(direction, entry) : -1
            return Match(
                label: entry.label, isHeard: similarity >= entry.threshold,
                confidence: Self.confidence(similarity, threshold: entry.threshold))
        }
    }

    private func similarity(_ direction: [Float], _ entry: Entry) -> Float {
        let (direction, vectors) = (direction.span, entry.vectors.span)
        var greatest: Float = -1
        for row in 0..<(vectors.count / width) {
            let dot = FloatKernels.dot(vectors, at: row * width, direction, at: 0, count: width)
            greatest = max(greatest, dot)
        }
        return greatest
    }

    /// 0.5 at the threshold, 1 for what is the same, falling below as steeply.
    static func confidence(_ similarity: Float, threshold: Float) -> Float {
        let room = max(1 - threshold, 0.01)
        return min(1, max(0, 0.5 + 0.5 * (similarity - threshold) / room))
    }
}
