/// A field's type: how it is called, read, measured and written in Swift.
indirect enum FieldType: Equatable {
    case double, float, int64, uint64, int32, fixed64, fixed32, bool, string, bytes, uint32, sfixed32,
        sfixed64
    case sint32, sint64
    case message(String)
    case enumeration(String)
    case map(key: FieldType, value: FieldType)

    init(_ field: FieldDescriptor) throws {
        switch field.type {
        case 1: self = .double
        case 2: self = .float
        case 3: self = .int64
        case 4: self = .uint64
        case 5: self = .int32
        case 6: self = .fixed64
        case 7: self = .fixed32
        case 8: self = .bool
        case 9: self = .string
        case 11: self = .message(SwiftNames.type(field.typeName))
        case 12: self = .bytes
        case 13: self = .uint32
        case 14: self = .enumeration(SwiftNames.type(field.typeName))
        case 15: self = .sfixed32
        case 16: self = .sfixed64
        case 17: self = .sint32
        case 18: self = .sint64
        default: throw GeneratorError.unsupported("type \(field.type) of field \(field.name)")
        }
    }

    var swift: String {
        switch self {
        case .double: "Double"
        case .float: "Float"
        case .int64, .sint64, .sfixed64: "Int64"
        case .uint64, .fixed64: "UInt64"
        case .int32, .sint32, .sfixed32: "Int32"
        case .uint32, .fixed32: "UInt32"
        case .bool: "Bool"
        case .string: "String"
        case .bytes: "[UInt8]"
        case .message(let name), .enumeration(let name): name
        case .map(let key, let value): "[\(key.swift): \(value.swift)]"
        }
    }

    var zero: String {
        switch self {
        case .bool: "false"
        case .string: "\"\""
        case .bytes: "[]"
        case .enumeration: ".unspecified"
        case .message(let name): "\(name)()"
        case .map: "[:]"
        default: "0"
        }
    }

    /// Method of `WireDecoder` that reads one.
    var reader: String {
        switch self {
        case .double: "double"
        case .float: "float"
        case .int64: "int64"
        case .uint64: "uint64"
        case .int32: "int32"
        case .fixed64: "fixed64"
        case .fixed32: "fixed32"
        case .bool: "bool"
        case .string: "string"
        case .bytes: "bytes"
        case .uint32: "uint32"
        case .sfixed32: "sfixed32"
        case .sfixed64: "sfixed64"
        case .sint32: "sint32"
        case .sint64: "sint64"
        case .enumeration: "enumeration"
        case .message, .map: "message"
        }
    }

    var wireType: UInt32 {
        switch self {
        case .double, .fixed64, .sfixed64: 1
        case .float, .fixed32, .sfixed32: 5
        case .string, .bytes, .message, .map: 2
        default: 0
        }
    }

    var isScalar: Bool { wireType != 2 }

    /// Fixed size of the value, nil when it depends on the value.
    var fixedSize: Int? {
        switch wireType {
        case 1: 8
        case 5: 4
        default: self == .bool ? 1 : nil
        }
    }

    /// The bits that go on the wire, for scalars.
    func bits(_ value: String) -> String {
        switch self {
        case .double, .float: "\(value).bitPattern"
        case .int64: "UInt64(bitPattern: \(value))"
        case .int32: "UInt64(bitPattern: Int64(\(value)))"
        case .uint32: "UInt64(\(value))"
        case .sint32: "ZigZag.encode(Int64(\(value)))"
        case .sint64: "ZigZag.encode(\(value))"
        case .bool: "(\(value) ? 1 : 0)"
        case .enumeration: "UInt64(bitPattern: Int64(\(value).rawValue))"
        case .sfixed32: "UInt32(bitPattern: \(value))"
        case .sfixed64: "UInt64(bitPattern: \(value))"
        default: value
        }
    }

    /// Condition under which a field without presence is written.
    func isSet(_ value: String) -> String {
        switch self {
        case .double, .float: "\(value).bitPattern != 0"
        case .bool: value
        case .string, .bytes, .map: "!\(value).isEmpty"
        case .enumeration: "\(value).rawValue != 0"
        default: "\(value) != 0"
        }
    }

    /// Size of the value without its tag.
    func size(_ value: String) -> String {
        if let fixedSize { return "\(fixedSize)" }
        switch self {
        case .string: return "WireSize.string(\(value))"
        case .bytes: return "WireSize.delimited(\(value).count)"
        case .message, .map: return "WireSize.message(\(value))"
        default: return "WireSize.varint(\(bits(value)))"
        }
    }

    /// Statement that writes tag and value.
    func write(_ tag: UInt32, _ value: String) -> String {
        switch wireType {
        case 1: return "writer.fixed64(\(tag), \(bits(value)))"
        case 5: return "writer.fixed32(\(tag), \(bits(value)))"
        case 0: return "writer.varint(\(tag), \(bits(value)))"
        default: return "writer.\(reader)(\(tag), \(value))"
        }
    }

    /// Ascending order of map entries `$0` and `$1` whose keys have this type.
    var mapOrder: String {
        switch self {
        case .string: "String.precedesOnWire($0.key, $1.key)"
        case .bool: "!$0.key && $1.key"
        default: "$0.key < $1.key"
        }
    }

    /// Method of `JSONReader` that reads one.
    var jsonReader: String {
        switch self {
        case .int64, .sint64, .sfixed64: "int64"
        case .uint64, .fixed64: "uint64"
        case .int32, .sint32, .sfixed32: "int32"
        case .uint32, .fixed32: "uint32"
        default: reader
        }
    }

    /// Call on a `JSONWriter` that writes one.
    func jsonWrite(_ writer: String, _ value: String) -> String {
        switch self {
        case .int64, .sint64, .sfixed64, .uint64, .fixed64: "\(writer).quotedNumber(\(value))"
        case .int32, .sint32, .sfixed32, .uint32, .fixed32: "\(writer).number(\(value))"
        case .double, .float: "\(writer).number(floating: \(value))"
        default: "\(writer).\(reader)(\(value))"
        }
    }
}
