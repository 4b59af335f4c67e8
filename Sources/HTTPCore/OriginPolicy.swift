/// Which web pages may open a connection. A browser sends the page's Origin with every WebSocket handshake
/// and lets any page open one (RFC 6455 section 10.2), so the server must look.
public struct OriginPolicy: Equatable, Sendable {
    /// What the policy says of one request.
    public enum Verdict: Equatable, Sendable {
        /// No Origin, or an allowed one.
        case allowed
        /// Answer 403 and close; why, for the log.
        case denied(String)
    }

    /// `scheme://host[:port]` in its canonical form: lower case, default port left out.
    private let allowed: Set<String>
    private let allowsAny: Bool
    private let allowsMissing: Bool

    /// - Parameters:
    ///   - origins: allowed pages, such as `https://sense.example:8443`, compared as a whole (no suffixes, no
    ///     wildcards). Entries that are no origin are ignored; see `isOrigin`.
    ///   - allowsMissing: whether requests without Origin pass: native apps send none, browsers always do.
    public init(_ origins: [String], allowsMissing: Bool = true) {
        allowed = Set(origins.compactMap(Self.canonical))
        allowsAny = false
        self.allowsMissing = allowsMissing
    }

    private init(allowsAny: Bool) {
        allowed = []
        self.allowsAny = allowsAny
        allowsMissing = true
    }

    /// Every page; for a server that authenticates each message by itself, and for conformance runs.
    public static let any = OriginPolicy(allowsAny: true)

    /// Whether `text` is an origin a policy can hold; for the check of a configuration.
    public static func isOrigin(_ text: String) -> Bool { canonical(text) != nil }

    /// Judges the Origin fields of a request.
    public func verdict(_ fields: HTTPFields) -> Verdict {
        if allowsAny { return .allowed }
        let origins = fields.values("origin")
        guard let origin = origins.first else { return allowsMissing ? .allowed : .denied("no Origin") }
        guard origins.count == 1 else { return .denied("\(origins.count) Origin fields") }
        guard let canonical = Self.canonical(origin) else { return .denied("Origin is opaque or malformed") }
        return allowed.contains(canonical) ? .allowed : .denied("Origin is not on the allow list")
    }

    /// The serialized form of RFC 6454 section 6.2 in lower case without a default port; nil for `null`, user
    /// info, a path, non-ASCII (an international name arrives as punycode) or anything else.
    private static func canonical(_ text: String) -> String? {
        let lowercase = text.lowercased()
        guard lowercase.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { return nil }
        guard let separator = lowercase.utf8.firstIndex(of: UInt8(ascii: ":")) else { return nil }
        let scheme = lowercase[..<separator]
        let rest = lowercase[separator...]
        guard rest.hasPrefix("://"), let letter = scheme.utf8.first, (0x61...0x7A).contains(letter),
            scheme.utf8.allSatisfy(isSchemeByte)
        else { return nil }
        let authority = String(rest.dropFirst(3))
        guard HostName.isValid(authority) else { return nil }
        let defaultPort = ["http": ":80", "https": ":443"][String(scheme)]
        if let defaultPort, authority.hasSuffix(defaultPort) {
            return "\(scheme)://\(authority.dropLast(defaultPort.count))"
        }
        return "\(scheme)://\(authority)"
    }

    private static func isSchemeByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x61...0x7A, 0x30...0x39, UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."): true
        default: false
        }
    }
}
