/// The methods of RFC 9110 section 9 and PATCH. Case-sensitive on the wire.
public enum HTTPMethod: String, CaseIterable, Sendable {
    /// Transfer a representation.
    case get = "GET"
    /// As GET without the body.
    case head = "HEAD"
    /// Process the body.
    case post = "POST"
    /// Store the body.
    case put = "PUT"
    /// Remove the resource.
    case delete = "DELETE"
    /// Ask for communication options.
    case options = "OPTIONS"
    /// Open a tunnel.
    case connect = "CONNECT"
    /// Echo the request.
    case trace = "TRACE"
    /// Change a part (RFC 5789).
    case patch = "PATCH"
}
