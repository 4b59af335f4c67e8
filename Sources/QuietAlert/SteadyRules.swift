/// What counts as steady background. Chosen on recordings of the training split; `ops/bench-sounds` measures what is missed. By the bands of
/// ``StepLevels``, highest first; the eighth lane is 0.
public struct SteadyRules: Equatable, Sendable {
    /// Most that a band's level may vary, dB, over all that the network remembers.
    public var levelSpan: SIMD8<Float>
    /// The same of its loudest instants.
    public var peakSpan: SIMD8<Float>
    /// Most that a step's level may be off the mean of what is remembered, up or down.
    public var levelStep: SIMD8<Float>
    /// Most that its loudest instant may exceed the mean of those remembered.
    public var peakStep: SIMD8<Float>
    /// Of so many steady steps in a row one is computed all the same, so that what is told of a sound that goes on, and what
    /// the network remembers of it, grow no older than 5 s.
    public var refreshSteps = 16

    /// Lower bands hold fewer independent values a step, and vary more for that alone.
    public static let width: SIMD8<Float> = [1, 1, 1, 1, 1.2, 1.5, 2.5, 0]

    /// What was chosen.
    public init(
        levelSpan: SIMD8<Float> = 5 * width, peakSpan: SIMD8<Float> = 8 * width,
        levelStep: SIMD8<Float> = 2 * width, peakStep: SIMD8<Float> = 3 * width
    ) {
        self.levelSpan = levelSpan
        self.peakSpan = peakSpan
        self.levelStep = levelStep
        self.peakStep = peakStep
    }
}
