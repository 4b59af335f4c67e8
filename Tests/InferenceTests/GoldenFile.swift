import Foundation
import Inference

/// One golden model beside this file, with inputs and onnxruntime's outputs.
struct GoldenFile {
    let model: InferenceModel
    let plan: ExecutionPlan
    let inputs: [String: [Float]]
    let outputs: [String: [Float]]

    static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Goldens")

    /// Names of all golden models, sorted.
    static let names: [String] = {
        let files = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return files.filter { $0.hasSuffix(".onnx") }.map { String($0.dropLast(5)) }.sorted()
    }()

    static func bytes(_ name: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: folder.appending(path: name)))
    }

    init(_ name: String, backend: ProductBackend? = nil) throws {
        let model = try InferenceModel(bytes: try Self.bytes(name + ".onnx"), backend: backend)
        let raw = try Self.bytes(name + ".bin")
        let values = stride(from: 0, to: raw.count, by: 4).map { at in
            Float(bitPattern: (0..<4).reduce(UInt32(0)) { $0 | UInt32(raw[at + $1]) << UInt32(8 * $1) })
        }
        // The batch is what makes inputs and outputs together as long as the file.
        let batches = (1...16).filter { batch in
            guard let plan = try? ExecutionPlan(model, batch: batch) else { return false }
            return (plan.inputs + plan.outputs).reduce(0) { $0 + $1.rowCount } == values.count
        }
        self.model = model
        guard let batch = batches.first else { throw GoldenError.noBatch(name) }
        let plan = try ExecutionPlan(model, batch: batch)
        self.plan = plan
        var at = 0
        func take(_ infos: [TensorInfo]) -> [String: [Float]] {
            var out: [String: [Float]] = [:]
            for info in infos {
                out[info.name] = Array(values[at..<(at + info.rowCount)])
                at += info.rowCount
            }
            return out
        }
        inputs = take(plan.inputs)
        outputs = take(plan.outputs)
    }
}

enum GoldenError: Error {
    case noBatch(String)
}

/// Largest absolute difference; infinity when lengths differ or one side alone is not a number.
func largestDifference(_ a: [Float], _ b: [Float]) -> Float {
    guard a.count == b.count else { return .infinity }
    return zip(a, b).reduce(0) { worst, pair in
        if pair.0 == pair.1 || (pair.0.isNaN && pair.1.isNaN) { return worst }
        let difference = abs(pair.0 - pair.1)
        return difference.isNaN ? .infinity : max(worst, difference)
    }
}
