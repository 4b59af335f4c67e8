public import SenseProtocol

/// Something a peer sent that cannot be taken: which field, what was expected, what came.
public struct FieldProblem: Error, Sendable, Equatable {
    /// The wire code; equals the close code if fatal.
    public var code: ErrorCode
    /// Path of the field, such as `open_stream.audio.sample_rate_hz`.
    public var field: String
    /// The accepted range or form.
    public var expected: String
    /// What came, shortened.
    public var got: String
    /// The stream it belongs to; 0 = the session.
    public var streamID: UInt32
    /// The connection is closed after the error.
    public var isFatal: Bool
    /// When trying again makes sense; 0 = not stated.
    public var retryAfterMs: UInt32

    /// A problem with one field.
    public init(
        _ code: ErrorCode = .invalidValue, field: String, expected: String, got: String, streamID: UInt32 = 0,
        isFatal: Bool = false, retryAfterMs: UInt32 = 0
    ) {
        self.code = code
        self.field = field
        self.expected = expected
        self.got = String(got.prefix(120))
        self.streamID = streamID
        self.isFatal = isFatal
        self.retryAfterMs = retryAfterMs
    }

    /// What is wrong with a name that people read and the store keeps: too long, or with control characters (such as
    /// the NUL that ends a C string). Nil = nothing.
    static func name(_ text: String, field: String, maxBytes: Int) -> FieldProblem? {
        if text.utf8.count > maxBytes {
            return FieldProblem(
                field: field, expected: "at most \(maxBytes) bytes", got: "\(text.utf8.count) bytes")
        }
        if let control = text.utf8.first(where: { $0 < 0x20 || $0 == 0x7f }) {
            return FieldProblem(
                field: field, expected: "text without control characters", got: "byte \(control)")
        }
        return nil
    }

    /// The wire form.
    /// - Parameter seq: the envelope it answers; 0 = none.
    public func message(inReplyToSeq seq: UInt64) -> ErrorMessage {
        ErrorMessage(
            code: code, field: field, streamId: streamID, fatal: isFatal, retryAfterMs: retryAfterMs,
            devMessage: "\(field): expected \(expected), got \(got)", userMessage: code.userMessage,
            inReplyToSeq: seq)
    }
}

extension ErrorCode {
    /// One sentence fit to be shown, spoken or brailled.
    public var userMessage: String {
        switch self {
        case .malformed, .invalidValue: "The device sent something that the server cannot use."
        case .unauthenticated: "This device is not paired with the server."
        case .forbidden: "This device is not allowed to do that."
        case .notFound: "That was not found on the server."
        case .unsupportedVersion: "The app and the server do not understand each other. Update the app."
        case .helloTimeout: "The device took too long to introduce itself."
        case .superseded: "This device is connected from somewhere else now."
        case .tooLarge: "That was too large for the server."
        case .unsupported: "The server cannot do that."
        case .tooFast: "The device sends faster than the server accepts."
        case .internal: "Something went wrong in the server. Alerts may be missing."
        case .unavailable: "That is not available now."
        case .draining: "The server restarts. Connect again in a moment."
        case .heartbeatLost: "The connection was lost."
        case .unspecified, .unrecognized: "Something went wrong."
        }
    }
}
