import Testing

@testable import Net

@Suite struct SocketAddressTests {
    @Test(arguments: [
        ("127.0.0.1", "127.0.0.1:80", true), ("127.9.9.9", "127.9.9.9:80", true),
        ("0.0.0.0", "0.0.0.0:80", false), ("192.168.1.4", "192.168.1.4:80", false),
        ("::1", "[::1]:80", true), ("::", "[::]:80", false), ("fe80::1", "[fe80::1]:80", false),
        ("::ffff:127.0.0.1", "[::ffff:127.0.0.1]:80", true),
        ("::ffff:10.0.0.1", "[::ffff:10.0.0.1]:80", false),
    ])
    func readsAndPrints(text: String, printed: String, isLoopback: Bool) throws {
        let address = try #require(SocketAddress(text, port: 80))
        #expect(address.description == printed)
        #expect(address.isLoopback == isLoopback)
        let copy = unsafe address.withSockaddr { pointer, length in
            unsafe SocketAddress(filling: { target, size in
                let bytes = unsafe UnsafeRawBufferPointer(start: pointer, count: Int(length))
                unsafe UnsafeMutableRawPointer(target).copyMemory(
                    from: bytes.baseAddress ?? UnsafeRawPointer(pointer), byteCount: Int(length))
                unsafe size.pointee = length
            })
        }
        #expect(copy == address)
    }

    @Test(arguments: ["", "localhost", "1.2.3", "256.1.1.1", "::g", "127.0.0.1:80", "[::1]", " 127.0.0.1"])
    func refusesWhatIsNoNumericAddress(text: String) {
        #expect(SocketAddress(text, port: 80) == nil)
    }

    @Test func resolvesNumericAddressesWithoutTheNetwork() throws {
        #expect(try Resolver.resolve(host: "::1", port: 9).map(\.description) == ["[::1]:9"])
        #expect(throws: ResolveError.self) { try Resolver.resolve(host: "no such host", port: 9) }
    }
}
