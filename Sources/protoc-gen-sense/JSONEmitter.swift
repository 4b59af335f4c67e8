/// Emits a message's way to and from canonical protobuf JSON.
struct JSONEmitter {
    let message: MessageModel
    typealias Field = MessageModel.Field

    func emit(into source: inout SwiftSource) {
        source.block("extension \(message.name)") { source in
            names(into: &source)
            source.line()
            decoding(into: &source)
            source.line()
            encoding(into: &source)
        }
    }

    private func names(into source: inout SwiftSource) {
        source.line("/// Number of the field with this JSON or schema name.")
        source.block("public static func fieldNumber(jsonName: String) -> UInt32?") { source in
            if message.fields.isEmpty {
                source.line("nil")
                return
            }
            source.block("switch jsonName") { source in
                for field in message.fields {
                    let other = field.name == field.jsonName ? "" : ", \"\(field.name)\""
                    source.line("case \"\(field.jsonName)\"\(other): \(field.number)")
                }
                source.line("default: nil")
            }
        }
    }

    private func decoding(into source: inout SwiftSource) {
        source.line("/// Reads one field's value from JSON.")
        source.line("public mutating func decodeJSONField(")
        source.indented { $0.line("_ number: UInt32, from reader: inout JSONReader") }
        source.block(") throws(WireError)") { source in
            if message.fields.isEmpty {
                source.line("try reader.skipValue()")
                return
            }
            source.block("switch number") { source in
                for field in message.fields {
                    source.line("case \(field.number):")
                    source.indented { read(field, into: &$0) }
                }
                source.line("default: try reader.skipValue()")
            }
        }
    }

    private func read(_ field: Field, into source: inout SwiftSource) {
        let property = "self.\(field.property)"
        switch (field.cardinality, field.type) {
        case (.choice(let choice), let type):
            source.line("try reader.requireUnset(self.\(choice))")
            source.line("self.\(choice) = .\(field.property)(try reader.\(type.jsonReader)())")
        case (.map, .map(let key, let value)):
            let make =
                switch key {
                case .string: "{ $0 }"
                case .bool: "{ $0 == \"true\" ? true : $0 == \"false\" ? false : nil }"
                default: "{ \(key.swift)($0) }"
                }
            source.line("try reader.map(into: &\(property), key: \(make)) { (reader) throws(WireError) in")
            source.indented { $0.line("try reader.\(value.jsonReader)()") }
            source.line("}")
        case (.implicit, let type): source.line("\(property) = try reader.\(type.jsonReader)()")
        case (.optional, let type):
            source.line("\(property) = try reader.\(type.jsonReader)() as \(type.swift)")
        case (_, let type):
            let label = type.isScalar ? "scalars" : "elements"
            source.line("try reader.append(\(label): &\(property)) { (reader) throws(WireError) in")
            source.indented { $0.line("try reader.\(type.jsonReader)()") }
            source.line("}")
        }
    }

    private func encoding(into source: inout SwiftSource) {
        source.line("/// Writes the fields that are present as members of the current JSON object.")
        source.block("public func encodeJSONFields(into writer: inout JSONWriter)") { source in
            for member in message.members {
                switch member {
                case .field(let field): write(field, into: &source)
                case .choice(let choice):
                    source.block("switch self.\(choice.property)") { source in
                        for field in choice.fields {
                            source.line("case .\(field.property)(let value)?:")
                            source.indented { source in
                                source.line("writer.key(\"\(field.jsonName)\")")
                                source.line(field.type.jsonWrite("writer", "value"))
                            }
                        }
                        source.line("case nil: break")
                    }
                }
            }
        }
    }

    private func write(_ field: Field, into source: inout SwiftSource) {
        let property = "self.\(field.property)"
        let key = "writer.key(\"\(field.jsonName)\")"
        switch (field.cardinality, field.type) {
        case (.optional, let type):
            source.block("if let value = \(property)") { source in
                source.line(key)
                source.line(type.jsonWrite("writer", "value"))
            }
        case (.map, .map(let keyType, let value)):
            let order = keyType.mapOrder
            let entries = "\(property).sorted(by: { \(order) })"
            source.block("if !\(property).isEmpty") { source in
                source.line(key)
                source.line("writer.map(\(entries), key: { \"\\($0)\" }) { \(value.jsonWrite("$0", "$1")) }")
            }
        case (.packed, let type), (.repeated, let type):
            source.block("if !\(property).isEmpty") { source in
                source.line(key)
                source.line("writer.array(\(property)) { \(type.jsonWrite("$0", "$1")) }")
            }
        case (_, let type):
            source.block("if \(type.isSet(property))") { source in
                source.line(key)
                source.line(type.jsonWrite("writer", property))
            }
        }
    }
}
