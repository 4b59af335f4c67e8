/// One option of a command.
struct OptionSpec {
    /// With its dashes: `--server`.
    var name: String
    /// What follows it, as the help names it; nil for a flag.
    var value: String?
    /// One line of help.
    var help: String

    init(_ name: String, _ value: String? = nil, _ help: String) {
        self.name = name
        self.value = value
        self.help = help
    }
}

/// What a command takes, from which its help is made.
struct CommandSpec {
    /// The word that chooses it.
    var name: String
    /// One line for the list of commands.
    var summary: String
    /// Names of what it takes besides options, all required but those in brackets.
    var positionals: [String] = []
    /// Whether the last of them may be given several times.
    var repeatsLast = false
    /// Its own options.
    var options: [OptionSpec] = []
    /// Whether it talks to a server, and so has the options for that.
    var connects = true
    /// Further paragraphs of help.
    var notes = ""
    /// Left out of the list of commands.
    var isHidden = false

    static let connectionOptions = [
        OptionSpec(
            "--server", "HOST:PORT", "the server (default: the one paired with last); ws://… is unencrypted"),
        OptionSpec(
            "--config", "FILE", "where certificates and tokens are kept (default ~/.config/sense/client.json)"
        ),
        OptionSpec("--token", "TOKEN", "use this token instead of the one kept"),
        OptionSpec(
            "--accept-fingerprint", "HEX", "pin the certificate with this SHA-256, whatever was pinned before"
        ),
        OptionSpec("--yes", nil, "pin whatever certificate is shown at first contact"),
    ]
    static let commonOptions = [
        OptionSpec("--json", nil, "one JSON object a line, for scripts"),
        OptionSpec("--no-color", nil, "plain text on a terminal too"),
        OptionSpec("--help", nil, "this text"),
    ]

    /// All options in the order of the help.
    var allOptions: [OptionSpec] {
        options + (connects ? Self.connectionOptions : []) + Self.commonOptions
    }

    /// What `--help` prints.
    var help: String {
        let head = (["usage: sense-client", name] + positionals + ["[options]"]).joined(separator: " ")
        let lines = allOptions.map { option in
            let left = "  " + option.name + (option.value.map { " " + $0 } ?? "")
            return left + String(repeating: " ", count: max(1, 32 - left.count)) + option.help
        }
        return ([head, "", summary, ""] + lines + (notes.isEmpty ? [] : ["", notes])).joined(separator: "\n")
    }
}
