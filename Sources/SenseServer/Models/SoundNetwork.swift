package import Inference
import QuietAlert

/// The sound network in the form the server runs.
package enum SoundNetwork: Sendable {
    /// Every column of every layer once; the stream's state is carried from step to step.
    case steps(StreamingModel)
    /// The whole window for every step of 0.5 s; what is carried are its samples. For networks that have no streaming form.
    case windows(InferenceModel, reason: String)

    /// How far a step may be from the window it stands for, in logits.
    static let tolerance: Float = 1e-3

    /// The streaming form if the network has one that fits our steps and answers as the windows do.
    init(_ model: LoadedModel) {
        do throws(InferenceError) {
            let stream = try StreamingModel(model.network)
            if let reason = try Self.misfit(stream, model) {
                self = .windows(model.network, reason: reason)
            } else {
                self = .steps(stream)
            }
        } catch {
            self = .windows(model.network, reason: "\(error)")
        }
    }

    private static func misfit(
        _ stream: StreamingModel, _ model: LoadedModel
    ) throws(InferenceError) -> String? {
        guard stream.stepSamples == AudioStepper.stepSamples else {
            return "its step is \(stream.stepSamples) samples, \(AudioStepper.stepSamples) are cut"
        }
        guard stream.seenSamples <= AudioStepper.memorySamples else {
            return "it remembers \(stream.seenSamples) samples, \(AudioStepper.memorySamples) are counted on"
        }
        let count = model.network.inputs[0].rowCount
        guard let golden = GoldenInput.make(model.entry.golden, count: count), golden.count == count else {
            return "its golden input is not known"
        }
        let difference = try difference(stream, model.network, golden)
        return difference <= tolerance ? nil : "its steps differ from its windows by \(difference)"
    }

    /// Largest difference on `window`, once in steps after silence and once as a whole.
    private static func difference(
        _ stream: StreamingModel, _ network: InferenceModel, _ window: [Float]
    ) throws(InferenceError) -> Float {
        let whole = try ExecutionPlan(network, batch: 1).run(inputs: [network.inputs[0].name: window])
        let runner = try StreamRunner(stream, maxBatch: 1)
        let step = stream.stepSamples
        let steps = (stream.seenSamples + step - 1) / step
        let lead = steps * step - stream.seenSamples
        let signal = [Float](repeating: 0, count: lead) + window
        var states: [[Float]] = [[]]
        var worst: Float = 0
        for n in 0..<steps {
            try runner.run(samples: [Array(signal[(n * step)..<((n + 1) * step)])], states: &states) {
                _, output, span in
                guard n == steps - 1, let expected = whole[stream.outputs[output].name] else { return }
                for i in 0..<min(span.count, expected.count) {
                    let off = abs(span[i] - expected[i])
                    worst = off.isNaN ? .infinity : max(worst, off)
                }
            }
        }
        return worst
    }

    /// Samples between two runs.
    package var stepSamples: Int {
        switch self {
        case .steps(let stream): stream.stepSamples
        case .windows: AudioStepper.wholeWindowStepSamples
        }
    }

    /// Names of the outputs, in order.
    var outputs: [String] {
        switch self {
        case .steps(let stream): stream.outputs.map(\.name)
        case .windows(let network, _): network.outputs.map(\.name)
        }
    }
}
