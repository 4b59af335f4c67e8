/// Emits, for tests, a way to fill a message with random values.
struct SampleEmitter {
    let message: MessageModel

    func emit(into source: inout SwiftSource) {
        source.block("extension \(message.name): Sampled") { source in
            source.block("static func sample(_ random: inout SampleSource) -> \(message.name)") { source in
                if message.members.isEmpty {
                    source.line("\(message.name)()")
                    return
                }
                source.line("var message = \(message.name)()")
                for member in message.members {
                    switch member {
                    case .field(let field): fill(field, into: &source)
                    case .choice(let choice): fill(choice, into: &source)
                    }
                }
                source.line("return message")
            }
        }
    }

    private func fill(_ field: MessageModel.Field, into source: inout SwiftSource) {
        let target = "message.\(field.property)"
        switch (field.cardinality, field.type) {
        case (.map, .map(let key, let value)):
            source.line("for _ in 0..<random.count() { \(target)[\(one(key))] = \(one(value)) }")
        case (.packed, let type), (.repeated, let type):
            source.line("for _ in 0..<random.count() { \(target).append(\(one(type))) }")
        case (_, let type):
            source.line("if random.isPresent() { \(target) = \(one(type)) }")
        }
    }

    private func fill(_ choice: MessageModel.Choice, into source: inout SwiftSource) {
        source.block("switch random.index(below: \(choice.fields.count + 1))") { source in
            for (index, field) in choice.fields.enumerated() {
                source.line(
                    "case \(index): message.\(choice.property) = .\(field.property)(\(one(field.type)))")
            }
            source.line("default: break")
        }
    }

    private func one(_ type: FieldType) -> String {
        switch type {
        case .message(let name): "\(name).sample(&random)"
        case .enumeration: "random.enumeration()"
        case .bytes: "random.bytes()"
        default: "random.\(type.swift.lowercased())()"
        }
    }
}
