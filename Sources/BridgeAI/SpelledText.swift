/// An edit that the person makes to their spelled text.
public enum TextEdit: Equatable, Sendable, CaseIterable {
    /// Append one space; none is added at the start or after another.
    case space
    /// Remove the last character.
    case delete
    /// Remove everything.
    case clear
}

/// The text that one hand stream has spelled so far; at most `BridgeAILimits.maxTextLetters` characters.
public struct SpelledText: Equatable, Sendable {
    /// Letters and spaces.
    public private(set) var text = ""
    private var length = 0
    private let limit: Int

    /// Starts empty. `limit` is the most characters held.
    public init(limit: Int = BridgeAILimits.maxTextLetters) {
        self.limit = max(0, limit)
    }

    /// True when nothing more can be appended; older text is never dropped silently.
    public var isFull: Bool { length >= limit }

    /// Appends a letter; false when the text is full.
    public mutating func append(_ letter: Letter) -> Bool {
        guard !isFull else { return false }
        text.append(letter.character)
        length += 1
        return true
    }

    /// Makes `edit`; false when it changed nothing.
    @discardableResult
    public mutating func apply(_ edit: TextEdit) -> Bool {
        switch edit {
        case .space:
            guard !isFull, let last = text.last, last != " " else { return false }
            text.append(" ")
            length += 1
        case .delete:
            guard !text.isEmpty else { return false }
            text.removeLast()
            length -= 1
        case .clear:
            guard !text.isEmpty else { return false }
            text = ""
            length = 0
        }
        return true
    }
}
