import SenseClientKit

/// Labelled clips of one or more folders.
struct SoundSet {
    /// One clip. `label` of a sound that should not be told begins with "other".
    struct Clip {
        var path: String
        var label: String
        var source: String

        var isOther: Bool { label == "other" || label.hasPrefix("other:") }
    }

    private(set) var clips: [Clip] = []

    /// Rows of a clips.csv.
    static let maxBytes = 16 << 20

    /// - Parameters:
    ///   - split: only rows with this split; nil = all.
    ///   - limit: clips of each label.
    init(_ paths: [String], split: String?, limit: Int) throws {
        var taken: [String: Int] = [:]
        for path in paths {
            for clip in try Self.read(path, split: split) where taken[clip.label, default: 0] < limit {
                taken[clip.label, default: 0] += 1
                clips.append(clip)
            }
        }
        guard !clips.isEmpty else {
            throw Failure(
                code: .unreadable, message: "no labelled clips",
                advice:
                    "Give a folder with clips.csv (path,label,…) or its clips.csv, and a --split that it has."
            )
        }
    }

    private static func read(_ path: String, split: String?) throws -> [Clip] {
        let table = path.hasSuffix(".csv") ? path : path + "/clips.csv"
        let folder = table.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(
            separator: "/")
        let text = String(decoding: try LocalFile.read(table, maxBytes: maxBytes), as: UTF8.self)
        var rows = text.split(whereSeparator: \.isNewline).map { cells(String($0)) }[...]
        let names = rows.popFirst() ?? []
        guard let pathColumn = names.firstIndex(of: "path"), let labelColumn = names.firstIndex(of: "label")
        else {
            throw LocalFileError.damaged(
                path: table, place: "line 1", expected: "columns path and label", got: "\(names.count) others"
            )
        }
        let splitColumn = names.firstIndex(of: "split")
        let sourceColumn = names.firstIndex(of: "source")
        return rows.compactMap { row in
            guard row.count == names.count else { return nil }
            if let split, let splitColumn, row[splitColumn] != split { return nil }
            return Clip(
                path: (folder.isEmpty ? "" : folder + "/") + row[pathColumn], label: row[labelColumn],
                source: sourceColumn.map { row[$0] } ?? "")
        }
    }

    /// Cells of a line in which quoted ones may hold commas.
    static func cells(_ line: String) -> [String] {
        var cells = [""]
        var isQuoted = false
        for character in line {
            switch character {
            case "\"": isQuoted.toggle()
            case "," where !isQuoted: cells.append("")
            default: cells[cells.count - 1].append(character)
            }
        }
        return cells
    }
}
