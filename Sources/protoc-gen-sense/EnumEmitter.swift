/// Emits an open Swift enum: unknown values are kept in `unrecognized`.
struct EnumEmitter {
    let descriptor: EnumDescriptor
    let file: FileDescriptor
    let path: [Int32]

    private var name: String { SwiftNames.type(descriptor.name) }

    private var cases: [(swift: String, proto: String, number: Int32)] {
        descriptor.values.map { (SwiftNames.enumCase($0.name, of: descriptor.name), $0.name, $0.number) }
    }

    func emit(into source: inout SwiftSource) throws {
        guard let first = descriptor.values.first, first.number == 0 else {
            throw GeneratorError.unsupported("enum \(descriptor.name) without a zero value")
        }
        source.doc(file.comments[path], fallback: "`\(descriptor.name)` of the schema.")
        source.block("public enum \(name): WireEnum") { source in
            for (index, value) in cases.enumerated() {
                let comment = file.comments[path + [2, Int32(index)]]
                source.doc(comment, fallback: "`\(value.proto)`, \(value.number) on the wire.")
                source.line("case \(SwiftNames.member(value.swift))")
            }
            source.line(
                "/// A value that this version does not know; kept so that it survives being passed on.")
            source.line("case unrecognized(Int32)")
            source.line()
            source.line("/// The value with this number; never fails.")
            source.block("public init(rawValue: Int32)") { source in
                source.block("switch rawValue") { source in
                    for value in cases {
                        source.line("case \(value.number): self = .\(SwiftNames.member(value.swift))")
                    }
                    source.line("default: self = .unrecognized(rawValue)")
                }
            }
            source.line()
            source.line("/// Number on the wire.")
            source.block("public var rawValue: Int32") { source in
                source.block("switch self") { source in
                    for value in cases {
                        source.line("case .\(SwiftNames.member(value.swift)): \(value.number)")
                    }
                    source.line("case .unrecognized(let rawValue): rawValue")
                }
            }
            source.line()
            source.line("/// Every value of the schema, in its order.")
            source.line("public static let knownValues: [\(name)] = [")
            source.indented { source in
                for value in cases { source.line(".\(SwiftNames.member(value.swift)),") }
            }
            source.line("]")
            source.line()
            source.line("/// The value with this schema name, or nil.")
            source.block("public init?(protoName: String)") { source in
                source.block("switch protoName") { source in
                    for value in cases {
                        source.line("case \"\(value.proto)\": self = .\(SwiftNames.member(value.swift))")
                    }
                    source.line("default: return nil")
                }
            }
            source.line()
            source.line("/// Schema name, or nil for an unknown value.")
            source.block("public var protoName: String?") { source in
                source.block("switch self") { source in
                    for value in cases {
                        source.line("case .\(SwiftNames.member(value.swift)): \"\(value.proto)\"")
                    }
                    source.line("case .unrecognized: nil")
                }
            }
        }
    }
}
