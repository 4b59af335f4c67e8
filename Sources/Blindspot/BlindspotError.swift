/// What makes a whole scene document unusable. Faults of single objects are flags, not errors.
public enum BlindspotError: Error, Equatable, Sendable {
    /// The document has `got` bytes; at most `limit` are read.
    case tooManyBytes(got: Int, limit: Int)
    /// The bytes are not a JSON object with a list `objects`.
    case notAScene(field: String, reason: String)
}

extension BlindspotError: CustomStringConvertible {
    /// One sentence that names the field and what is accepted.
    public var description: String {
        switch self {
        case .tooManyBytes(let got, let limit): "scene: \(got) bytes, at most \(limit) are accepted"
        case .notAScene(let field, let reason):
            "\(field): \(reason); expected {\"objects\": [{\"label\", \"position\", …}]}"
        }
    }
}
