/// A command line that cannot be taken.
struct UsageError: Error, Equatable {
    /// One sentence.
    var message: String
}

/// The words of a command line, sorted into options and the rest.
struct Arguments: Equatable {
    /// What is no option, in order.
    private(set) var positionals: [String] = []
    private var values: [String: [String]] = [:]

    /// Reads `--name value`, `--name=value`, flags, and after `--` anything. `-h` is `--help`, `-` is a positional.
    init(_ words: [String], spec: CommandSpec) throws(UsageError) {
        var rest = words[...]
        var takesOptions = true
        while let word = rest.popFirst() {
            guard takesOptions, word.hasPrefix("-"), word != "-" else {
                positionals.append(word)
                continue
            }
            if word == "--" {
                takesOptions = false
                continue
            }
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = word == "-h" ? "--help" : String(parts[0])
            guard let option = spec.allOptions.first(where: { $0.name == name }) else {
                throw UsageError(message: "\(name) is no option of \(spec.name)")
            }
            guard let placeholder = option.value else {
                guard parts.count == 1 else { throw UsageError(message: "\(name) takes no value") }
                values[name, default: []].append("")
                continue
            }
            if parts.count == 2 {
                values[name, default: []].append(String(parts[1]))
            } else if let value = rest.popFirst() {
                values[name, default: []].append(value)
            } else {
                throw UsageError(message: "\(name) needs \(placeholder)")
            }
        }
        guard !has("--help") else { return }
        let required = spec.positionals.prefix { !$0.hasPrefix("[") }
        if positionals.count < required.count {
            throw UsageError(message: "\(spec.name) needs \(required[positionals.count])")
        }
        if positionals.count > spec.positionals.count, !spec.repeatsLast {
            throw UsageError(
                message: "\(spec.name) does not know what to do with \(positionals[spec.positionals.count])")
        }
    }

    /// Whether an option was given.
    func has(_ name: String) -> Bool { values[name] != nil }

    /// The last value given.
    func text(_ name: String) -> String? { values[name]?.last }

    /// Every value given.
    func texts(_ name: String) -> [String] { values[name] ?? [] }

    /// A number within a range.
    func number<Number: LosslessStringConvertible & Comparable>(
        _ name: String, in range: ClosedRange<Number>
    ) throws(UsageError) -> Number? {
        guard let text = text(name) else { return nil }
        guard let number = Number(text), range.contains(number) else {
            throw UsageError(message: "\(name) takes \(range.lowerBound)…\(range.upperBound), not \(text)")
        }
        return number
    }

    /// One of a few words.
    func choice<Value>(_ name: String, _ choices: KeyValuePairs<String, Value>) throws(UsageError) -> Value? {
        guard let text = text(name) else { return nil }
        guard let found = choices.first(where: { $0.key == text }) else {
            let all = choices.map(\.key).joined(separator: ", ")
            throw UsageError(message: "\(name) takes one of \(all), not \(text)")
        }
        return found.value
    }
}
