import Synchronization

/// Where a command tells what happens: to a person, or to a script.
final class Console: Sendable {
    let isJSON: Bool
    let style: TerminalStyle
    private let showsProgress: Bool
    /// Lines of the display that is replaced by whatever comes next.
    private let liveLines = Mutex(0)

    init(isJSON: Bool, allowsColor: Bool) {
        self.isJSON = isJSON
        let isTerminal = StandardStreams.outputIsTerminal && !isJSON
        showsProgress = isTerminal
        style = TerminalStyle(isOn: isTerminal && allowsColor)
    }

    /// Something happened. Scripts get `json` with the key `event` first, people get `human` (nil: nothing).
    func tell(_ event: String, _ json: KeyValuePairs<String, JSONValue>, _ human: @autoclosure () -> String?)
    {
        guard !isJSON else {
            let line = JSONLine(json)
            let head = "{\"event\":\(JSONLine(["e": .text(event)]).text.dropFirst(5).dropLast())"
            let rest = line.text.dropFirst()
            StandardStreams.write(head + (rest == "}" ? "" : ",") + rest + "\n")
            return
        }
        if let text = human() { put(text + "\n", lines: 0) }
    }

    /// What is going on; replaced by whatever comes next, and shown on a terminal only.
    func progress(_ text: @autoclosure () -> String) { live([text()]) }

    /// The same with several lines. Each must fit `StandardStreams.columns`.
    func live(_ lines: @autoclosure () -> [String]) {
        guard showsProgress else { return }
        let lines = lines()
        put(lines.joined(separator: "\n"), lines: lines.count)
    }

    private func put(_ text: String, lines: Int) {
        liveLines.withLock { shown in
            var clear = ""
            if shown > 0 {
                clear = "\r" + (shown > 1 ? "\u{1b}[\(shown - 1)A" : "") + "\u{1b}[J"
            }
            StandardStreams.write(clear + text)
            shown = lines
        }
    }

    /// Ends a display without leaving it behind.
    func clearProgress() { put("", lines: 0) }
}
