/// What an ONNX file says, decoded but not yet judged. Field numbers from onnx/onnx.proto (IR version 8 to 11).
struct ONNXGraph {
    struct Node {
        var name: String
        var operatorType: String
        var domain: String
        var inputs: [String]
        var outputs: [String]
        var attributes: [String: Attribute]

        var identity: NodeIdentity {
            let shown = !name.isEmpty ? name : outputs.first ?? "?"
            return NodeIdentity(name: shown, operatorType: operatorType)
        }
    }

    enum Attribute {
        case float(Float)
        case integer(Int64)
        case string(String)
        case tensor(Tensor)
        case floats([Float])
        case integers([Int64])
        case strings([String])
        /// A subgraph or another kind no supported operator uses.
        case other
    }

    enum Dimension: Equatable {
        case fixed(Int)
        case symbol(String)
    }

    struct ValueInfo {
        var name: String
        var elementType: Int64
        var dimensions: [Dimension]?
    }

    var opset: Int64 = 0
    var producer = ""
    var metadata: [String: String] = [:]
    var nodes: [Node] = []
    var initializers: [String: Tensor] = [:]
    var inputs: [ValueInfo] = []
    var outputs: [ValueInfo] = []
}
