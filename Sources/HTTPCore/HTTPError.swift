/// Why a head was refused. The peer gets `status` and the connection is closed: after a bad head nobody can
/// say where the next message begins (RFC 9112 section 11.2).
public enum HTTPError: Error, Equatable, Sendable {
    /// A line feed without a carriage return before it.
    case bareLineFeed
    /// A carriage return without a line feed after it.
    case bareCarriageReturn
    /// A control byte where none may be.
    case controlByte(UInt8)
    /// A request line that is not `method SP target SP version`, or a status line that is none.
    case malformedStartLine
    /// Not HTTP/1.0 or HTTP/1.1.
    case unsupportedVersion
    /// A well-formed method this server does not know.
    case unknownMethod
    /// A known method that is not accepted.
    case methodNotAllowed(HTTPMethod)
    /// A target that is no origin form, or an absolute form that contradicts Host.
    case invalidTarget
    /// A field line without a colon, or with a name that is no token.
    case invalidFieldName
    /// A field continued on the next line (obs-fold).
    case foldedField
    /// An HTTP/1.1 request without Host.
    case missingHost
    /// Two Host fields.
    case repeatedHost
    /// A Host that is no `host[:port]`.
    case invalidHost
    /// Content-Length that is no single decimal number.
    case invalidContentLength
    /// A body where none is taken: Content-Length above 0 on GET or HEAD.
    case unexpectedBody
    /// Transfer-Encoding; no coding is taken.
    case transferEncoding
    /// A POST without Content-Length.
    case missingContentLength
    /// A body above the limit.
    case bodyTooBig(bytes: Int, limit: Int)
    /// A request line above the limit.
    case startLineTooLong(limit: Int)
    /// A field line above the limit.
    case fieldTooLong(limit: Int)
    /// More fields than allowed.
    case tooManyFields(limit: Int)
    /// A head above the limit.
    case headTooLarge(limit: Int)

    /// The status to answer with before closing.
    public var status: HTTPStatus {
        switch self {
        case .bareLineFeed, .bareCarriageReturn, .controlByte, .malformedStartLine, .invalidTarget,
            .invalidFieldName, .foldedField, .missingHost, .repeatedHost, .invalidHost, .invalidContentLength,
            .unexpectedBody:
            .badRequest
        case .unsupportedVersion: .versionNotSupported
        case .unknownMethod, .transferEncoding: .notImplemented
        case .methodNotAllowed: .methodNotAllowed
        case .missingContentLength: .lengthRequired
        case .bodyTooBig: .contentTooLarge
        case .startLineTooLong: .uriTooLong
        case .fieldTooLong, .tooManyFields, .headTooLarge: .fieldsTooLarge
        }
    }

    /// One line for the body of the answer.
    public var reason: String {
        switch self {
        case .bareLineFeed: "line feed without carriage return"
        case .bareCarriageReturn: "carriage return without line feed"
        case .controlByte(let byte): "control byte \(byte)"
        case .malformedStartLine: "malformed start line"
        case .unsupportedVersion: "only HTTP/1.1 and HTTP/1.0 are spoken"
        case .unknownMethod: "unknown method"
        case .methodNotAllowed(let method): "method \(method.rawValue) is not allowed"
        case .invalidTarget: "invalid request target"
        case .invalidFieldName: "invalid field name"
        case .foldedField: "folded field line"
        case .missingHost: "Host is missing"
        case .repeatedHost: "more than one Host"
        case .invalidHost: "invalid Host"
        case .invalidContentLength: "invalid Content-Length"
        case .unexpectedBody: "no body is taken with this method"
        case .transferEncoding: "Transfer-Encoding is not supported"
        case .missingContentLength: "Content-Length is required"
        case .bodyTooBig(_, let limit): "body above \(limit) bytes"
        case .startLineTooLong(let limit): "request line above \(limit) bytes"
        case .fieldTooLong(let limit): "field line above \(limit) bytes"
        case .tooManyFields(let limit): "more than \(limit) fields"
        case .headTooLarge(let limit): "head above \(limit) bytes"
        }
    }

    /// The answer: status and reason, `Connection: close`.
    public var response: HTTPResponse {
        var response = HTTPResponse.text(status, reason)
        response.closesConnection = true
        return response
    }
}
