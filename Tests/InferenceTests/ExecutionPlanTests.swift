import Inference
import Testing

@Suite struct ExecutionPlanTests {
    @Test(arguments: [
        "fused_relu", "fused_relu6", "fused_hardswish", "fused_silu", "fused_residual",
        "fused_residual_swapped",
        "fused_narrow_leaky", "fused_dense", "fused_log_mel",
    ])
    func tailsAreOneStepWithTheirProduct(name: String) throws {
        let plan = try GoldenFile(name).plan
        // Products over a padded image copy it first; input and output change their layout.
        let computing = plan.steps.filter { !$0.hasPrefix("copy") && !$0.hasPrefix("pad") }
        #expect(computing.count == 1, "\(plan.steps)")
    }

    @Test func valuesReadTwiceAreNotAbsorbed() throws {
        let golden = try GoldenFile("fused_shared")
        let outputs = try golden.plan.run(inputs: golden.inputs)
        let expected = try #require(golden.outputs["y"])
        #expect(largestDifference(try #require(outputs["y"]), expected) < 1e-4)
    }

    @Test func buffersShareMemory() throws {
        let golden = try GoldenFile("net_residual")
        let alone = try ExecutionPlan(golden.model, batch: 1)
        // The largest step holds input, output and a residual; a plan without reuse would hold a dozen images.
        #expect(alone.arenaFloats < 12 * 16 * 20 * 26)
    }

    @Test func shapesFollowTheBatch() throws {
        let model = try GoldenFile("net_sounds").model
        #expect(model.inputs.map { $0.name } == ["audio"])
        #expect(model.outputs.map { $0.name } == ["class_logits", "presence_logit", "embedding"])
        #expect(model.inputs.allSatisfy { $0.isBatched } && model.outputs.allSatisfy { $0.isBatched })
        let plan = try ExecutionPlan(model, batch: 5)
        #expect(plan.inputs[0].shape == [5, 4000] && plan.outputs[0].shape == [5, 9])
    }

    @Test func inputsKeepTheirContent() throws {
        let golden = try GoldenFile("net_mlp")
        let first = try golden.plan.run(inputs: golden.inputs)
        golden.plan.run()
        #expect(golden.plan.output(0) == first["class_logits"])
    }

    @Test func notANumberComesThrough() throws {
        let golden = try GoldenFile("net_mlp")
        let rows = golden.plan.batch
        var input = try #require(golden.inputs["landmarks"])
        input[3] = .nan
        let output = try #require(try golden.plan.run(inputs: ["landmarks": input])["class_logits"])
        #expect(output[..<26].allSatisfy { $0.isNaN })
        let others = try #require(golden.outputs["class_logits"])
        #expect(rows == 3 && largestDifference(Array(output[26...]), Array(others[26...])) < 1e-4)
    }
}
