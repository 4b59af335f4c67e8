import Inference
import Testing

/// Networks without a streaming form are refused with the node and the reason.
@Suite struct StreamAnalysisTests {
    private func refusal(_ model: InferenceModel) -> InferenceError? {
        do throws(InferenceError) {
            _ = try StreamingModel(model)
            return nil
        } catch { return error }
    }

    @Test func paddingAlongTimeIsNamed() throws {
        guard case .notStreamable(let node, let reason)? = refusal(try GoldenFile("net_sounds").model) else {
            Issue.record("a network that pads along time was taken")
            return
        }
        #expect(node.operatorType == "Conv" && reason == "it pads along time")
    }

    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var nodes: [ModelWriter.Node]
        var refused: String
    }

    /// A convolution `x` [N, 2, 40] -> `c` [N, 3, 38], then what is refused, then a mean over time.
    static func make(_ nodes: [ModelWriter.Node], outputs: [String] = ["y"]) -> ModelWriter {
        var writer = ModelWriter(inputs: [("x", 1, [nil, 2, 40])])
        writer.outputs = outputs
        writer.initializers = [
            ModelWriter.tensor("w", [3, 2, 3], floats: 18),
            ModelWriter.tensor("row", [1, 1, 38], floats: 38),
            ModelWriter.tensor("w1", [3, 3, 3], floats: 27),
            ModelWriter.tensor("matrix", [38, 4], floats: 152),
            ModelWriter.tensor("w2", [3, 3, 2], floats: 18), ModelWriter.tensor("w3", [3, 3, 1], floats: 9),
            ModelWriter.tensor("from", integers: [2]), ModelWriter.tensor("to", integers: [40]),
            ModelWriter.tensor("last", integers: [2]), ModelWriter.tensor("flat", integers: [0, 114]),
        ]
        writer.nodes =
            [ModelWriter.Node(operatorType: "Conv", inputs: ["x", "w"], outputs: ["c"])] + nodes + [
                ModelWriter.Node(
                    operatorType: "ReduceMean", inputs: ["z"], outputs: ["y"],
                    attributes: [ModelWriter.attribute("axes", integers: [-1])])
            ]
        return writer
    }

    static func node(_ kind: String, _ inputs: [String], _ attributes: [[UInt8]] = []) -> ModelWriter.Node {
        ModelWriter.Node(
            operatorType: kind, inputs: inputs, outputs: ["z"], name: "refused", attributes: attributes)
    }

    static let cases = [
        Case(
            testDescription: "a constant along time", nodes: [node("Add", ["c", "row"])],
            refused: "\"row\" differs along time"),
        Case(
            testDescription: "part of the columns", nodes: [node("Slice", ["c", "from", "to", "last"])],
            refused: "it picks columns"),
        Case(
            testDescription: "a product over time", nodes: [node("MatMul", ["c", "matrix"])],
            refused: "it works along time"),
        Case(
            testDescription: "time beside channels", nodes: [node("Reshape", ["c", "flat"])],
            refused: "[1, 3, 38] to [1, 114] does not keep time apart"),
        Case(
            testDescription: "concatenation along time",
            nodes: [node("Concat", ["c", "c"], [ModelWriter.attribute("axis", integer: 2)])],
            refused: "it works along time"),
        Case(
            testDescription: "a ceiling",
            nodes: [
                node(
                    "MaxPool", ["c"],
                    [
                        ModelWriter.attribute("kernel_shape", integers: [3]),
                        ModelWriter.attribute("strides", integers: [2]),
                        ModelWriter.attribute("ceil_mode", integer: 1),
                    ])
            ], refused: "it may reach beyond the end of time (ceil_mode)"),
        Case(
            testDescription: "padding",
            nodes: [
                node("Conv", ["c", "w1"], [ModelWriter.attribute("pads", integers: [1, 1])])
            ], refused: "it pads along time"),
        Case(
            testDescription: "different stretches of time",
            nodes: [
                ModelWriter.Node(
                    operatorType: "Conv", inputs: ["c", "w2"], outputs: ["d"],
                    attributes: [ModelWriter.attribute("strides", integers: [2])]),
                ModelWriter.Node(
                    operatorType: "Conv", inputs: ["c", "w3"], outputs: ["e"],
                    attributes: [ModelWriter.attribute("strides", integers: [2])]),
                node("Add", ["d", "e"]),
            ], refused: "its inputs see 4 and 3 samples at a time"),
    ]

    @Test(arguments: cases) func refusalNamesNodeAndReason(_ item: Case) throws {
        let model = try InferenceModel(bytes: Self.make(item.nodes).bytes)
        guard case .notStreamable(let node, let reason)? = refusal(model) else {
            Issue.record("taken")
            return
        }
        #expect(node.name == "refused")
        #expect(reason == item.refused)
    }

    @Test func outputsWithTimeAreNamed() throws {
        let relu = ModelWriter.Node(operatorType: "Relu", inputs: ["c"], outputs: ["z"])
        let model = try InferenceModel(bytes: Self.make([relu], outputs: ["z"]).bytes)
        guard case .notStreamable(let node, _)? = refusal(model) else {
            Issue.record("taken")
            return
        }
        #expect(node.name == "z")
    }

    @Test func reductionsOverDifferentTimesAreRefused() throws {
        // `c` is reduced over 40 samples, `d`, three columns wide and two apart, over 39.
        var writer = Self.make(
            [
                ModelWriter.Node(
                    operatorType: "Conv", inputs: ["c", "w1"], outputs: ["d"],
                    attributes: [ModelWriter.attribute("strides", integers: [2])]),
                ModelWriter.Node(operatorType: "Relu", inputs: ["d"], outputs: ["z"]),
            ], outputs: ["y", "v"])
        writer.nodes.append(
            ModelWriter.Node(
                operatorType: "ReduceMax", inputs: ["c"], outputs: ["v"],
                attributes: [ModelWriter.attribute("axes", integers: [-1])]))
        guard case .notStreamable(_, let reason)? = refusal(try InferenceModel(bytes: writer.bytes)) else {
            Issue.record("taken")
            return
        }
        #expect(reason.contains("39") && reason.contains("40"))
    }

    @Test func stateHasALimit() throws {
        var limits = InferenceLimits.standard
        limits.maxStreamFloats = 100
        let model = try InferenceModel(bytes: try GoldenFile.bytes("stream_sounds.onnx"), limits: limits)
        guard case .overLimit("maxStreamFloats", 100, let got)? = refusal(model) else {
            Issue.record("taken")
            return
        }
        #expect(got > 100)
    }
}
