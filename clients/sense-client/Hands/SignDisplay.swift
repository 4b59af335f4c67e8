import SenseProtocol

/// What `sign` shows on a terminal while the hand moves: the forming letter with its rivals, the text, the words.
struct SignDisplay {
    var letter = LetterUpdate()
    var text = ""
    var words = WordSuggestions()

    /// Four lines of at most `columns` characters.
    func lines(_ style: TerminalStyle, columns: Int) -> [String] {
        let width = max(20, columns - 1)
        let rivals = letter.alternatives.prefix(3).map {
            "\($0.letter.printable) \(Self.percent($0.probability))"
        }
        let head: String
        switch letter.state {
        case .noHand: head = "no hand"
        case .partial, .committed:
            let bar = style.bar(letter.confidence)
            head =
                "\(letter.letter.printable.padded(2)) \(bar) \(Self.percent(letter.confidence).paddedLeft(5))"
                + "   held \(style.bar(letter.holdProgress, width: 8))"
        default: head = letter.letter.isEmpty ? "…" : "\(letter.letter.printable) ?"
        }
        let tail = String(text.printable.suffix(width - 9))
        return [
            "  " + Self.cut(head, width - 2),
            "  " + style.dim(Self.cut("   " + rivals.joined(separator: "   "), width - 2)),
            "  text   " + style.bold(Self.cut(tail, width - 9)),
            "  words  " + suggestions(style, width: width - 9),
        ]
    }

    private func suggestions(_ style: TerminalStyle, width: Int) -> String {
        var shown: [String] = []
        var length = 0
        for word in words.words {
            let text = "\(word.word.printable) \(Self.percent(word.probability))"
            guard length + text.count + 3 <= width else { break }
            length += text.count + 3
            let isBest = shown.isEmpty && words.final
            shown.append(word.literal ? style.dim(text) : isBest ? style.green(text) : text)
        }
        return shown.joined(separator: "   ")
    }

    static func percent(_ share: Float) -> String { "\((Double(share) * 100).fixed(0)) %" }

    private static func cut(_ text: String, _ width: Int) -> String {
        text.count <= width ? text : String(text.prefix(max(0, width - 1))) + "…"
    }
}
