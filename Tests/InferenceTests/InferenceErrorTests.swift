import Inference
import Testing

/// Every kind of fault names what is wrong, at load.
@Suite struct InferenceErrorTests {
    typealias Node = ModelWriter.Node

    private func load(_ writer: ModelWriter, limits: InferenceLimits = .standard) -> InferenceError? {
        do throws(InferenceError) {
            _ = try InferenceModel(bytes: writer.bytes, limits: limits)
            return nil
        } catch { return error }
    }

    private func writer(_ node: Node, input: [Int?] = [nil, 4], initializers: [[UInt8]] = []) -> ModelWriter {
        var writer = ModelWriter()
        writer.inputs = [("x", 1, input)]
        writer.nodes = [node]
        writer.initializers = initializers
        return writer
    }

    @Test func soundModelLoads() {
        #expect(load(writer(Node(operatorType: "Relu", inputs: ["x"], outputs: ["y"]))) == nil)
    }

    @Test func unsupportedOperatorNamesNodeAndType() {
        let error = load(writer(Node(operatorType: "LSTM", inputs: ["x"], outputs: ["y"], name: "/rnn")))
        guard case .unsupportedOperator(let node, "")? = error else {
            Issue.record("\(error as Any)"); return
        }
        #expect(node.name == "/rnn" && node.operatorType == "LSTM")
    }

    @Test func foreignDomainIsRefused() {
        let error = load(
            writer(Node(operatorType: "Relu", inputs: ["x"], outputs: ["y"], domain: "com.example")))
        guard case .unsupportedOperator(_, "com.example")? = error else {
            Issue.record("\(error as Any)"); return
        }
    }

    @Test(arguments: ["sense"])
    func internalOperatorsOfAFileAreLimitedToTheRewriting(domain: String) {
        let error = load(writer(Node(operatorType: "Nothing", inputs: ["x"], outputs: ["y"], domain: domain)))
        guard case .unsupportedOperator? = error else { Issue.record("\(error as Any)"); return }
    }

    @Test func unknownAttributeIsNamed() {
        var node = Node(operatorType: "Softmax", inputs: ["x"], outputs: ["y"])
        node.attributes = [ModelWriter.attribute("temperature", integer: 2)]
        guard case .unsupportedAttribute(_, "temperature", _)? = load(writer(node)) else {
            Issue.record("accepted")
            return
        }
    }

    @Test(arguments: [Int64.max, Int64.min, 0, -1, 1 << 40])
    func strangeStridesAreRefused(stride: Int64) {
        var node = Node(operatorType: "Conv", inputs: ["x", "w"], outputs: ["y"])
        node.attributes = [ModelWriter.attribute("strides", integers: [stride, 1])]
        let weights = ModelWriter.tensor("w", [1, 1, 1, 1], floats: 1)
        let error = load(writer(node, input: [nil, 1, 4, 4], initializers: [weights]))
        guard case .unsupportedAttribute(_, "strides", _)? = error else {
            Issue.record("\(error as Any)"); return
        }
    }

    @Test func missingInitializerIsNamed() {
        let error = load(writer(Node(operatorType: "MatMul", inputs: ["x", "weights"], outputs: ["y"])))
        guard case .missingInput(_, "weights")? = error else { Issue.record("\(error as Any)"); return }
    }

    @Test func wrongShapeNamesBoth() {
        let weights = ModelWriter.tensor("w", [5, 2], floats: 10)
        let error = load(
            writer(Node(operatorType: "MatMul", inputs: ["x", "w"], outputs: ["y"]), initializers: [weights]))
        guard case .wrongShape(let node, let reason)? = error else { Issue.record("\(error as Any)"); return }
        #expect(node.operatorType == "MatMul" && reason.contains("[1, 4]") && reason.contains("[5, 2]"))
    }

    @Test func computedWeightsAreRefused() {
        var writer = writer(
            Node(operatorType: "Conv", inputs: ["x", "v"], outputs: ["y"]), input: [nil, 1, 4, 4])
        writer.inputs.append(("v", 1, [1, 1, 2, 2]))
        guard case .notConstant(_, "v")? = load(writer) else { Issue.record("accepted"); return }
    }

    @Test func tensorDataMustFitItsShape() {
        let weights = ModelWriter.tensor("w", [4, 2], floats: 7)
        let error = load(
            writer(Node(operatorType: "MatMul", inputs: ["x", "w"], outputs: ["y"]), initializers: [weights]))
        guard case .damagedFile(_, _, let reason)? = error else { Issue.record("\(error as Any)"); return }
        #expect(reason.contains("\"w\""))
    }

    @Test func externalDataIsRefused() {
        let weights = ModelWriter.header("w", [4, 2], type: 1) + ModelWriter.field(14, number: 1)
        let error = load(
            writer(Node(operatorType: "MatMul", inputs: ["x", "w"], outputs: ["y"]), initializers: [weights]))
        guard case .unsupportedModel(let reason)? = error else { Issue.record("\(error as Any)"); return }
        #expect(reason.contains("another file"))
    }

    @Test(arguments: [[UInt64.max], [1 << 40], [1 << 20, 1 << 20, 1 << 30]])
    func declaredSizesAreNotBelieved(dims: [UInt64]) {
        let weights = ModelWriter.tensor("w", dims, floats: 1)
        let error = load(
            writer(Node(operatorType: "MatMul", inputs: ["x", "w"], outputs: ["y"]), initializers: [weights]))
        switch error {
        case .overLimit?, .damagedFile?: break
        default: Issue.record("\(error as Any)")
        }
    }

    @Test func foldingIsLimited() {
        let shape = ModelWriter.tensor("s", integers: [1 << 12, 1 << 12])
        let error = load(
            writer(
                Node(operatorType: "ConstantOfShape", inputs: ["s"], outputs: ["y"]), initializers: [shape]),
            limits: {
                var limits = InferenceLimits(); limits.maxFoldedElements = 1 << 20; return limits
            }())
        guard case .overLimit(limit: "maxFoldedElements", _, _)? = error else {
            Issue.record("\(error as Any)"); return
        }
    }

    @Test(arguments: [Int64(1) << 20, 1 << 24])
    func aPadIsNotBuiltBeforeItsSizeIsKnownToFit(after: Int64) {
        let pads = ModelWriter.tensor("p", integers: [0, 0, 0, after])
        var limits = InferenceLimits()
        limits.maxTensorElements = 1 << 16
        let error = load(
            writer(Node(operatorType: "Pad", inputs: ["x", "p"], outputs: ["y"]), initializers: [pads]),
            limits: limits)
        guard case .overLimit(limit: "maxTensorElements", 1 << 16, _)? = error else {
            Issue.record("\(error as Any)"); return
        }
    }

    @Test func workIsLimited() {
        let weights = ModelWriter.tensor("w", [1, 1, 64, 64], floats: 4096)
        var limits = InferenceLimits()
        limits.maxMultiplyAdds = 1 << 20
        let error = load(
            writer(
                Node(operatorType: "Conv", inputs: ["x", "w"], outputs: ["y"]), input: [nil, 1, 128, 128],
                initializers: [weights]), limits: limits)
        guard case .overLimit(limit: "maxMultiplyAdds", _, _)? = error else {
            Issue.record("\(error as Any)"); return
        }
    }

    @Test(arguments: [UInt64(0), 9, 12, 25, .max])
    func otherOperatorSetsAreRefused(opset: UInt64) {
        var writer = writer(Node(operatorType: "Relu", inputs: ["x"], outputs: ["y"]))
        writer.opset = opset
        guard case .unsupportedModel? = load(writer) else { Issue.record("accepted \(opset)"); return }
    }

    @Test func cyclesAndDoublesAreRefused() {
        var writer = writer(Node(operatorType: "Add", inputs: ["x", "b"], outputs: ["a"]))
        writer.nodes += [
            Node(operatorType: "Relu", inputs: ["a"], outputs: ["b"]),
            Node(operatorType: "Relu", inputs: ["b"], outputs: ["y"]),
        ]
        guard case .invalidGraph(let reason)? = load(writer) else { Issue.record("accepted a cycle"); return }
        #expect(reason.contains("cycle"))
        writer.nodes = [
            Node(operatorType: "Relu", inputs: ["x"], outputs: ["y"]),
            Node(operatorType: "Abs", inputs: ["x"], outputs: ["y"]),
        ]
        guard case .invalidGraph? = load(writer) else { Issue.record("accepted two makers"); return }
    }

    @Test func onlyTheFirstAxisMayBeDynamic() {
        let error = load(
            writer(Node(operatorType: "Relu", inputs: ["x"], outputs: ["y"]), input: [nil, nil]))
        guard case .unsupportedModel(let reason)? = error else { Issue.record("\(error as Any)"); return }
        #expect(reason.contains("axis 1"))
    }

    @Test func integerInputsAreRefused() {
        var writer = writer(Node(operatorType: "Relu", inputs: ["x"], outputs: ["y"]))
        writer.inputs = [("x", 7, [nil, 4])]
        guard case .unsupportedModel? = load(writer) else { Issue.record("accepted"); return }
    }

    @Test func runRefusesWrongInputs() throws {
        let model = try InferenceModel(
            bytes: writer(Node(operatorType: "Relu", inputs: ["x"], outputs: ["y"])).bytes)
        let plan = try ExecutionPlan(model, batch: 2)
        #expect(throws: InferenceError.wrongInput(name: "x", expected: 8, got: 4)) {
            try plan.run(inputs: ["x": [1, 2, 3, 4]])
        }
        #expect(throws: InferenceError.unknownInput(name: "z")) { try plan.run(inputs: ["z": []]) }
        #expect(throws: InferenceError.unknownInput(name: "x")) { try plan.run(inputs: [:]) }
        #expect(throws: InferenceError.unsupportedBatch(requested: 0, reason: "1 to 1024 are planned")) {
            _ = try ExecutionPlan(model, batch: 0)
        }
    }
}
