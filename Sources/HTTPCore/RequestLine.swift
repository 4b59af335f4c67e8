/// The first line of a request (RFC 9112 section 3).
struct RequestLine: Equatable, Sendable {
    let method: HTTPMethod
    /// Origin form, or `*`.
    let target: String
    /// Of an absolute-form target.
    let authority: String?
    let minorVersion: Int

    init(_ line: ArraySlice<UInt8>, methods: Set<HTTPMethod>) throws(HTTPError) {
        let parts = line.split(separator: 0x20, maxSplits: 3, omittingEmptySubsequences: false)
        guard parts.count == 3, ASCII.isToken(parts[0]), !parts[1].isEmpty else { throw .malformedStartLine }
        minorVersion = try Self.minorVersion(parts[2])
        guard let method = HTTPMethod(rawValue: String(decoding: parts[0], as: UTF8.self)) else {
            throw .unknownMethod
        }
        guard methods.contains(method) else { throw .methodNotAllowed(method) }
        self.method = method
        // A fragment never travels; bytes outside of visible ASCII must be percent-encoded.
        guard parts[1].allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "#") }) else {
            throw .invalidTarget
        }
        let target = String(decoding: parts[1], as: UTF8.self)
        if target.utf8.first == UInt8(ascii: "/") || (target == "*" && method == .options) {
            self.target = target
            authority = nil
        } else {
            (authority, self.target) = try Self.absoluteForm(target)
        }
    }

    private static func minorVersion(_ version: ArraySlice<UInt8>) throws(HTTPError) -> Int {
        let bytes = Array(version)
        guard bytes.count == 8, bytes.starts(with: "HTTP/".utf8), bytes[6] == UInt8(ascii: "."),
            (0x30...0x39).contains(bytes[5]), (0x30...0x39).contains(bytes[7])
        else { throw .malformedStartLine }
        guard bytes[5] == UInt8(ascii: "1"), bytes[7] <= UInt8(ascii: "1") else { throw .unsupportedVersion }
        return Int(bytes[7] - 0x30)
    }

    /// `http://host[:port][/path][?query]` (RFC 9112 section 3.2.2) to authority and origin form.
    private static func absoluteForm(_ target: String) throws(HTTPError) -> (String, String) {
        let lowercase = target.lowercased()
        guard let scheme = ["http://", "https://"].first(where: { lowercase.hasPrefix($0) }) else {
            throw .invalidTarget
        }
        let rest = target.dropFirst(scheme.count)
        let authority = rest.prefix { $0 != "/" && $0 != "?" }
        guard !authority.isEmpty, HostName.isValid(String(authority)) else { throw .invalidTarget }
        let path = rest.dropFirst(authority.count)
        return (String(authority), path.hasPrefix("/") ? String(path) : "/" + path)
    }
}
