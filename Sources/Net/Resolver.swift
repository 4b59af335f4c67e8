// Invariant that makes the unsafe code safe: the list is read only between a successful getaddrinfo and the one
// freeaddrinfo, and each node's address is copied with the length the node states.
import Glibc

/// A name that could not be turned into addresses.
public struct ResolveError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The name asked for.
    public let host: String
    /// The resolver's own text.
    public let reason: String
    /// `cannot resolve HOST: REASON`.
    public var description: String { "cannot resolve \(host): \(reason)" }
}

/// Turns host names into addresses.
public enum Resolver {
    /// The addresses of `host` (a name or a numeric address) in the order to try them. Blocks the calling
    /// thread on the network: never call it on a loop.
    public static func resolve(host: String, port: UInt16) throws(ResolveError) -> [SocketAddress] {
        if let numeric = SocketAddress(host, port: port) { return [numeric] }
        var hints = unsafe addrinfo()
        unsafe hints.ai_family = AF_UNSPEC
        unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        unsafe hints.ai_flags = AI_ADDRCONFIG
        var list: UnsafeMutablePointer<addrinfo>?
        let status = unsafe getaddrinfo(host, nil, &hints, &list)
        guard status == 0 else {
            throw ResolveError(host: host, reason: unsafe String(cString: gai_strerror(status)))
        }
        defer { unsafe freeaddrinfo(list) }
        var addresses: [SocketAddress] = []
        var next = unsafe list
        while let node = unsafe next {
            if let source = unsafe node.pointee.ai_addr {
                var storage = sockaddr_storage()
                let length = unsafe min(Int(node.pointee.ai_addrlen), MemoryLayout<sockaddr_storage>.size)
                unsafe withUnsafeMutableBytes(of: &storage) {
                    unsafe $0.copyMemory(from: UnsafeRawBufferPointer(start: source, count: length))
                }
                if var address = SocketAddress(storage: storage, length: socklen_t(length)) {
                    address.port = port
                    if !addresses.contains(address) { addresses.append(address) }
                }
            }
            unsafe next = node.pointee.ai_next
        }
        guard !addresses.isEmpty else { throw ResolveError(host: host, reason: "it has no IP address") }
        return addresses
    }
}
