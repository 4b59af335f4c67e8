import BridgeAI
import Inference
import Numerics
import SenseClientKit
import SenseProtocol

/// One person's recording, scored by a network that has not seen them.
struct Signer {
    var name: String
    /// Frames of each letter in the order of time: 26 probabilities each.
    var frames: [[[Float]]] = Array(repeating: [], count: Letter.count)

    /// The recordings of `folder`, scored by the shipped network.
    static func scored(folder: String, model path: String) throws -> [Signer] {
        let network = try InferenceModel(bytes: try LocalFile.read(path, maxBytes: 64 << 20))
        let plan = try ExecutionPlan(network, batch: 1)
        let output = network.outputs.firstIndex { $0.name == "class_logits" } ?? 0
        return try ["bison_p2", "danrasband_test"].map { name in
            var signer = Signer(name: name)
            let sequence = try HandSequence(path: "\(folder)/\(name).csv.gz")
            var normalizer = LandmarkNormalizer(try HandGeometry(producer: .mediaPipe, mirrored: false))
            for frame in sequence.frames {
                guard let points = frame.points, let label = frame.label.first,
                    let letter = Letter(label)
                else { continue }
                let hand = try normalizer.normalize(
                    points, handedness: frame.handedness == .left ? .left : .right)
                plan.withInput(0) { span in
                    for index in 0..<HandPose.valueCount { span[index] = hand.values[index] }
                }
                plan.run()
                let logits = Array(plan.output(output))
                signer.frames[letter.index].append(try LetterScores(logits: logits).probabilities)
            }
            return signer
        }
    }

    /// Recordings from a CSV of `source,letter,26 probabilities`.
    static func read(scores path: String) throws -> [Signer] {
        var signers: [Signer] = []
        for line in try readLines(path) {
            let cells = line.split(separator: ",")
            guard cells.count == 2 + Letter.count, let letter = cells[1].first.flatMap({ Letter($0) }) else {
                throw Usage(
                    description: "\(path): \(line.prefix(40)) is no row of source, letter, 26 numbers")
            }
            if signers.last?.name != String(cells[0]) { signers.append(Signer(name: String(cells[0]))) }
            signers[signers.count - 1].frames[letter.index].append(cells.dropFirst(2).map { Float($0) ?? 0 })
        }
        return signers
    }

    /// Whether every letter of `word` was recorded.
    func canSpell(_ word: [Letter]) -> Bool { word.allSatisfy { !frames[$0.index].isEmpty } }
}
