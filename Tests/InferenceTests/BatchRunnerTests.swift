import Inference
import Testing

@Suite struct BatchRunnerTests {
    /// Any number of rows gives each row what it gets alone.
    @Test(arguments: [1, 2, 3, 7, 8, 9, 20, 37])
    func splittingDoesNotChangeRows(rows: Int) throws {
        let model = try GoldenFile("net_mlp").model
        func value(_ row: Int, _ i: Int) -> Float { Float((row * 63 + i) * 7 % 101) / 101 - 0.5 }
        #expect(try BatchRunner(model, maxBatch: 64).sizes == [1, 2, 4, 8, 16, 32, 64])
        #expect(try BatchRunner(model, maxBatch: 17, step: 4).sizes == [1, 2, 4, 8, 12, 16])
        let runner = try BatchRunner(model, maxBatch: 8)
        #expect(runner.sizes == [1, 2, 4, 8])
        var got = [[Float]](repeating: [], count: rows)
        try runner.run(rows: rows) { row, _, span in
            for i in 0..<63 { span[i] = value(row, i) }
        } take: { row, _, span in
            for i in 0..<span.count { got[row].append(span[i]) }
        }
        let alone = try ExecutionPlan(model, batch: 1)
        for row in 0..<rows {
            let expected = try alone.run(inputs: ["landmarks": (0..<63).map { value(row, $0) }])[
                "class_logits"]
            #expect(largestDifference(got[row], try #require(expected)) < 1e-5)
        }
    }

    @Test func modelsWithoutABatchAxisAreRefused() throws {
        let model = try InferenceModel(bytes: try GoldenFile.bytes("gemm_trans_a.onnx"))
        #expect(throws: InferenceError.self) { _ = try BatchRunner(model) }
    }
}
