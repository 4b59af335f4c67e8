import ByteCodec

/// Reads a `CodeGeneratorRequest` from its protobuf bytes.
struct DescriptorReader {
    private var reader: ByteReader

    static func request(_ bytes: [UInt8]) throws -> GeneratorRequest {
        var request = GeneratorRequest()
        try DescriptorReader(reader: ByteReader(bytes)).eachField { number, value in
            switch number {
            case 1: request.filesToGenerate.append(try value.text())
            case 2: request.parameter = try value.text()
            case 15: request.files.append(try file(value.message()))
            default: break
            }
        }
        return request
    }

    private static func file(_ source: DescriptorReader) throws -> FileDescriptor {
        var file = FileDescriptor()
        try source.eachField { number, value in
            switch number {
            case 1: file.name = try value.text()
            case 2: file.package = try value.text()
            case 4: file.messages.append(try message(value.message()))
            case 5: file.enums.append(try enumeration(value.message()))
            case 9: file.comments = try comments(value.message())
            case 12: file.syntax = try value.text()
            default: break
            }
        }
        return file
    }

    private static func message(_ source: DescriptorReader) throws -> MessageDescriptor {
        var message = MessageDescriptor()
        try source.eachField { number, value in
            switch number {
            case 1: message.name = try value.text()
            case 2: message.fields.append(try field(value.message()))
            case 3: message.nested.append(try Self.message(value.message()))
            case 4: message.nestedEnumCount += 1
            case 7:
                try value.message().eachField { number, value in
                    if number == 7 { message.isMapEntry = try value.integer() != 0 }
                }
            case 8:
                try value.message().eachField { number, value in
                    if number == 1 { message.oneofs.append(try value.text()) }
                }
            default: break
            }
        }
        return message
    }

    private static func field(_ source: DescriptorReader) throws -> FieldDescriptor {
        var field = FieldDescriptor()
        try source.eachField { number, value in
            switch number {
            case 1: field.name = try value.text()
            case 3: field.number = try value.int32()
            case 4: field.label = try value.int32()
            case 5: field.type = try value.int32()
            case 6: field.typeName = try value.text()
            case 8:
                try value.message().eachField { number, value in
                    if number == 2 { field.packed = try value.integer() != 0 }
                }
            case 9: field.oneofIndex = try value.int32()
            case 10: field.jsonName = try value.text()
            case 17: field.isProto3Optional = try value.integer() != 0
            default: break
            }
        }
        return field
    }

    private static func enumeration(_ source: DescriptorReader) throws -> EnumDescriptor {
        var result = EnumDescriptor()
        try source.eachField { number, value in
            switch number {
            case 1: result.name = try value.text()
            case 2:
                var name = ""
                var raw: Int32 = 0
                try value.message().eachField { number, value in
                    if number == 1 { name = try value.text() }
                    if number == 2 { raw = try value.int32() }
                }
                result.values.append((name, raw))
            default: break
            }
        }
        return result
    }

    private static func comments(_ source: DescriptorReader) throws -> [[Int32]: String] {
        var result: [[Int32]: String] = [:]
        try source.eachField { number, value in
            guard number == 1 else { return }
            var path: [Int32] = []
            var leading = ""
            var trailing = ""
            try value.message().eachField { number, value in
                switch number {
                case 1: path += try value.packedInt32()
                case 3: leading = try value.text()
                case 4: trailing = try value.text()
                default: break
                }
            }
            let comment = leading.isEmpty ? trailing : leading
            if !comment.isEmpty { result[path] = comment }
        }
        return result
    }

    private func eachField(_ body: (UInt64, FieldValue) throws -> Void) throws {
        var reader = reader
        while !reader.isAtEnd {
            let tag = try reader.readVarint()
            switch tag & 7 {
            case 0: try body(tag >> 3, .integer(try reader.readVarint()))
            case 1: try reader.skip(8)
            case 2: try body(tag >> 3, .bytes(Array(try reader.readSlice(try reader.readLength()))))
            case 5: try reader.skip(4)
            default: throw GeneratorError.malformedRequest("wire type \(tag & 7)")
            }
        }
    }

    private enum FieldValue {
        case integer(UInt64)
        case bytes([UInt8])

        func integer() throws -> UInt64 {
            guard case .integer(let value) = self else { throw GeneratorError.malformedRequest("an integer") }
            return value
        }
        func int32() throws -> Int32 { Int32(truncatingIfNeeded: try integer()) }
        func bytes() throws -> [UInt8] {
            guard case .bytes(let value) = self else { throw GeneratorError.malformedRequest("bytes") }
            return value
        }
        func text() throws -> String { String(decoding: try bytes(), as: UTF8.self) }
        func message() throws -> DescriptorReader { DescriptorReader(reader: ByteReader(try bytes())) }
        func packedInt32() throws -> [Int32] {
            if case .integer(let value) = self { return [Int32(truncatingIfNeeded: value)] }
            var reader = ByteReader(try bytes())
            var values: [Int32] = []
            while !reader.isAtEnd { values.append(Int32(truncatingIfNeeded: try reader.readVarint())) }
            return values
        }
    }
}

/// Why nothing was generated; `protoc` shows the text.
enum GeneratorError: Error, Equatable, CustomStringConvertible {
    case malformedRequest(String)
    case unsupported(String)

    var description: String {
        switch self {
        case .malformedRequest(let what): "malformed request: \(what)"
        case .unsupported(let what): "not supported: \(what)"
        }
    }
}
