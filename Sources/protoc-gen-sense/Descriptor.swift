// The part of `google/protobuf/descriptor.proto` and `compiler/plugin.proto` that the generator needs.

/// What `protoc` sends on standard input.
struct GeneratorRequest: Equatable {
    var filesToGenerate: [String] = []
    var parameter = ""
    var files: [FileDescriptor] = []
}

/// One `.proto` file.
struct FileDescriptor: Equatable {
    var name = ""
    var package = ""
    var syntax = ""
    var messages: [MessageDescriptor] = []
    var enums: [EnumDescriptor] = []
    /// Comments by the path of what they belong to (`SourceCodeInfo.Location.path`).
    var comments: [[Int32]: String] = [:]
}

/// One message; nested ones occur only as map entries.
struct MessageDescriptor: Equatable {
    var name = ""
    var fields: [FieldDescriptor] = []
    var oneofs: [String] = []
    var nested: [MessageDescriptor] = []
    var nestedEnumCount = 0
    var isMapEntry = false
}

/// One field.
struct FieldDescriptor: Equatable {
    var name = ""
    var number: Int32 = 0
    var label: Int32 = 1
    var type: Int32 = 0
    var typeName = ""
    var oneofIndex: Int32?
    var jsonName = ""
    var isProto3Optional = false
    var packed: Bool?

    var isRepeated: Bool { label == 3 }
}

/// One enum.
struct EnumDescriptor: Equatable {
    var name = ""
    var values: [(name: String, number: Int32)] = []

    static func == (left: EnumDescriptor, right: EnumDescriptor) -> Bool {
        left.name == right.name && left.values.elementsEqual(right.values, by: ==)
    }
}
