/// The node an error speaks of: the name the exporter gave it (its first output when it gave none) and its operator.
public struct NodeIdentity: Equatable, Sendable, CustomStringConvertible {
    /// The node's name in the file, or the name of its first output.
    public let name: String
    /// The ONNX operator type, for example `Conv`.
    public let operatorType: String

    init(name: String, operatorType: String) {
        self.name = name
        self.operatorType = operatorType
    }

    /// `Conv "/layer1/conv1"`.
    public var description: String { "\(operatorType) \"\(name)\"" }
}

/// Why a model could not be loaded or run. Everything about the file itself is found at load.
public enum InferenceError: Error, Equatable, Sendable {
    /// The bytes are not a well-formed ONNX file. `offset` is the byte where reading stopped.
    case damagedFile(field: String, offset: Int, reason: String)
    /// A size in the file, or one that follows from it, is above `InferenceLimits`.
    case overLimit(limit: String, allowed: Int, got: Int)
    /// The file is sound, but of a kind this executor does not take (external data, training graph, operator set).
    case unsupportedModel(reason: String)
    /// The graph does not hold together (a name defined twice, a cycle, an output nobody makes).
    case invalidGraph(reason: String)
    /// The operator is not in `OPERATORS.md`.
    case unsupportedOperator(node: NodeIdentity, domain: String)
    /// The operator is known, this attribute or its value is not.
    case unsupportedAttribute(node: NodeIdentity, attribute: String, reason: String)
    /// An input of the node has no initializer, graph input or producing node.
    case missingInput(node: NodeIdentity, input: String)
    /// An input that must be known at load is computed at run time.
    case notConstant(node: NodeIdentity, input: String)
    /// Shapes or ranks that do not fit together.
    case wrongShape(node: NodeIdentity, reason: String)
    /// An element type the operator does not take here.
    case wrongType(node: NodeIdentity, reason: String)
    /// The model cannot be planned for this batch size.
    case unsupportedBatch(requested: Int, reason: String)
    /// The model has no streaming form: this node mixes time in a way that no state of known size carries over.
    case notStreamable(node: NodeIdentity, reason: String)
    /// A run was given an input of the wrong length.
    case wrongInput(name: String, expected: Int, got: Int)
    /// A run was given an input the model does not have, or lacks one it has.
    case unknownInput(name: String)
}
