/// A message as the emitters see it.
struct MessageModel {
    let name: String
    let protoName: String
    let comment: String?
    /// Fields and choices in the order of declaration.
    let members: [Member]
    /// Every field in ascending order of numbers.
    let fields: [Field]

    enum Member {
        case field(Field)
        case choice(Choice)
    }

    struct Choice {
        let property: String
        let type: String
        let fields: [Field]
    }

    struct Field {
        let name: String
        let property: String
        let jsonName: String
        let number: UInt32
        let type: FieldType
        let cardinality: Cardinality
        let comment: String?

        var tag: UInt32 { number << 3 | (cardinality == .packed ? 2 : type.wireType) }
        var tagSize: Int {
            number < 16 ? 1 : number < 2048 ? 2 : number < 262_144 ? 3 : number < 33_554_432 ? 4 : 5
        }

        var swiftType: String {
            switch cardinality {
            case .implicit, .choice: type.swift
            case .optional: "\(type.swift)?"
            case .packed, .repeated: "[\(type.swift)]"
            case .map: type.swift
            }
        }

        var initialValue: String {
            switch cardinality {
            case .implicit, .choice: type.zero
            case .optional: "nil"
            case .packed, .repeated: "[]"
            case .map: "[:]"
            }
        }
    }

    enum Cardinality: Equatable {
        case implicit, optional, packed, repeated, map
        /// Member of the choice held in the named property.
        case choice(String)
    }

    init(_ message: MessageDescriptor, in file: FileDescriptor, path: [Int32]) throws {
        name = SwiftNames.type(message.name)
        protoName = file.package.isEmpty ? message.name : "\(file.package).\(message.name)"
        comment = file.comments[path]
        if message.nestedEnumCount > 0 || message.nested.contains(where: { !$0.isMapEntry }) {
            throw GeneratorError.unsupported("types nested in message \(message.name)")
        }
        var fields: [Field] = []
        var members: [Member] = []
        for (index, descriptor) in message.fields.enumerated() {
            let comment = file.comments[path + [2, Int32(index)]]
            let field = try Self.field(descriptor, in: message, comment: comment)
            fields.append(field)
            guard case .choice(let property) = field.cardinality else {
                members.append(.field(field))
                continue
            }
            if let at = members.firstIndex(where: {
                if case .choice(let choice) = $0 { choice.property == property } else { false }
            }), case .choice(let old) = members[at] {
                members[at] = .choice(
                    Choice(property: property, type: old.type, fields: old.fields + [field]))
            } else {
                let type = SwiftNames.capitalised(property.filter { $0 != "`" })
                members.append(.choice(Choice(property: property, type: type, fields: [field])))
            }
        }
        self.members = members
        self.fields = fields.sorted { $0.number < $1.number }
    }

    private static func field(
        _ field: FieldDescriptor, in message: MessageDescriptor, comment: String?
    ) throws -> Field {
        var type = try FieldType(field)
        let cardinality: Cardinality
        if field.isRepeated {
            if let entry = message.nested.first(where: {
                $0.isMapEntry && field.typeName.hasSuffix(".\($0.name)")
            }) {
                guard let key = entry.fields.first(where: { $0.number == 1 }),
                    let value = entry.fields.first(where: { $0.number == 2 })
                else { throw GeneratorError.malformedRequest("map entry \(entry.name)") }
                type = .map(key: try FieldType(key), value: try FieldType(value))
                cardinality = .map
            } else {
                cardinality = type.isScalar && field.packed != false ? .packed : .repeated
            }
        } else if field.isProto3Optional {
            cardinality = .optional
        } else if let index = field.oneofIndex {
            guard message.oneofs.indices.contains(Int(index)) else {
                throw GeneratorError.malformedRequest("oneof of field \(field.name)")
            }
            cardinality = .choice(SwiftNames.member(SwiftNames.camel(message.oneofs[Int(index)])))
        } else if case .message = type {
            cardinality = .optional
        } else {
            cardinality = .implicit
        }
        return Field(
            name: field.name, property: SwiftNames.member(field.jsonName), jsonName: field.jsonName,
            number: UInt32(field.number), type: type, cardinality: cardinality, comment: comment)
    }
}
