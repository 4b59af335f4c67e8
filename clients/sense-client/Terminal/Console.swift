import Synchronization

/// Where a command tells what happens: to a person, or to a script.
final class Console: Sendable {
    let isJSON: Bool
    let style: TerminalStyle
    private let showsProgress: Bool
    private let hasProgress = Mutex(false)

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
        if let text = human() { put(text + "\n", isProgress: false) }
    }

    /// What is going on; replaced by whatever comes next, and shown on a terminal only.
    func progress(_ text: @autoclosure () -> String) {
        guard showsProgress else { return }
        put(text(), isProgress: true)
    }

    private func put(_ text: String, isProgress: Bool) {
        hasProgress.withLock { has in
            let clear = has ? "\r\u{1b}[2K" : ""
            StandardStreams.write(clear + text)
            has = isProgress
        }
    }

    /// Ends a progress line without leaving it behind.
    func clearProgress() { put("", isProgress: false) }
}
