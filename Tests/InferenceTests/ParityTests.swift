import Inference
import Testing

/// Every golden model against onnxruntime's outputs, with both product backends.
@Suite struct ParityTests {
    @Test func goldensArePresent() {
        #expect(GoldenFile.names.count >= 130)
    }

    @Test(arguments: GoldenFile.names, [ProductBackend.packed, .blas])
    func matchesOnnxruntime(name: String, backend: ProductBackend) throws {
        let golden = try GoldenFile(name, backend: backend)
        // Twice: a second run must not see what the first one left.
        for _ in 0..<2 {
            let outputs = try golden.plan.run(inputs: golden.inputs)
            for (output, expected) in golden.outputs {
                let scale = max(1, expected.reduce(0) { $1.isFinite ? max($0, abs($1)) : $0 })
                let difference = largestDifference(try #require(outputs[output]), expected)
                #expect(difference <= 1e-4 * min(scale, 10), "\(output) \(golden.plan.steps)")
            }
        }
    }
}
