import AudioFile
import Inference
import QuietAlert

/// The sound network as the server runs it, up to the points of a stream.
final class PointNetwork {
    /// What the comparison needs of one step.
    struct Step {
        var startsFromSilence: Bool
        /// Empty for a step that was skipped as silence.
        var point: [Float]
        var levels: [Float]
        var endSample: UInt64
    }

    private enum Runner {
        case steps(StreamRunner)
        case windows(BatchRunner)
    }

    private let runner: Runner
    private let output: Int
    private let space: SoundSpace

    init(_ bytes: [UInt8], _ space: SoundSpace) throws {
        self.space = space
        let model = try InferenceModel(bytes: bytes)
        output = model.outputs.firstIndex { $0.name == "embedding" } ?? 0
        if let stream = try? StreamingModel(model), stream.stepSamples == space.stepSamples {
            runner = .steps(try StreamRunner(stream, maxBatch: 1))
        } else {
            runner = .windows(try BatchRunner(model, maxBatch: 8))
        }
    }

    /// All steps of a file of 22,050 Hz, mono.
    func steps(_ path: String) throws -> [Step] {
        var file = try AudioFileReader(path: path)
        guard file.sampleRateHz == AudioStepper.sampleRateHz, file.channels == 1 else {
            throw Usage(description: "\(path): 22,050 Hz mono expected")
        }
        var stepper = AudioStepper(stepSamples: space.stepSamples)
        var audio: [AudioStep] = []
        var block: [Float] = []
        while try file.read(into: &block, maxFrames: 65_536) > 0 { audio += stepper.push(block) }
        audio += stepper.finish()
        let points = try points(audio)
        return audio.indices.map { index in
            Step(
                startsFromSilence: audio[index].startsFromSilence, point: points[index],
                levels: audio[index].isSkipped ? [] : ExampleRecorder.levels(audio[index].samples),
                endSample: audio[index].endSampleIndex)
        }
    }

    private func points(_ audio: [AudioStep]) throws -> [[Float]] {
        var points = [[Float]](repeating: [], count: audio.count)
        switch runner {
        case .steps(let runner):
            var states: [[Float]] = [[]]
            for (index, step) in audio.enumerated() where !step.isSkipped {
                if step.startsFromSilence { states = [[]] }
                try runner.run(samples: [step.samples], states: &states) { _, found, span in
                    if found == output { points[index] = space.point(span) }
                }
            }
        case .windows(let runner):
            let count = runner.model.inputs[0].rowCount
            var memory = [Float](repeating: 0, count: count)
            var windows: [(index: Int, samples: [Float])] = []
            func flush() throws {
                let batch = windows
                windows = []
                try runner.run(
                    rows: batch.count,
                    fill: { row, _, span in for i in 0..<span.count { span[i] = batch[row].samples[i] } },
                    take: { row, found, span in
                        if found == output { points[batch[row].index] = space.point(span) }
                    })
            }
            for (index, step) in audio.enumerated() where !step.isSkipped {
                if step.startsFromSilence { memory = [Float](repeating: 0, count: count) }
                memory.removeFirst(step.samples.count)
                memory += step.samples
                windows.append((index, memory))
                if windows.count == 8 { try flush() }
            }
            if !windows.isEmpty { try flush() }
        }
        return points
    }
}
