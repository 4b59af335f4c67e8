/// Where a server is: host, port, and whether the way there is encrypted.
public struct ServerAddress: Sendable, Equatable, Hashable {
    /// Port of a server started with no options.
    public static let defaultPort: UInt16 = 8443

    /// Name or numeric address, IPv6 without brackets.
    public var host: String
    /// TCP port.
    public var port: UInt16
    /// TLS; without it only for the machine itself or a network one trusts entirely.
    public var isSecure: Bool

    /// A server's place.
    public init(host: String, port: UInt16 = Self.defaultPort, isSecure: Bool = true) {
        self.host = host
        self.port = port
        self.isSecure = isSecure
    }

    /// Reads `HOST`, `HOST:PORT`, `[IPv6]:PORT`, each with `wss://`, `https://` or, unencrypted, `ws://` or `http://`
    /// before it.
    public init(_ text: String) throws(ClientError) {
        let failure = ClientError.badAddress(
            text: text, expected: "HOST:PORT, such as living-room.local:8443 or [fe80::1]:8443")
        var rest = text[...]
        isSecure = true
        for (scheme, secure) in [("wss://", true), ("https://", true), ("ws://", false), ("http://", false)]
        where rest.hasPrefix(scheme) {
            rest = rest.dropFirst(scheme.count)
            isSecure = secure
            break
        }
        if rest.hasSuffix("/v1") { rest = rest.dropLast(3) }
        if rest.hasSuffix("/") { rest = rest.dropLast() }
        var portText: Substring?
        if rest.hasPrefix("[") {
            guard let end = rest.firstIndex(of: "]") else { throw failure }
            host = String(rest[rest.index(after: rest.startIndex)..<end])
            let after = rest[rest.index(after: end)...]
            if !after.isEmpty {
                guard after.hasPrefix(":") else { throw failure }
                portText = after.dropFirst()
            }
        } else if let colon = rest.firstIndex(of: ":") {
            host = String(rest[..<colon])
            portText = rest[rest.index(after: colon)...]
        } else {
            host = String(rest)
        }
        port = Self.defaultPort
        if let portText {
            guard let number = UInt16(portText), number > 0 else { throw failure }
            port = number
        }
        let isClean = host.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f && $0 != UInt8(ascii: "/") }
        guard !host.isEmpty, host.utf8.count <= 253, isClean else { throw failure }
    }

    /// `host:port`, as the Host field and a list of servers name it.
    public var hostAndPort: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}

/// How a client decides whether it talks to the right server.
public enum ServerTrust: Sendable {
    /// The certificate with this SHA-256 and no other: 64 hex digits, colons allowed.
    case pinned(String)
    /// First contact: sees the fingerprint in lower-case hex and says yes or no, on the connection's thread.
    case onFirstUse(@Sendable (String) -> Bool)
    /// Signed by an authority of the system for this host.
    case systemAuthorities
}
