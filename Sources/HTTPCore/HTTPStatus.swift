/// A status code (RFC 9110 section 15) with its phrase.
public struct HTTPStatus: Equatable, Sendable {
    /// 100...599.
    public let code: Int
    /// The phrase of the status line; readers ignore it.
    public let phrase: String

    /// Any status.
    public init(code: Int, phrase: String) {
        self.code = code
        self.phrase = phrase
    }

    /// 101
    public static let switchingProtocols = HTTPStatus(code: 101, phrase: "Switching Protocols")
    /// 200
    public static let ok = HTTPStatus(code: 200, phrase: "OK")
    /// 204
    public static let noContent = HTTPStatus(code: 204, phrase: "No Content")
    /// 400
    public static let badRequest = HTTPStatus(code: 400, phrase: "Bad Request")
    /// 401
    public static let unauthorized = HTTPStatus(code: 401, phrase: "Unauthorized")
    /// 403
    public static let forbidden = HTTPStatus(code: 403, phrase: "Forbidden")
    /// 404
    public static let notFound = HTTPStatus(code: 404, phrase: "Not Found")
    /// 405
    public static let methodNotAllowed = HTTPStatus(code: 405, phrase: "Method Not Allowed")
    /// 408
    public static let requestTimeout = HTTPStatus(code: 408, phrase: "Request Timeout")
    /// 411
    public static let lengthRequired = HTTPStatus(code: 411, phrase: "Length Required")
    /// 413
    public static let contentTooLarge = HTTPStatus(code: 413, phrase: "Content Too Large")
    /// 414
    public static let uriTooLong = HTTPStatus(code: 414, phrase: "URI Too Long")
    /// 415
    public static let unsupportedMediaType = HTTPStatus(code: 415, phrase: "Unsupported Media Type")
    /// 426
    public static let upgradeRequired = HTTPStatus(code: 426, phrase: "Upgrade Required")
    /// 429
    public static let tooManyRequests = HTTPStatus(code: 429, phrase: "Too Many Requests")
    /// 431
    public static let fieldsTooLarge = HTTPStatus(code: 431, phrase: "Request Header Fields Too Large")
    /// 500
    public static let internalError = HTTPStatus(code: 500, phrase: "Internal Server Error")
    /// 501
    public static let notImplemented = HTTPStatus(code: 501, phrase: "Not Implemented")
    /// 503
    public static let unavailable = HTTPStatus(code: 503, phrase: "Service Unavailable")
    /// 505
    public static let versionNotSupported = HTTPStatus(code: 505, phrase: "HTTP Version Not Supported")
}
