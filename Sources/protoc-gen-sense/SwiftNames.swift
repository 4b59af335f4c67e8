/// From schema names to Swift names.
enum SwiftNames {
    private static let reserved: Set<String> = [
        "as", "associatedtype", "break", "case", "catch", "class", "continue", "default", "defer", "deinit",
        "do",
        "else", "enum", "extension", "fallthrough", "false", "fileprivate", "for", "func", "guard", "if",
        "import",
        "in", "init", "inout", "internal", "is", "let", "nil", "operator", "precedencegroup", "private",
        "protocol",
        "public", "repeat", "rethrows", "return", "self", "static", "struct", "subscript", "super", "switch",
        "throw",
        "throws", "true", "try", "typealias", "var", "where", "while",
    ]

    /// A message or enum. `Error` would hide the standard library's protocol, hence `ErrorMessage`.
    static func type(_ protoName: String) -> String {
        let last = protoName.split(separator: ".").last.map(String.init) ?? protoName
        return last == "Error" ? "ErrorMessage" : last
    }

    static func member(_ name: String) -> String { reserved.contains(name) ? "`\(name)`" : name }

    /// `image_width` → `imageWidth`.
    static func camel(_ snake: String) -> String {
        let words = snake.split(separator: "_").map { $0.lowercased() }
        let tail = words.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst() }
        return (words.first ?? "") + tail.joined()
    }

    /// `credential` → `Credential`, the type of a oneof.
    static func capitalised(_ name: String) -> String {
        let camel = camel(name)
        return camel.prefix(1).uppercased() + camel.dropFirst()
    }

    /// `HandProducer` → `HAND_PRODUCER_`, `YAxis` → `Y_AXIS_`.
    static func enumPrefix(_ name: String) -> String {
        var result = ""
        for character in name {
            if character.isUppercase && !result.isEmpty { result += "_" }
            result += character.uppercased()
        }
        return result + "_"
    }

    /// `URGENCY_LIFE_SAFETY` of `Urgency` → `lifeSafety`.
    static func enumCase(_ value: String, of name: String) -> String {
        let prefix = enumPrefix(name)
        return camel(value.hasPrefix(prefix) ? String(value.dropFirst(prefix.count)) : value)
    }
}
