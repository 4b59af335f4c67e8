/// An answer to send.
public struct HTTPResponse: Equatable, Sendable {
    /// Status line.
    public var status: HTTPStatus
    /// Fields apart from Content-Length and Connection, which are written from the properties here.
    public var fields: HTTPFields
    /// The body; its length is announced.
    public var body: [UInt8]
    /// Adds `Connection: close`; the sender must then close once the bytes have left.
    public var closesConnection: Bool

    /// An answer.
    public init(
        status: HTTPStatus, fields: HTTPFields = HTTPFields(), body: [UInt8] = [],
        closesConnection: Bool = false
    ) {
        self.status = status
        self.fields = fields
        self.body = body
        self.closesConnection = closesConnection
    }

    /// A line of plain text.
    public static func text(_ status: HTTPStatus, _ line: String) -> HTTPResponse {
        HTTPResponse(
            status: status, fields: HTTPFields([("content-type", "text/plain; charset=utf-8")]),
            body: Array("\(line)\n".utf8))
    }

    /// Appends the answer's bytes.
    ///
    /// - Parameters:
    ///   - output: grows.
    ///   - includesBody: false for the answer to HEAD: the length is announced, the body left out.
    public func serialize(into output: inout [UInt8], includesBody: Bool = true) {
        output.append(contentsOf: "HTTP/1.1 \(status.code) ".utf8)
        HTTPFields.append(status.phrase, to: &output)
        output.append(contentsOf: "\r\n".utf8)
        fields.serialize(into: &output)
        // RFC 9110 section 8.6: none with 1xx and 204.
        let hasLength = status.code >= 200 && status.code != 204
        if hasLength { output.append(contentsOf: "content-length: \(body.count)\r\n".utf8) }
        if closesConnection { output.append(contentsOf: "connection: close\r\n".utf8) }
        output.append(contentsOf: "\r\n".utf8)
        if hasLength, includesBody { output.append(contentsOf: body) }
    }
}
