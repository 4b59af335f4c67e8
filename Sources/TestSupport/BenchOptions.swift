/// Options of a bench: names that take a value, and flags; each is checked when it is read.
public struct BenchOptions: Sendable {
    /// What is wrong with an option.
    public struct Problem: Error, CustomStringConvertible {
        /// The option, and what was expected.
        public var description: String
    }

    private var values: [String: String]
    private var given: Set<String> = []

    /// Reads a command line.
    /// - Parameters:
    ///   - arguments: with the program's own name first.
    ///   - defaults: every option that takes a value, and what it is when it is not there.
    ///   - flags: every option without a value.
    public init(
        _ arguments: [String], defaults: [String: String], flags: Set<String> = []
    ) throws(Problem) {
        values = defaults
        var rest = arguments.dropFirst()
        while let name = rest.popFirst() {
            if flags.contains(name) {
                given.insert(name)
                continue
            }
            guard defaults[name] != nil, let value = rest.popFirst() else {
                let flags = flags.isEmpty ? "" : ", or one of \(flags.sorted())"
                throw Problem(
                    description: "\(name): expected one of \(defaults.keys.sorted()) with a value\(flags)")
            }
            values[name] = value
        }
    }

    /// The option's text; empty if it was not given and has no default.
    public subscript(name: String) -> String { values[name] ?? "" }

    /// Whether the flag was given.
    public func has(_ flag: String) -> Bool { given.contains(flag) }

    /// The option as a number.
    public func number<Number: LosslessStringConvertible>(
        _ name: String, as kind: Number.Type = Number.self
    ) throws(Problem) -> Number {
        guard let number = Number(self[name]) else {
            throw Problem(description: "\(name): expected a number (\(kind)), got '\(self[name])'")
        }
        return number
    }
}
