/// One step of the sound network: the newest samples of a stream.
public struct AudioStep: Equatable, Sendable {
    /// Samples at 22,050 Hz, as many as the stepper cuts, oldest first. Empty when there is nothing to compute: all of
    /// it is silence, and so is all that the network still remembers.
    public var samples: [Float]
    /// Index after its last sample in the 22,050 Hz stream.
    public var endSampleIndex: UInt64
    /// Samples of it that were never received and read 0: gaps of the stream.
    public var blindSamples: Int
    /// All that the network remembers before this step is silence: it begins anew, as at the start of a stream.
    public var startsFromSilence: Bool

    /// All of it, as a producer or a test has it.
    public init(samples: [Float], endSampleIndex: UInt64, blindSamples: Int, startsFromSilence: Bool) {
        self.samples = samples
        self.endSampleIndex = endSampleIndex
        self.blindSamples = blindSamples
        self.startsFromSilence = startsFromSilence
    }

    /// The network has nothing to do.
    public var isSkipped: Bool { samples.isEmpty }
}

/// Cuts a 22,050 Hz stream into steps of 0.32 s for a network that remembers what came before, or of 0.5 s for one that
/// is run on whole windows.
///
/// Before a stream there was silence. Silence that lasts longer than the network remembers leads to one known state,
/// so such steps are skipped and the next sound begins from that state. A gap is silence of its length; of a long one
/// the first steps are made, so that what was heard before it is judged, and then the network begins anew.
/// Memory: 4 bytes a sample of a step.
public struct AudioStepper: Sendable {
    /// Rate of the samples.
    public static let sampleRateHz = 22_050
    /// Samples of a step: 0.32 s, sixteen frames of 20 ms.
    public static let stepSamples = 7_056
    /// Samples of a step where each one costs a whole window: 0.5 s.
    public static let wholeWindowStepSamples = 11_025
    /// Most samples that a decision depends on: 5 s.
    public static let memorySamples = 110_250
    /// Heard so long (0.96 s), a stream is decided on for the first time: before, its beginning looks like an onset.
    public static let firstDecisionSamples: UInt64 = 21_168
    /// Samples below this are silence: -120 dBFS, a thirtieth of the least that 16 bits hold. It is where filters fade
    /// to, and gives the network 0.02 where silence gives 0.
    static let silencePeak: Float = 1e-6
    /// Steps made of one gap before the network begins anew.
    static let maxGapSteps = 4

    /// Samples of each step of this stepper.
    public let stepSamples: Int
    private var filling: [Float] = []
    private var blindInStep = 0
    /// Silence that reaches up to the last complete step.
    private var silentSamples = memorySamples
    private var isFresh = true
    /// Samples in complete steps, gaps included.
    private var completeSamples: UInt64 = 0
    /// Samples of silence that stood in for gaps since the stream began.
    public private(set) var blindSamples: UInt64 = 0

    /// A stepper at the start of a stream.
    public init(stepSamples: Int = Self.stepSamples) {
        precondition(stepSamples > 0)
        self.stepSamples = stepSamples
    }

    /// Samples so far, gaps included.
    public var endSampleIndex: UInt64 { completeSamples + UInt64(filling.count) }

    /// Adds samples; returns the steps that became complete.
    public mutating func push(_ samples: [Float]) -> [AudioStep] {
        var steps: [AudioStep] = []
        var offset = 0
        while offset < samples.count {
            let end = min(samples.count, offset + stepSamples - filling.count)
            filling += samples[offset..<end]
            offset = end
            if filling.count == stepSamples { steps.append(closeStep()) }
        }
        return steps
    }

    /// Adds a gap of `count` samples as silence; returns the steps that became complete.
    public mutating func pushGap(_ count: UInt64) -> [AudioStep] {
        blindSamples += count
        var steps: [AudioStep] = []
        var remaining = count
        let step = UInt64(stepSamples)
        while remaining > 0 {
            if filling.isEmpty, remaining >= step, isFresh || steps.count >= Self.maxGapSteps {
                // Nothing but silence ahead, and nothing before it that is still to be judged.
                completeSamples += remaining / step * step
                remaining %= step
                silentSamples = Self.memorySamples
                isFresh = true
                steps.append(skipped(blind: stepSamples))
                continue
            }
            let added = Int(min(remaining, step - UInt64(filling.count)))
            filling += repeatElement(0, count: added)
            blindInStep += added
            remaining -= UInt64(added)
            if filling.count == stepSamples { steps.append(closeStep()) }
        }
        return steps
    }

    /// Ends the stream: a step that was filling comes out, padded with silence, and a stream shorter than the first
    /// decision is padded up to it.
    public mutating func finish() -> [AudioStep] {
        guard endSampleIndex > 0 else { return [] }
        let step = UInt64(stepSamples)
        let end = (max(endSampleIndex, Self.firstDecisionSamples) + step - 1) / step * step
        return push([Float](repeating: 0, count: Int(end - endSampleIndex)))
    }

    private mutating func closeStep() -> AudioStep {
        completeSamples += UInt64(stepSamples)
        defer {
            filling.removeAll(keepingCapacity: true)
            blindInStep = 0
        }
        if filling.allSatisfy({ abs($0) < Self.silencePeak }) {
            if silentSamples >= Self.memorySamples {
                isFresh = true
                return skipped(blind: blindInStep)
            }
            silentSamples += stepSamples
        } else {
            silentSamples = 0
        }
        defer { isFresh = false }
        return AudioStep(
            samples: filling, endSampleIndex: completeSamples, blindSamples: blindInStep,
            startsFromSilence: isFresh)
    }

    private func skipped(blind: Int) -> AudioStep {
        AudioStep(
            samples: [], endSampleIndex: completeSamples, blindSamples: blind, startsFromSilence: true)
    }
}
