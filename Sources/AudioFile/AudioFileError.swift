/// Why an audio file cannot be read. Cases carry what a person needs to mend it.
public enum AudioFileError: Error, Equatable, Sendable {
    /// There is nothing at `path`.
    case notFound(path: String)
    /// `path` is a directory.
    case isDirectory(path: String)
    /// `path` is a device, pipe or socket; only regular files have a length.
    case notRegular(path: String)
    /// The system refused: no permission, or an input/output error.
    case unreadable(path: String, reason: String)
    /// libsndfile does not know the format, or finds it damaged.
    case notAudio(path: String, reason: String)
    /// A property of the file is outside what is accepted.
    case outOfRange(path: String, field: String, got: Int64, accepted: ClosedRange<Int64>)
    /// Reading stopped at `frame` before the end.
    case damaged(path: String, frame: Int64, reason: String)
}

extension AudioFileError: CustomStringConvertible {
    /// One sentence for a person.
    public var description: String {
        switch self {
        case .notFound(let path): "\(path): no such file"
        case .isDirectory(let path): "\(path): is a directory; give an audio file"
        case .notRegular(let path): "\(path): is not a regular file; pipe raw PCM on standard input instead"
        case .unreadable(let path, let reason): "\(path): cannot be read (\(reason))"
        case .notAudio(let path, let reason):
            "\(path): is not audio that can be read (\(reason)); wav, flac, ogg and mp3 can"
        case .outOfRange(let path, let field, let got, let accepted):
            "\(path): \(field) is \(got), accepted are \(accepted.lowerBound) to \(accepted.upperBound)"
        case .damaged(let path, let frame, let reason): "\(path): damaged at frame \(frame) (\(reason))"
        }
    }
}
