/// What is wrong with stem data or with a playback command.
///
/// `field` is the path inside the document, such as `stems.bass.energy[12]`; values are kept as text, so that two
/// errors about NaN compare equal.
public enum HarmoniAIError: Error, Equatable, Sendable {
    /// The document has, or announces, `got` bytes; at most `limit` are read.
    case tooManyBytes(got: UInt64, limit: UInt64)
    /// The bytes are not JSON.
    case notJSON(reason: String)
    /// The field is not there, or null.
    case missing(field: String)
    /// The field has another type than `expected`.
    case wrongType(field: String, expected: String)
    /// A number lies outside `accepted`.
    case outOfRange(field: String, value: String, accepted: String)
    /// A list has `got` entries instead of `expected`.
    case wrongCount(field: String, got: Int, expected: String)
    /// Entry `field` is smaller than the one before it.
    case notAscending(field: String, value: String, previous: String)
    /// The field contradicts another.
    case contradiction(field: String, value: String, expected: String)
    /// A command needs a playing or paused song, and there is none.
    case nothingLoaded
}

extension HarmoniAIError {
    /// The field at fault.
    public var field: String {
        switch self {
        case .tooManyBytes, .notJSON: "document"
        case .missing(let field), .wrongType(let field, _), .outOfRange(let field, _, _),
            .wrongCount(let field, _, _), .notAscending(let field, _, _), .contradiction(let field, _, _):
            field
        case .nothingLoaded: "song_id"
        }
    }
}

extension HarmoniAIError: CustomStringConvertible {
    /// One sentence that names the field and what is accepted.
    public var description: String {
        switch self {
        case .tooManyBytes(let got, let limit): "document: \(got) bytes, at most \(limit) are accepted"
        case .notJSON(let reason): "document: not JSON (\(reason))"
        case .missing(let field): "\(field): missing"
        case .wrongType(let field, let expected): "\(field): wrong type, expected \(expected)"
        case .outOfRange(let field, let value, let accepted):
            "\(field): got \(value), accepted is \(accepted)"
        case .wrongCount(let field, let got, let expected):
            "\(field): has \(got) entries, expected \(expected)"
        case .notAscending(let field, let value, let previous):
            "\(field): got \(value) after \(previous), expected ascending frames"
        case .contradiction(let field, let value, let expected):
            "\(field): got \(value), expected \(expected)"
        case .nothingLoaded: "song_id: no song is playing or paused"
        }
    }
}
