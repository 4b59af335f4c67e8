/// A model over a window of a signal, in the form that takes only the newest samples.
///
/// Derived from the same graph at load: each column of each layer is computed once, and what later columns need of
/// earlier ones is the stream's state. After a step the outputs are those of the whole-window form on the window that
/// ends with the step (to float rounding); before a stream began there was digital silence. Immutable; its weights are
/// those of the model it was made from, packed once for both.
public struct StreamingModel: Sendable {
    /// Samples of one step.
    public let stepSamples: Int
    /// Samples that the outputs depend on, the newest step's included: after as many of silence the state is
    /// ``silence`` again. A window of the whole-window form may be a little longer; its last samples fill no frame.
    public let seenSamples: Int
    /// Outputs of the file, in its order.
    public let outputs: [TensorInfo]
    /// Floats of the state of one stream.
    public var stateFloats: Int { silence.count }
    /// State of a stream that has heard nothing but digital silence.
    public let silence: [Float]
    /// Multiply-adds of one step.
    public var multiplyAdds: Int { network.multiplyAdds }

    /// The step as a model: the samples and the parts of the state in, the outputs and those parts out.
    let network: InferenceModel
    /// Floats of each part of the state.
    let parts: [Int]

    /// Derives the streaming form.
    /// - Throws: `notStreamable` when a node mixes time in a way that has none; what a load throws.
    public init(_ model: InferenceModel) throws(InferenceError) {
        let rewrite = try StreamRewrite(model.graph, order: model.order, limits: model.limits)
        network = try InferenceModel(
            graph: rewrite.graph, limits: model.limits, backend: model.backend, store: model.store)
        parts = rewrite.parts.map { $0.count }
        stepSamples = rewrite.stepSamples
        seenSamples = rewrite.seenSamples
        outputs = Array(network.outputs.prefix(model.outputs.count))
        silence = try Self.silence(network, parts, steps: seenSamples / stepSamples + 2)
    }

    /// The state that zeros lead to, whatever it was before.
    private static func silence(
        _ network: InferenceModel, _ parts: [Int], steps: Int
    ) throws(InferenceError) -> [Float] {
        let runner = try StreamRunner(
            network, parts: parts, silence: [Float](repeating: 0, count: parts.reduce(0, +)), sizes: [1])
        let samples = [Float](repeating: 0, count: network.inputs[0].rowCount)
        var states: [[Float]] = [[]]
        for _ in 0..<steps { try runner.run(samples: [samples], states: &states) { _, _, _ in } }
        return states[0]
    }
}
