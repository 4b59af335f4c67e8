/// Reads one request head from a byte stream in any cutting (RFC 9112), strictly: whatever two parsers might
/// read differently is refused, because that difference is what request smuggling lives on.
///
/// Cost is linear in the bytes however they are cut. After an error the answer is `error.response`, then the
/// connection is closed; the parser must not be used again.
public struct RequestHeadParser: Sendable {
    private let limits: HTTPLimits
    private let methods: Set<HTTPMethod>
    private var lines: HeadLines
    private var start: RequestLine?
    private var fields = HTTPFields()

    /// - Parameters:
    ///   - limits: bounds of the head and of the announced body.
    ///   - methods: accepted; other known ones give 405, unknown ones 501.
    public init(limits: HTTPLimits = HTTPLimits(), methods: Set<HTTPMethod> = [.get, .head]) {
        self.limits = limits
        self.methods = methods
        lines = HeadLines(limits: limits)
    }

    /// Whether no byte of a head has been seen: an idle connection, rather than a slow request.
    public var isEmpty: Bool { start == nil && lines.bytes.isEmpty }

    /// The head when it is complete, nil when the input ended inside it.
    ///
    /// - Parameters:
    ///   - input: the bytes received; borrowed.
    ///   - position: index of the first unread byte; moved past what was read. After a head it stands at the
    ///     first byte of the body or of what follows the upgrade.
    public mutating func next(
        _ input: Span<UInt8>, at position: inout Int
    ) throws(HTTPError) -> RequestHead? {
        while true {
            switch try lines.next(input, at: &position) {
            case .needsMore: return nil
            case .line(let range):
                let line = lines.bytes[range]
                if start == nil {
                    start = try RequestLine(line, methods: methods)
                } else {
                    let field = try FieldLine.parse(line)
                    fields.append(field.name, field.value)
                }
            case .end:
                guard let start else { throw .malformedStartLine }
                return try finish(start)
            }
        }
    }

    private mutating func finish(_ start: RequestLine) throws(HTTPError) -> RequestHead {
        let hosts = fields.values("host")
        if hosts.count > 1 { throw .repeatedHost }
        if hosts.isEmpty, start.minorVersion >= 1 { throw .missingHost }
        if let host = hosts.first, !HostName.isValid(host) { throw .invalidHost }
        // RFC 9112 section 3.2.2 lets the target's authority replace Host; we take it only when both agree.
        if let authority = start.authority, let host = hosts.first,
            authority.lowercased() != host.lowercased()
        {
            throw .invalidTarget
        }
        let contentLength = try bodyBytes(start.method)
        let head = RequestHead(
            method: start.method, target: start.target, minorVersion: start.minorVersion,
            host: hosts.first ?? start.authority, fields: fields, contentLength: contentLength)
        self = RequestHeadParser(limits: limits, methods: methods)
        return head
    }

    private func bodyBytes(_ method: HTTPMethod) throws(HTTPError) -> Int {
        let takesBody = method == .post || method == .put || method == .patch
        if !fields.values("transfer-encoding").isEmpty {
            throw takesBody ? .transferEncoding : .unexpectedBody
        }
        let lengths = fields.values("content-length")
        if lengths.isEmpty {
            if takesBody { throw .missingContentLength }
            return 0
        }
        guard lengths.count == 1, let length = ASCII.decimal(Array(lengths[0].utf8)) else {
            throw .invalidContentLength
        }
        if !takesBody, length > 0 { throw .unexpectedBody }
        if length > limits.maxBodyBytes { throw .bodyTooBig(bytes: length, limit: limits.maxBodyBytes) }
        return length
    }
}
