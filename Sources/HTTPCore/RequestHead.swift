/// A request's head, checked.
public struct RequestHead: Equatable, Sendable {
    /// The method.
    public let method: HTTPMethod
    /// Path and query in origin form, beginning with `/` (or `*` for OPTIONS); not percent-decoded.
    public let target: String
    /// 0 for HTTP/1.0, 1 for HTTP/1.1.
    public let minorVersion: Int
    /// Host and optional port as sent; nil only for HTTP/1.0 without Host.
    public let host: String?
    /// All fields, Host included.
    public let fields: HTTPFields
    /// Body bytes that follow the head.
    public let contentLength: Int

    /// A head as given; the parser is what checks.
    public init(
        method: HTTPMethod, target: String, minorVersion: Int = 1, host: String?, fields: HTTPFields,
        contentLength: Int = 0
    ) {
        self.method = method
        self.target = target
        self.minorVersion = minorVersion
        self.host = host
        self.fields = fields
        self.contentLength = contentLength
    }

    /// The target up to its query.
    public var path: Substring { target.prefix { $0 != "?" } }

    /// The query without its `?`, or nil when there is none.
    public var query: Substring? {
        guard let mark = target.firstIndex(of: "?") else { return nil }
        return target[target.index(after: mark)...]
    }

    /// Whether the peer expects the connection to stay open after the answer (RFC 9112 section 9.3).
    public var keepsAlive: Bool {
        minorVersion >= 1 && !fields.hasMember("connection", "close")
    }
}
