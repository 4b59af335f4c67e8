/// What is played: takes of sounds, each alone in its stream, and background.
struct StreamList {
    /// One stream.
    struct Entry {
        var path: String
        /// Takes of one sound share it; empty for background.
        var group: String
        /// `teach`, `test` or `background`.
        var role: String
        /// Number of the take; a test is not of a take that was taught.
        var take: Int
        /// How it was made: `same` recording, same `class`, `made` from one recording.
        var kind: String
        /// `quiet` or `busy`.
        var room: String
        /// What of the stream is the sound, seconds; in background, spans of the sounds named in `labels`.
        var spans: [(label: String, start: Double, end: Double)]
    }

    var entries: [Entry] = []

    /// Reads `path,group,role,take,kind,room,spans`, where spans are `label@start-end` joined by `|`.
    init(_ text: String, path: String) throws {
        let folder = path.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(
            separator: "/")
        for line in text.split(whereSeparator: \.isNewline).dropFirst() {
            let cells = line.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
            guard cells.count == 7, let take = Int(cells[3]) else {
                throw Usage(description: "\(path): seven columns expected in \(line)")
            }
            let spans = cells[6].split(separator: "|").compactMap { span -> (String, Double, Double)? in
                let parts = span.split(separator: "@")
                let times = (parts.last ?? "").split(separator: "-").compactMap { Double($0) }
                guard parts.count == 2, times.count == 2 else { return nil }
                return (String(parts[0]), times[0], times[1])
            }
            entries.append(
                Entry(
                    path: (folder.isEmpty ? "" : folder + "/") + cells[0], group: cells[1], role: cells[2],
                    take: take, kind: cells[4], room: cells[5], spans: spans))
        }
        guard !entries.isEmpty else { throw Usage(description: "\(path) names no stream") }
    }
}
