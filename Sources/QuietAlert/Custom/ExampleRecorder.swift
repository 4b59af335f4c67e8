import Numerics

/// Listens to one example of a person's own sound, from its announcement to its end.
///
/// Only steps with sound in them count: those with a block of 10 ms within 25 dB of the loudest, and well above the
/// quiet of the recording. Keeps levels and vectors, never samples.
public struct ExampleRecorder: Sendable {
    /// Samples of a block: 10 ms at 22,050 Hz; 32 of them are a step.
    static let blockSamples = 220
    /// Blocks this far below the loudest do not sound any more, dB.
    static let soundingRange: Float = 25
    /// A block must be so far above the quiet of the recording, dB.
    static let aboveQuiet: Float = 6
    /// Vectors shorter than this share of the longest are the edges of the sound.
    static let leastShare: Float = 0.5
    /// Vectors shorter than this are rounding.
    static let leastMagnitude: Float = 1e-3

    private struct Step: Sendable {
        var levels: [Float]
        var novelty: [Float]?
    }

    private let maxSteps: Int
    private var steps: [Step] = []
    private var isInterrupted = false

    /// A recording without any step.
    public init(stepSamples: Int = AudioStepper.stepSamples) {
        maxSteps = max(1, CustomSoundLimits.maxExampleSamples / max(1, stepSamples))
    }

    /// Whether further steps are taken.
    public var isFull: Bool { steps.count >= maxSteps }

    /// Steps taken.
    public var stepCount: Int { steps.count }

    /// Takes a step: its samples (empty: silence), and what is new in it (nil: nothing, the step was skipped).
    public mutating func take(levels: [Float], novelty: [Float]?) {
        guard !isFull else { return }
        steps.append(Step(levels: levels, novelty: novelty))
    }

    /// The network did not get to a step.
    public mutating func interrupt() { isInterrupted = true }

    /// Levels of the blocks of a step's samples, dBFS.
    public static func levels(_ samples: [Float]) -> [Float] {
        stride(from: 0, to: samples.count, by: blockSamples).map { start in
            let block = samples[start..<min(samples.count, start + blockSamples)]
            let power = block.reduce(0.0) { $0 + Double($1) * Double($1) } / Double(block.count)
            return Decibels.fromPower(power)
        }
    }

    /// The example, as vectors of length 1.
    public func finish() throws(CustomSoundProblem) -> CustomSoundExample {
        guard !isInterrupted else { throw .interrupted }
        let levels = steps.flatMap(\.levels).sorted()
        guard let peak = levels.last, peak > -120 else { throw .silent }
        guard peak >= CustomSoundLimits.minLevelDecibels else { throw .tooQuiet(peakDecibels: peak) }
        // Steps that were skipped as silence have no levels, and are quieter than anything.
        let quiet = steps.contains { $0.levels.isEmpty } ? -120 : levels[levels.count / 5]
        // A sound that fills the recording leaves no quiet to compare with.
        let floor = min(max(peak - Self.soundingRange, quiet + Self.aboveQuiet), peak - Self.aboveQuiet)
        let blocks = levels.count { $0 >= floor }
        guard blocks >= CustomSoundLimits.minSoundingBlocks else { throw .tooShort(soundingMs: blocks * 10) }
        let sounding = steps.indices.filter { steps[$0].levels.contains { $0 >= floor } }
        guard let first = sounding.first, let last = sounding.last else { throw .silent }
        // The network looks back: what a step brought is seen best in the steps after it.
        let seen = steps[first...min(last + 2, steps.count - 1)].compactMap(\.novelty)
        let longest = seen.map(\.magnitude).max() ?? 0
        let vectors = seen.filter { $0.magnitude >= Self.leastShare * longest }.compactMap(\.unit)
        guard longest > Self.leastMagnitude, !vectors.isEmpty else { throw .nothingNew }
        return CustomSoundExample(vectors: Self.chosen(vectors), magnitude: longest)
    }

    /// At most `maxVectors`, each the one least like those before it, so that all parts of the sound are there.
    private static func chosen(_ vectors: [[Float]]) -> [[Float]] {
        guard vectors.count > CustomSoundLimits.maxVectors else { return vectors }
        var chosen = [vectors[vectors.count / 2]]
        while chosen.count < CustomSoundLimits.maxVectors {
            let next = vectors.min { a, b in
                (chosen.map { $0.dot(a) }.max() ?? 0) < (chosen.map { $0.dot(b) }.max() ?? 0)
            }
            guard let next else { break }
            chosen.append(next)
        }
        return chosen
    }
}

/// One example of a sound: directions in the space.
public struct CustomSoundExample: Equatable, Sendable {
    /// 1…4 vectors of length 1.
    public var vectors: [[Float]]
    /// Length of the longest before it was brought to 1.
    public var magnitude: Float

    /// An example.
    public init(vectors: [[Float]], magnitude: Float) {
        self.vectors = vectors
        self.magnitude = magnitude
    }

    /// How alike two examples are, −1…1: their most similar parts.
    func similarity(to other: CustomSoundExample) -> Float {
        vectors.map { other.similarity(to: $0) }.max() ?? -1
    }

    /// How alike something heard is.
    func similarity(to vector: [Float]) -> Float { vectors.map { $0.dot(vector) }.max() ?? -1 }
}
