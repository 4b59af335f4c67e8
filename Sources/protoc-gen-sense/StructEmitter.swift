/// Emits the struct of a message: properties, choices and initialiser.
struct StructEmitter {
    let message: MessageModel

    func emit(into source: inout SwiftSource) {
        source.doc(message.comment, fallback: "`\(message.protoName)` of the schema.")
        source.block("public struct \(message.name): WireMessage, Sendable, Equatable") { source in
            for member in message.members {
                switch member {
                case .field(let field):
                    source.doc(field.comment, fallback: "`\(field.name)` (\(field.number)).")
                    source.line("public var \(field.property): \(field.swiftType)")
                case .choice(let choice):
                    source.line("/// At most one of `\(choice.type)`.")
                    source.line("public var \(choice.property): \(choice.type)?")
                }
            }
            if !message.members.isEmpty { source.line() }
            initialiser(into: &source)
            for case .choice(let choice) in message.members { emit(choice, into: &source) }
        }
    }

    private func initialiser(into source: inout SwiftSource) {
        source.line("/// A message; what is not given stays at its default.")
        if message.members.isEmpty {
            source.line("public init() {}")
            return
        }
        source.line("public init(")
        source.indented { source in
            for (index, member) in message.members.enumerated() {
                let comma = index + 1 < message.members.count ? "," : ""
                switch member {
                case .field(let field):
                    source.line("\(field.property): \(field.swiftType) = \(field.initialValue)\(comma)")
                case .choice(let choice):
                    source.line("\(choice.property): \(choice.type)? = nil\(comma)")
                }
            }
        }
        source.block(")") { source in
            for member in message.members {
                let property =
                    switch member {
                    case .field(let field): field.property
                    case .choice(let choice): choice.property
                    }
                source.line("self.\(property) = \(property)")
            }
        }
        source.line()
        source.line("/// An empty message.")
        source.block("public init()") { source in
            for member in message.members {
                switch member {
                case .field(let field): source.line("self.\(field.property) = \(field.initialValue)")
                case .choice(let choice): source.line("self.\(choice.property) = nil")
                }
            }
        }
    }

    private func emit(_ choice: MessageModel.Choice, into source: inout SwiftSource) {
        source.line()
        source.line("/// What `\(choice.property)` can be.")
        source.block("public enum \(choice.type): Sendable, Equatable") { source in
            for field in choice.fields {
                source.doc(field.comment, fallback: "`\(field.name)` (\(field.number)).")
                source.line("case \(field.property)(\(field.type.swift))")
            }
            source.line()
            source.line("/// Schema name of the member that is set.")
            source.block("public var fieldName: String") { source in
                source.block("switch self") { source in
                    for field in choice.fields { source.line("case .\(field.property): \"\(field.name)\"") }
                }
            }
            source.line()
            source.line("/// Field number of the member that is set.")
            source.block("public var fieldNumber: UInt32") { source in
                source.block("switch self") { source in
                    for field in choice.fields { source.line("case .\(field.property): \(field.number)") }
                }
            }
        }
    }
}
