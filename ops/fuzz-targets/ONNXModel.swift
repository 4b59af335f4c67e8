// Fuzz target: an ONNX file from anywhere. Only `InferenceError` may come out; a model that loads must plan and run for
// one and three rows without touching memory that is not its own. Seeds: Tests/InferenceTests/Goldens/*.onnx.

import Inference

private let limits: InferenceLimits = {
    var limits = InferenceLimits()
    limits.maxTensorElements = 1 << 16
    limits.maxFoldedElements = 1 << 16
    limits.maxArenaFloats = 1 << 20
    limits.maxMultiplyAdds = 1 << 22
    limits.maxNodes = 256
    return limits
}()

/// libFuzzer's entry: one input, 0 for "go on".
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzONNXModel(_ data: UnsafePointer<UInt8>?, _ size: Int) -> Int32 {
    let bytes = Array(UnsafeBufferPointer(start: data, count: size))
    for backend in [ProductBackend.packed, .blas] {
        let loaded = try? InferenceModel(bytes: bytes, limits: limits, backend: backend)
        guard let model = loaded else { continue }
        for batch in [1, 3] {
            guard let plan = try? ExecutionPlan(model, batch: batch) else { continue }
            plan.run()
            for index in plan.outputs.indices {
                let count = plan.output(index).count
                precondition(count == plan.outputs[index].rowCount, "output of another size")
            }
        }
    }
    return 0
}
