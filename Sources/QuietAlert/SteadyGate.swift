/// Says which steps of a stream the sound network may leave out because they only repeat what it remembers: a fan, a hum,
/// the tone of an empty room.
///
/// A step may be skipped when all that the network remembers (5.12 s) is steady and the step is like it, band by band
/// (``SteadyRules``). What the network remembers stays as it is then: as the steps left out sounded alike, its past is
/// one that the stream might as well have had. Two things keep it so:
/// - The first step to be computed after others were skipped is led in by the one before it, so that the network hears
///   a sound from its very beginning.
/// - Where time was left out, the first 20 ms are blended with what had followed, so that no click is made.
///
/// The caller repeats the network's last answer for a skipped step, and forbids skipping while that answer is not the last
/// word. Never ask it before the alarm patterns: they hear every sample. Memory: 1 KB; 30 KB more while it skips.
public struct SteadyGate: Sendable {
    /// What to do with a step.
    public enum Passage: Equatable, Sendable {
        /// Nothing: the network would say the same again.
        case skip
        /// Compute it, after `leadIn`, if there is one: the step before, which had been skipped.
        case compute(AudioStep, leadIn: AudioStep?)
    }

    /// Samples over which a step that does not follow what the network heard last is blended in: 20 ms.
    static let blendSamples = 441

    private let rules: SteadyRules
    /// Steps that reach as far back as the network remembers.
    private let memorySteps: Int
    /// Levels of the steps computed last, oldest first.
    private var remembered: [StepLevels] = []
    private var isSteady = false
    /// Steps to compute before any is skipped: after a step unlike the others the network must forget it first.
    private var stepsToCompute = 0
    private var skippedInRow = 0
    /// The newest step, if it was skipped.
    private var previous: AudioStep?
    /// What followed upon the step computed last, if that was skipped.
    private var continuation: [Float] = []

    /// A gate at the start of a stream.
    public init(stepSamples: Int = AudioStepper.stepSamples, rules: SteadyRules = SteadyRules()) {
        self.rules = rules
        memorySteps = (AudioStepper.memorySamples + stepSamples - 1) / max(1, stepSamples)
    }

    /// The network does not know the steps before the next one.
    public mutating func forget() {
        remembered = []
        isSteady = false
        stepsToCompute = 0
        resume()
    }

    /// Decides on the next step, in the order of time. What is to be computed counts as remembered from now on.
    public mutating func pass(_ step: AudioStep, maySkip: Bool = true) -> Passage {
        let levels = StepLevels(step.samples)
        let isAlike = isAlike(levels)
        if maySkip, isAlike, skippedInRow < rules.refreshSteps {
            if skippedInRow == 0 { continuation = Array(step.samples.prefix(Self.blendSamples)) }
            skippedInRow += 1
            previous = step
            return .skip
        }
        // One of many that are alike needs no lead.
        let isRefresh = maySkip && isAlike
        var computed = step
        var leadIn: AudioStep?
        if let previous {
            if isRefresh {
                computed = blended(step)
            } else {
                leadIn = blended(previous)
                remember(StepLevels(previous.samples))
            }
        }
        resume()
        remember(levels)
        return .compute(computed, leadIn: leadIn)
    }

    private mutating func isAlike(_ levels: StepLevels) -> Bool {
        guard !isSteady || isLikeRemembered(levels) else {
            stepsToCompute = memorySteps
            return false
        }
        guard stepsToCompute == 0 else {
            stepsToCompute -= 1
            return false
        }
        return isSteady
    }

    private mutating func resume() {
        skippedInRow = 0
        previous = nil
        continuation = []
    }

    private func blended(_ step: AudioStep) -> AudioStep {
        var result = step
        for i in 0..<min(continuation.count, result.samples.count) {
            let share = Float(i + 1) / Float(Self.blendSamples + 1)
            result.samples[i] = continuation[i] + (result.samples[i] - continuation[i]) * share
        }
        return result
    }

    // MARK: What is alike

    private mutating func remember(_ levels: StepLevels) {
        if remembered.count == memorySteps { remembered.removeFirst() }
        remembered.append(levels)
        isSteady = remembered.count == memorySteps && isMemorySteady
    }

    private var isMemorySteady: Bool {
        isWithin(rules.levelSpan, remembered.lazy.map(\.means))
            && isWithin(rules.peakSpan, remembered.lazy.map(\.peaks))
    }

    private func isWithin(_ span: SIMD8<Float>, _ values: some Sequence<SIMD8<Float>>) -> Bool {
        var least = SIMD8<Float>(repeating: .infinity)
        var most = -least
        for value in values {
            least = pointwiseMin(least, value)
            most = pointwiseMax(most, value)
        }
        return all(most - least .<= span)
    }

    private func isLikeRemembered(_ levels: StepLevels) -> Bool {
        let count = Float(remembered.count)
        let mean = remembered.reduce(.zero) { $0 + $1.means } / count
        let peak = remembered.reduce(.zero) { $0 + $1.peaks } / count
        let off = levels.means - mean
        return all(off .<= rules.levelStep) && all(-off .<= rules.levelStep)
            && all(levels.peaks - peak .<= rules.peakStep)
    }
}
