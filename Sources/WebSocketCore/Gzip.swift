/// Why a gzip file cannot be read.
public enum GzipError: Error, Equatable, Sendable {
    /// The content is larger than the caller accepts.
    case tooLarge(maxBytes: Int)
    /// It is no gzip file, ends too early, or its checksum does not fit.
    case damaged
    /// There is no memory.
    case noMemory
}

/// Reads gzip files (RFC 1952). It stands here because this module is the one that wraps zlib.
public enum Gzip {
    /// Whether the bytes begin as a gzip file does.
    public static func isGzip(_ bytes: [UInt8]) -> Bool {
        bytes.count >= 2 && bytes[0] == 0x1f && bytes[1] == 0x8b
    }

    /// The content of a whole gzip file with one member.
    ///
    /// - Parameter maxBytes: largest content; what the file itself claims is not believed.
    public static func inflate(_ file: [UInt8], maxBytes: Int) throws(GzipError) -> [UInt8] {
        guard let inflater = GzipInflater() else { throw .noMemory }
        var content: [UInt8] = []
        switch inflater.inflate(file.span, into: &content, maxBytes: max(0, maxBytes)) {
        case .done: return content
        case .limit: throw .tooLarge(maxBytes: maxBytes)
        case .invalid: throw .damaged
        case .noMemory: throw .noMemory
        }
    }
}
