/// A JSON value for output.
enum JSONValue: Sendable, Equatable {
    case text(String)
    case integer(Int64)
    case unsigned(UInt64)
    /// Not finite ones become null.
    case number(Double, places: Int = 3)
    case flag(Bool)
    case null
    case list([JSONValue])
    case object([Member])

    /// One member of an object.
    struct Member: Sendable, Equatable {
        var key: String
        var value: JSONValue
    }

    static func count(_ value: some BinaryInteger) -> JSONValue { .integer(Int64(clamping: value)) }

    fileprivate func write(to text: inout String) {
        switch self {
        case .text(let value): Self.quote(value, to: &text)
        case .integer(let value): text += String(value)
        case .unsigned(let value): text += String(value)
        case .number(let value, let places):
            text += value.isFinite && abs(value) < 1e15 ? value.fixed(places) : "null"
        case .flag(let value): text += value ? "true" : "false"
        case .null: text += "null"
        case .list(let values):
            text += "["
            for (index, value) in values.enumerated() {
                if index > 0 { text += "," }
                value.write(to: &text)
            }
            text += "]"
        case .object(let members):
            text += "{"
            for (index, member) in members.enumerated() {
                if index > 0 { text += "," }
                Self.quote(member.key, to: &text)
                text += ":"
                member.value.write(to: &text)
            }
            text += "}"
        }
    }

    private static func quote(_ value: String, to text: inout String) {
        text += "\""
        for scalar in value.unicodeScalars {
            switch scalar {
            case "\"": text += "\\\""
            case "\\": text += "\\\\"
            case "\n": text += "\\n"
            case "\r": text += "\\r"
            case "\t": text += "\\t"
            default:
                if scalar.value < 0x20 || (0x7f...0x9f).contains(scalar.value) {
                    let hex = String(scalar.value, radix: 16)
                    text += "\\u" + String(repeating: "0", count: 4 - hex.count) + hex
                } else {
                    text.unicodeScalars.append(scalar)
                }
            }
        }
        text += "\""
    }
}

/// One object on one line, its keys in the order given.
struct JSONLine: Sendable, Equatable {
    private(set) var members: [JSONValue.Member]

    init(_ members: KeyValuePairs<String, JSONValue>) {
        self.members = members.map { JSONValue.Member(key: $0.key, value: $0.value) }
    }

    /// The line without its end.
    var text: String {
        var text = ""
        JSONValue.object(members).write(to: &text)
        return text
    }
}
