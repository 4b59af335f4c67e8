// Invariant that makes the unsafe code safe: `sockaddr_storage` is large and aligned enough for every family, and
// a family's own layout is read only after the family field said so and the length covers it.
import Glibc

/// An IPv4 or IPv6 address with a port.
public struct SocketAddress: Hashable, Sendable, CustomStringConvertible {
    /// The IP version.
    public enum Family: Sendable {
        /// 4-byte addresses.
        case v4
        /// 16-byte addresses.
        case v6
    }

    /// Which kind of address this is.
    public let family: Family
    /// The address in network order: 4 or 16 bytes.
    public let bytes: [UInt8]
    /// The TCP port, in host order; 0 lets the kernel choose when listening.
    public var port: UInt16
    /// The interface of a link-local IPv6 address, else 0.
    public let scope: UInt32

    /// Reads a numeric address such as `127.0.0.1` or `::1`; nil if it is neither form.
    public init?(_ text: String, port: UInt16) {
        var v4 = in_addr()
        var v6 = in6_addr()
        if unsafe inet_pton(AF_INET, text, &v4) == 1 {
            let bytes = unsafe withUnsafeBytes(of: v4) { unsafe Array($0) }
            self.init(family: .v4, bytes: bytes, port: port, scope: 0)
        } else if unsafe inet_pton(AF_INET6, text, &v6) == 1 {
            let bytes = unsafe withUnsafeBytes(of: v6) { unsafe Array($0) }
            self.init(family: .v6, bytes: bytes, port: port, scope: 0)
        } else {
            return nil
        }
    }

    private init(family: Family, bytes: [UInt8], port: UInt16, scope: UInt32) {
        self.family = family
        self.bytes = bytes
        self.port = port
        self.scope = scope
    }

    /// 127.0.0.1 with the given port.
    public static func loopback(port: UInt16) -> SocketAddress {
        SocketAddress(family: .v4, bytes: [127, 0, 0, 1], port: port, scope: 0)
    }

    /// Whether only this machine can reach the address: 127.0.0.0/8, ::1, or either as IPv4-mapped IPv6.
    public var isLoopback: Bool {
        switch family {
        case .v4: return bytes[0] == 127
        case .v6:
            if bytes[..<10].allSatisfy({ $0 == 0 }), bytes[10] == 0xff, bytes[11] == 0xff {
                return bytes[12] == 127
            }
            return bytes[..<15].allSatisfy { $0 == 0 } && bytes[15] == 1
        }
    }

    /// The address without the port, `127.0.0.1` or `::1`.
    public var host: String {
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        let size = socklen_t(text.count)
        let done = unsafe bytes.withUnsafeBytes { source in
            unsafe inet_ntop(family == .v4 ? AF_INET : AF_INET6, source.baseAddress, &text, size) != nil
        }
        precondition(done, "inet_ntop refused an address of its own family")
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// `127.0.0.1:8443` or `[::1]:8443`.
    public var description: String { family == .v4 ? "\(host):\(port)" : "[\(host)]:\(port)" }

    var systemFamily: Int32 { family == .v4 ? AF_INET : AF_INET6 }

    /// Reads an address that a call writes into kernel-shaped memory; nil for other families.
    init?(filling call: (UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Void) {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        unsafe withUnsafeMutablePointer(to: &storage) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe call($0, &length) }
        }
        self.init(storage: storage, length: length)
    }

    init?(storage: sockaddr_storage, length: socklen_t) {
        let parsed: SocketAddress? = unsafe withUnsafeBytes(of: storage) { raw in
            if storage.ss_family == AF_INET, Int(length) >= MemoryLayout<sockaddr_in>.size {
                let address = unsafe raw.loadUnaligned(as: sockaddr_in.self)
                let bytes = unsafe withUnsafeBytes(of: address.sin_addr) { unsafe Array($0) }
                return SocketAddress(
                    family: .v4, bytes: bytes, port: UInt16(bigEndian: address.sin_port), scope: 0)
            }
            if storage.ss_family == AF_INET6, Int(length) >= MemoryLayout<sockaddr_in6>.size {
                let address = unsafe raw.loadUnaligned(as: sockaddr_in6.self)
                let bytes = unsafe withUnsafeBytes(of: address.sin6_addr) { unsafe Array($0) }
                return SocketAddress(
                    family: .v6, bytes: bytes, port: UInt16(bigEndian: address.sin6_port),
                    scope: address.sin6_scope_id)
            }
            return nil
        }
        guard let parsed else { return nil }
        self = parsed
    }

    /// Lends the address in the kernel's layout for the duration of `body`.
    func withSockaddr<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
        switch family {
        case .v4:
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = port.bigEndian
            unsafe withUnsafeMutableBytes(of: &address.sin_addr) { unsafe $0.copyBytes(from: bytes) }
            return unsafe withUnsafePointer(to: address) { pointer in
                unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    unsafe body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
        case .v6:
            var address = sockaddr_in6()
            address.sin6_family = sa_family_t(AF_INET6)
            address.sin6_port = port.bigEndian
            address.sin6_scope_id = scope
            unsafe withUnsafeMutableBytes(of: &address.sin6_addr) { unsafe $0.copyBytes(from: bytes) }
            return unsafe withUnsafePointer(to: address) { pointer in
                unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    unsafe body($0, socklen_t(MemoryLayout<sockaddr_in6>.size))
                }
            }
        }
    }
}
