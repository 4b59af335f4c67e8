import SenseClientKit

/// `eval`: runs labelled recordings through a server and measures what came out.
enum EvalCommand: Subcommand {
    static let spec = CommandSpec(
        name: "eval", summary: "run labelled hands or sounds through a server; print accuracy and latency",
        positionals: ["hands|sounds", "PATH"], repeatsLast: true,
        options: [
            OptionSpec("--hold", "N", "hands: pictures for which each row of a CSV is held (default 15)"),
            OptionSpec(
                "--limit", "N", "hands: rows of each letter; sounds: clips of each label (default all)"),
            OptionSpec("--split", "NAME", "sounds: only rows of clips.csv with this split"),
            OptionSpec("--seconds", "N", "sounds: cut clips after so long (default 5)"),
            OptionSpec(
                "--speed", "X|max", "sounds: times real time (default max); latencies mean something at 1"),
            OptionSpec(
                "--report", "FILE", "write everything, with the whole confusion matrix, as one JSON object"),
        ] + HandOptions.geometry,
        notes: """
            hands: CSV files with label,handedness,x0,y0,z0,… (each row is one sample) and JSON sequences with a label \
            (what they spell); a manifest.json beside them or above says which hand and proportions, as in the files of \
            the training data. sounds: a folder with clips.csv (path,label,…), or folders named after labels.
            """)

    static func run(_ context: CommandContext) async throws -> ExitCode {
        let paths = Array(context.arguments.positionals.dropFirst())
        switch context.arguments.positionals[0] {
        case "hands": return try await HandEvaluation(context).run(paths)
        case "sounds": return try await SoundEvaluation(context).run(paths)
        case let other: throw UsageError(message: "eval takes hands or sounds, not \(other)")
        }
    }

    /// Writes the report where it was wished.
    static func save(_ report: JSONLine, _ context: CommandContext) throws {
        guard let path = context.arguments.text("--report") else { return }
        try LocalFile.write(Array((report.text + "\n").utf8), to: path)
    }
}
