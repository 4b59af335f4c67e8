/// Why a message was refused: what was wrong, in which field, at which byte.
public struct WireError: Error, Sendable, Equatable {
    /// What was wrong. Closed; each case carries what was expected and what came.
    public let fault: WireFault
    /// The field in schema names, such as `open_stream.audio.sample_rate_hz` or `hand_frames.frames[3].points`.
    /// Empty for the message itself. A field the schema does not know is written `#NUMBER`.
    public private(set) var path: String
    /// Byte offset from the start of the message (binary) or of the text (JSON).
    public let offset: Int

    /// An error at `offset`; messages around it add their part of the path.
    public init(_ fault: WireFault, offset: Int, path: String = "") {
        self.fault = fault
        self.offset = offset
        self.path = path
    }

    /// The wire code that answers it: `tooLarge` for an exceeded limit, otherwise `malformed`.
    public var errorCode: ErrorCode {
        if case .overLimit = fault { .tooLarge } else { .malformed }
    }

    /// The same error seen from the message around it.
    func inside(_ field: String) -> WireError {
        var copy = self
        copy.path = path.isEmpty ? field : path.first == "[" ? field + path : "\(field).\(path)"
        return copy
    }
}

extension WireError: CustomStringConvertible {
    /// One line for developers: path, offset and fault. Carries no content of the message but numbers.
    public var description: String {
        "\(path.isEmpty ? "message" : path) (byte \(offset)): \(fault)"
    }
}
