/// Swift text under construction: lines with their indentation.
struct SwiftSource {
    private(set) var text = ""
    private var depth = 0

    mutating func line(_ line: String = "") {
        if !line.isEmpty { text += String(repeating: " ", count: 4 * depth) + line }
        text += "\n"
    }

    /// `head {`, the body one level deeper, `}`.
    mutating func block(_ head: String, _ body: (inout SwiftSource) throws -> Void) rethrows {
        line(head + " {")
        depth += 1
        try body(&self)
        depth -= 1
        line("}")
    }

    /// Lines one level deeper.
    mutating func indented(_ body: (inout SwiftSource) -> Void) {
        depth += 1
        body(&self)
        depth -= 1
    }

    /// A doc comment from the schema's comment, or `fallback`.
    mutating func doc(_ comment: String?, fallback: String) {
        let lines = (comment ?? fallback).split(separator: "\n", omittingEmptySubsequences: false)
            .map { line in String(line.drop(while: { $0 == " " })) }
        let first = lines.firstIndex { !$0.isEmpty } ?? 0
        let last = lines.lastIndex { !$0.isEmpty } ?? 0
        for text in lines[first...last] { line(text.isEmpty ? "///" : "/// " + text) }
    }
}
