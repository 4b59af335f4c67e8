/// A response's head.
public struct ResponseHead: Equatable, Sendable {
    /// 100...599.
    public let statusCode: Int
    /// The phrase as sent.
    public let phrase: String
    /// All fields.
    public let fields: HTTPFields

    /// A head as given; the parser is what checks.
    public init(statusCode: Int, phrase: String, fields: HTTPFields) {
        self.statusCode = statusCode
        self.phrase = phrase
        self.fields = fields
    }
}

/// Reads one response head from a byte stream in any cutting (RFC 9112 section 4), for the client role; as
/// strict as the request side.
public struct ResponseHeadParser: Sendable {
    private let limits: HTTPLimits
    private var lines: HeadLines
    private var status: (code: Int, phrase: String)?
    private var fields = HTTPFields()

    /// - Parameter limits: bounds of the head.
    public init(limits: HTTPLimits = HTTPLimits()) {
        self.limits = limits
        lines = HeadLines(limits: limits)
    }

    /// The head when it is complete, nil when the input ended inside it. `position` moves past what was read,
    /// after a head to the first byte that follows it.
    public mutating func next(
        _ input: Span<UInt8>, at position: inout Int
    ) throws(HTTPError) -> ResponseHead? {
        while true {
            switch try lines.next(input, at: &position) {
            case .needsMore: return nil
            case .line(let range):
                let line = lines.bytes[range]
                if status == nil {
                    status = try Self.statusLine(line)
                } else {
                    let field = try FieldLine.parse(line)
                    fields.append(field.name, field.value)
                }
            case .end:
                guard let status else { throw .malformedStartLine }
                let head = ResponseHead(statusCode: status.code, phrase: status.phrase, fields: fields)
                self = ResponseHeadParser(limits: limits)
                return head
            }
        }
    }

    private static func statusLine(_ line: ArraySlice<UInt8>) throws(HTTPError) -> (Int, String) {
        let parts = line.split(separator: 0x20, maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count >= 2, parts[0].starts(with: "HTTP/".utf8) else { throw .malformedStartLine }
        guard parts[0].elementsEqual("HTTP/1.1".utf8) || parts[0].elementsEqual("HTTP/1.0".utf8) else {
            throw .unsupportedVersion
        }
        guard parts[1].count == 3, let code = ASCII.decimal(parts[1]), (100...599).contains(code) else {
            throw .malformedStartLine
        }
        return (code, parts.count == 3 ? String(decoding: parts[2], as: UTF8.self) : "")
    }
}
