/// Emits a message's way to and from protobuf bytes.
struct BinaryEmitter {
    let message: MessageModel
    typealias Field = MessageModel.Field

    func emit(into source: inout SwiftSource) {
        source.block("extension \(message.name)") { source in
            source.line("/// Full schema name.")
            source.line("public static var messageName: String { \"\(message.protoName)\" }")
            source.line()
            fieldNames(into: &source)
            source.line()
            decoding(into: &source)
            source.line()
            size(into: &source)
            source.line()
            serialisation(into: &source)
        }
    }

    private func fieldNames(into source: inout SwiftSource) {
        source.line("/// Schema name of a field.")
        source.block("public static func fieldName(_ number: UInt32) -> String") { source in
            if message.fields.isEmpty {
                source.line("\"#\\(number)\"")
                return
            }
            source.block("switch number") { source in
                for field in message.fields { source.line("case \(field.number): \"\(field.name)\"") }
                source.line("default: \"#\\(number)\"")
            }
        }
    }

    private func decoding(into source: inout SwiftSource) {
        source.line("/// Reads one field's value.")
        source.line("public mutating func decodeField(")
        source.indented { $0.line("_ tag: WireTag, from decoder: inout WireDecoder") }
        source.block(") throws(WireError)") { source in
            if message.fields.isEmpty {
                source.line("try decoder.skipUnknown(tag)")
                return
            }
            source.block("switch tag.number") { source in
                for field in message.fields {
                    source.line("case \(field.number):")
                    source.indented { read(field, into: &$0) }
                }
                source.line("default: try decoder.skipUnknown(tag)")
            }
        }
    }

    private func read(_ field: Field, into source: inout SwiftSource) {
        let property = "self.\(field.property)"
        switch (field.cardinality, field.type) {
        case (.choice(let choice), .message):
            source.line("try decoder.choice(")
            source.indented { source in
                source.line("&self.\(choice), tag,")
                source.line("member: { if case .\(field.property)(let value) = $0 { value } else { nil } },")
                source.line("make: { .\(field.property)($0) })")
            }
        case (.choice(let choice), let type):
            source.line("self.\(choice) = .\(field.property)(try decoder.\(type.reader)(tag))")
        case (.optional, .message):
            source.line("try decoder.optionalMessage(into: &\(property), tag)")
        case (.optional, .enumeration(let name)):
            source.line("\(property) = try decoder.enumeration(tag) as \(name)")
        case (.implicit, let type), (.optional, let type):
            source.line("\(property) = try decoder.\(type.reader)(tag)")
        case (.map, .map(let key, let value)):
            source.line("try decoder.mapEntry(")
            source.indented { source in
                source.line("into: &\(property), tag, \(key.zero), \(value.zero),")
                source.line("key: { (decoder, tag) throws(WireError) in try decoder.\(key.reader)(tag) },")
                if case .message = value {
                    source.line("value: { (decoder, tag) throws(WireError) in")
                    source.indented { source in
                        source.line("var value = \(value.zero)")
                        source.line("try decoder.message(into: &value, tag)")
                        source.line("return value")
                    }
                    source.line("})")
                } else {
                    source.line(
                        "value: { (decoder, tag) throws(WireError) in try decoder.\(value.reader)(tag) })")
                }
            }
        case (_, .message), (_, .string), (_, .bytes):
            source.line("try decoder.append(\(field.type.reader): &\(property), tag)")
        case (_, let type) where type.wireType != 0:
            source.line("try decoder.append(scalar: &\(property), tag)")
        case (_, let type):
            source.line("try decoder.append(varint: &\(property), tag) { (decoder, tag) throws(WireError) in")
            source.indented { $0.line("try decoder.\(type.reader)(tag)") }
            source.line("}")
        }
    }

    private func size(into source: inout SwiftSource) {
        source.line("/// Exact number of bytes that `serialize(into:)` appends.")
        source.block("public var encodedSize: Int") { source in
            if message.fields.isEmpty {
                source.line("0")
                return
            }
            source.line("var size = 0")
            each(
                into: &source,
                single: { field, value in "size += \(sum(field.tagSize, field.type.size(value)))" },
                packed: { field, source in
                    let list = "self.\(field.property)"
                    source.block("if !\(list).isEmpty") { source in
                        if let fixed = field.type.fixedSize {
                            source.line(
                                "size += \(field.tagSize) + WireSize.delimited(\(fixed) * \(list).count)")
                        } else {
                            source.line("var packed = 0")
                            source.line("for value in \(list) { packed += \(field.type.size("value")) }")
                            source.line("size += \(field.tagSize) + WireSize.delimited(packed)")
                        }
                    }
                },
                map: { field, entry, source in
                    // A value of fixed size does not matter here, and Swift warns of an unused name.
                    let key = entry.contains("key") ? "key" : "_"
                    let value = entry.contains("value") ? "value" : "_"
                    source.block("for (\(key), \(value)) in self.\(field.property)") { source in
                        source.line("let entry = \(entry)")
                        source.line("size += \(field.tagSize) + WireSize.delimited(entry)")
                    }
                })
            source.line("return size")
        }
    }

    private func serialisation(into source: inout SwiftSource) {
        source.line("/// Appends the message in ascending order of field numbers.")
        source.block("public func serialize(into writer: inout ByteWriter)") { source in
            each(
                into: &source, single: { field, value in field.type.write(field.tag, value) },
                packed: { field, source in
                    let list = "self.\(field.property)"
                    source.block("if !\(list).isEmpty") { source in
                        if field.type.wireType != 0 {
                            source.line("writer.packed(\(field.tag), \(list))")
                            return
                        }
                        source.line("var packed = 0")
                        source.line("for value in \(list) { packed += \(field.type.size("value")) }")
                        source.line("writer.varint(\(field.tag), UInt64(packed))")
                        source.line(
                            "for value in \(list) { writer.appendVarint(\(field.type.bits("value"))) }")
                    }
                },
                map: { field, entry, source in
                    guard case .map(let key, let value) = field.type else { return }
                    let order = key.mapOrder
                    let property = "self.\(field.property)"
                    source.block("for (key, value) in \(property).sorted(by: { \(order) })") { source in
                        source.line("let entry = \(entry)")
                        source.line("writer.varint(\(field.tag), UInt64(entry))")
                        source.line(key.write(8 | key.wireType, "key"))
                        source.line(value.write(16 | value.wireType, "value"))
                    }
                })
        }
    }

    private func sum(_ tagSize: Int, _ size: String) -> String {
        if let fixed = Int(size) { return "\(tagSize + fixed)" }
        return "\(tagSize) + \(size)"
    }

    /// Walks the fields in ascending order; neighbours of one choice share a switch.
    private func each(
        into source: inout SwiftSource, single: (Field, String) -> String,
        packed: (Field, inout SwiftSource) -> Void, map: (Field, String, inout SwiftSource) -> Void
    ) {
        var index = 0
        while index < message.fields.count {
            let field = message.fields[index]
            let property = "self.\(field.property)"
            switch field.cardinality {
            case .choice(let choice):
                var run = [field]
                while index + run.count < message.fields.count,
                    message.fields[index + run.count].cardinality == field.cardinality
                { run.append(message.fields[index + run.count]) }
                emitSwitch(choice, run, into: &source, single)
                index += run.count - 1
            case .implicit:
                source.line("if \(field.type.isSet(property)) { \(single(field, property)) }")
            case .optional:
                let value = field.type == .bool && !single(field, "value").contains("value") ? "_" : "value"
                let pattern =
                    single(field, "value").contains("value")
                    ? "let \(value) = \(property)" : "\(property) != nil"
                source.line("if \(pattern) { \(single(field, "value")) }")
            case .repeated:
                let statement = single(field, "value")
                if statement.contains("value") {
                    source.line("for value in \(property) { \(statement) }")
                } else {
                    source.line("for _ in \(property) { \(statement) }")
                }
            case .packed: packed(field, &source)
            case .map:
                if case .map(let key, let value) = field.type {
                    map(field, "\(sum(1, key.size("key"))) + \(sum(1, value.size("value")))", &source)
                }
            }
            index += 1
        }
    }

    private func emitSwitch(
        _ choice: String, _ run: [Field], into source: inout SwiftSource, _ single: (Field, String) -> String
    ) {
        let whole = message.members.contains {
            if case .choice(let all) = $0 {
                all.property == choice && all.fields.count == run.count
            } else {
                false
            }
        }
        source.block("switch self.\(choice)") { source in
            for field in run {
                let statement = single(field, "value")
                let binding = statement.contains("value") ? "(let value)?" : "?"
                source.line("case .\(field.property)\(binding): \(statement)")
            }
            source.line(whole ? "case nil: break" : "default: break")
        }
    }
}
