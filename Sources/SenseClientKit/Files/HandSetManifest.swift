#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// `manifest.json` beside a set of labelled landmark files: what their columns leave out.
public struct HandSetManifest: Sendable, Equatable {
    /// What is known of one file, by its name without `.csv.gz`.
    public struct Entry: Sendable, Equatable {
        /// Hands of unknown side are what MediaPipe calls "Left" (true) or "Right" (false); nil = not said.
        public var unknownHandIsLeft: Bool?
        /// Width of the picture over its height; nil = not said.
        public var aspect: Double?
    }

    private struct Line: Decodable {
        var mirror_all_if_unknown: Bool?
        var aspect_w_over_h: String?
    }

    private let entries: [String: Entry]

    /// Bytes of such a file.
    public static let maxBytes = 1 << 20

    /// Reads the file beside `path` or in the folder above; empty when there is none.
    /// - Throws: when there is one that is no such manifest.
    public init(besides path: String) throws(LocalFileError) {
        let folder = path.split(separator: "/", omittingEmptySubsequences: false).dropLast()
        for place in [folder, folder.dropLast()] {
            let candidate = (place.isEmpty ? "" : place.joined(separator: "/") + "/") + "manifest.json"
            guard let content = try? LocalFile.read(candidate, maxBytes: Self.maxBytes) else { continue }
            guard let lines = try? JSONDecoder().decode([String: Line].self, from: Data(content)) else {
                throw .damaged(
                    path: candidate, place: "the file", expected: "an object of objects",
                    got: "something else")
            }
            entries = lines.mapValues {
                Entry(
                    unknownHandIsLeft: $0.mirror_all_if_unknown,
                    aspect: $0.aspect_w_over_h.flatMap { Double($0) })
            }
            return
        }
        entries = [:]
    }

    /// What is known of the file at `path`.
    public subscript(path: String) -> Entry {
        let name = path.split(separator: "/").last.map(String.init) ?? path
        return entries[Self.source(name)] ?? Entry()
    }

    /// A file's name without folder and endings.
    public static func source(_ path: String) -> String {
        let name = path.split(separator: "/").last.map(String.init) ?? path
        return name.split(separator: ".").first.map(String.init) ?? name
    }
}
