/// Cuts a head into lines as it arrives, each byte looked at once, and refuses bad line ends and bytes at
/// once (RFC 9112 section 2.2). Holds at most `maxHeadBytes`.
struct HeadLines: Sendable {
    enum Progress: Equatable {
        /// The input ended inside the head.
        case needsMore
        /// A line is complete: `bytes[range]`, without its line end.
        case line(Range<Int>)
        /// The empty line that ends the head.
        case end
    }

    private(set) var bytes: [UInt8] = []
    private let limits: HTTPLimits
    private var consumed = 0
    private var lineStart = 0
    private var lines = 0
    private var sawCarriageReturn = false

    init(limits: HTTPLimits) {
        self.limits = limits
    }

    /// Reads on from `position`, which moves past what was read.
    mutating func next(_ input: Span<UInt8>, at position: inout Int) throws(HTTPError) -> Progress {
        while position < input.count {
            let byte = input[position]
            position += 1
            // Counts every byte, also skipped empty lines, so that no input is read without end.
            consumed += 1
            if consumed > limits.maxHeadBytes { throw .headTooLarge(limit: limits.maxHeadBytes) }
            if sawCarriageReturn {
                guard byte == 0x0A else { throw .bareCarriageReturn }
                sawCarriageReturn = false
                if let progress = try endLine() { return progress }
                continue
            }
            switch byte {
            case 0x0D: sawCarriageReturn = true
            case 0x0A: throw .bareLineFeed
            case 0x00...0x08, 0x0B...0x1F, 0x7F: throw .controlByte(byte)
            default:
                if bytes.count - lineStart >= limits.maxLineBytes {
                    throw lines == 0
                        ? .startLineTooLong(limit: limits.maxLineBytes)
                        : .fieldTooLong(limit: limits.maxLineBytes)
                }
                bytes.append(byte)
            }
        }
        return .needsMore
    }

    private mutating func endLine() throws(HTTPError) -> Progress? {
        let line = lineStart..<bytes.count
        if line.isEmpty {
            // Empty lines before the start line are skipped (RFC 9112 section 2.2).
            return lines == 0 ? nil : .end
        }
        lineStart = bytes.count
        lines += 1
        // The start line is no field.
        if lines - 1 > limits.maxFields { throw .tooManyFields(limit: limits.maxFields) }
        return .line(line)
    }
}
