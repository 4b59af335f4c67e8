/// Writes small ONNX files for the tests of errors; goldens come from the real exporter.
struct ModelWriter {
    struct Node {
        var operatorType: String
        var inputs: [String]
        var outputs: [String]
        var name = ""
        var domain = ""
        var attributes: [[UInt8]] = []
    }

    var opset: UInt64 = 17
    var nodes: [Node] = []
    var initializers: [[UInt8]] = []
    /// Name, element type, dimensions; a nil dimension is dynamic.
    var inputs: [(name: String, type: UInt64, shape: [Int?])] = []
    var outputs = ["y"]

    var bytes: [UInt8] {
        var graph: [UInt8] = []
        for node in nodes { graph += Self.field(1, Self.node(node)) }
        for tensor in initializers { graph += Self.field(5, tensor) }
        for input in inputs { graph += Self.field(11, Self.value(input.name, input.type, input.shape)) }
        for name in outputs { graph += Self.field(12, Self.field(1, name)) }
        let operators = Self.field(1, "") + Self.field(2, number: opset)
        return Self.field(1, number: 8) + Self.field(7, graph) + Self.field(8, operators)
    }

    // MARK: Protobuf

    static func varint(_ value: UInt64) -> [UInt8] {
        var out: [UInt8] = []
        var left = value
        while left >= 0x80 {
            out.append(UInt8(truncatingIfNeeded: left) | 0x80)
            left >>= 7
        }
        return out + [UInt8(left)]
    }

    static func field(_ number: UInt64, number value: UInt64) -> [UInt8] {
        varint(number << 3) + varint(value)
    }
    static func field(_ number: UInt64, _ bytes: [UInt8]) -> [UInt8] {
        varint(number << 3 | 2) + varint(UInt64(bytes.count)) + bytes
    }
    static func field(_ number: UInt64, _ text: String) -> [UInt8] { field(number, Array(text.utf8)) }

    static func node(_ node: Node) -> [UInt8] {
        var out = node.inputs.flatMap { field(1, $0) } + node.outputs.flatMap { field(2, $0) }
        out += field(3, node.name) + field(4, node.operatorType) + field(7, node.domain)
        return out + node.attributes.flatMap { field(5, $0) }
    }

    static func attribute(_ name: String, integer: Int64) -> [UInt8] {
        field(1, name) + field(3, number: UInt64(bitPattern: integer)) + field(20, number: 2)
    }

    static func attribute(_ name: String, integers: [Int64]) -> [UInt8] {
        let list = integers.flatMap { field(8, number: UInt64(bitPattern: $0)) }
        return field(1, name) + list + field(20, number: 7)
    }

    static func value(_ name: String, _ type: UInt64, _ shape: [Int?]) -> [UInt8] {
        let dims = shape.flatMap { size in
            field(1, size.map { field(1, number: UInt64($0)) } ?? field(2, "N"))
        }
        let tensor = field(1, number: type) + field(2, dims)
        return field(1, name) + field(2, field(1, tensor))
    }

    static func tensor(_ name: String, _ dims: [UInt64], floats: Int) -> [UInt8] {
        header(name, dims, type: 1) + field(9, [UInt8](repeating: 0, count: 4 * floats))
    }

    static func tensor(_ name: String, integers: [Int64]) -> [UInt8] {
        let raw = integers.flatMap { value in (0..<8).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) } }
        return header(name, [UInt64(integers.count)], type: 7) + field(9, raw)
    }

    static func header(_ name: String, _ dims: [UInt64], type: UInt64) -> [UInt8] {
        dims.flatMap { field(1, number: $0) } + field(2, number: type) + field(8, name)
    }
}
