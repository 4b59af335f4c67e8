/// What a client remembers of the servers it knows: certificate, token, and how far it has read.
///
/// It is one small file that only its owner may read, `client.json` under `$XDG_CONFIG_HOME/sense`.
public struct PinStore: Sendable, Equatable {
    /// One server.
    public struct Server: Sendable, Equatable, Codable {
        /// SHA-256 of the certificate, 64 hex digits.
        public var fingerprint: String?
        /// What the server gave at pairing.
        public var token: String?
        /// Our own id there.
        public var device_id: String?
        /// Name given at pairing.
        public var device_name: String?
        /// Room given at pairing.
        public var room: String?

        /// A server of which nothing is known.
        public init() {}
    }

    /// Largest file that is read: thousands of servers.
    public static let maxBytes = 1 << 20

    /// Servers by `host:port`.
    public internal(set) var servers: [String: Server] = [:]
    /// The server used when none is named: the one paired with last.
    public var defaultServer: String?
    /// Where it is kept.
    public let path: String

    /// Reads the file at `path`; a missing one is an empty store. A damaged one is an error, never overwritten: it may
    /// hold tokens.
    public init(path: String) throws(LocalFileError) {
        self.path = path
        let content: [UInt8]
        do throws(LocalFileError) {
            content = try LocalFile.read(path, maxBytes: Self.maxBytes)
        } catch {
            guard case .notFound = error else { throw error }
            return
        }
        let file = try PinFile.decode(content, path: path)
        servers = file.servers
        defaultServer = file.default
    }

    /// `$XDG_CONFIG_HOME/sense/client.json`, else `~/.config/sense/client.json`.
    public static var defaultPath: String {
        let base =
            LocalFile.environment("XDG_CONFIG_HOME")
            ?? LocalFile.environment("HOME").map { $0 + "/.config" } ?? ".config"
        return base + "/sense/client.json"
    }

    /// What is known of a server.
    public subscript(address: ServerAddress) -> Server {
        get { servers[address.hostAndPort] ?? Server() }
        set { servers[address.hostAndPort] = newValue }
    }

    /// Forgets a server, its certificate and token.
    public mutating func forget(_ address: ServerAddress) {
        servers[address.hostAndPort] = nil
        if defaultServer == address.hostAndPort { defaultServer = nil }
    }

    /// Writes the file, mode 0600, atomically.
    public func save() throws(LocalFileError) {
        if let slash = path.lastIndex(of: "/"), slash != path.startIndex {
            try LocalFile.makeFolder(String(path[..<slash]))
        }
        try LocalFile.writePrivate(PinFile.encode(self), to: path)
    }
}
