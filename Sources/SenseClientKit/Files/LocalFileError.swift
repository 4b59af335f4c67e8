/// Why a file on this machine cannot be used. Cases carry what a person needs to mend it.
public enum LocalFileError: Error, Equatable, Sendable {
    /// There is nothing at `path`.
    case notFound(path: String)
    /// `path` is a folder.
    case isDirectory(path: String)
    /// The system refused.
    case unreadable(path: String, reason: String)
    /// The file could not be written.
    case unwritable(path: String, reason: String)
    /// It holds more than is accepted.
    case tooLarge(path: String, maxBytes: Int)
    /// It is not what it should be: what was expected, where, and what is there.
    case damaged(path: String, place: String, expected: String, got: String)
}

extension LocalFileError: CustomStringConvertible {
    /// One sentence for a person.
    public var description: String {
        switch self {
        case .notFound(let path): "\(path): no such file"
        case .isDirectory(let path): "\(path): is a folder; give a file"
        case .unreadable(let path, let reason): "\(path): cannot be read (\(reason))"
        case .unwritable(let path, let reason): "\(path): cannot be written (\(reason))"
        case .tooLarge(let path, let maxBytes):
            "\(path): is larger than \(maxBytes) bytes, the most that is accepted"
        case .damaged(let path, let place, let expected, let got):
            "\(path): \(place): expected \(expected), got \(got)"
        }
    }
}
