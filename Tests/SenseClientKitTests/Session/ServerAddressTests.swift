import SenseClientKit
import Testing

@Suite struct ServerAddressTests {
    @Test(
        arguments: [
            ("home", "home", 8443, true), ("home:1", "home", 1, true), ("wss://home:9/v1", "home", 9, true),
            ("https://a.b.c", "a.b.c", 8443, true), ("ws://127.0.0.1:80", "127.0.0.1", 80, false),
            ("http://127.0.0.1:8080/", "127.0.0.1", 8080, false), ("[::1]:65535", "::1", 65_535, true),
            ("[fe80::1]", "fe80::1", 8443, true),
        ] as [(String, String, UInt16, Bool)])
    func reads(text: String, host: String, port: UInt16, isSecure: Bool) throws {
        #expect(try ServerAddress(text) == ServerAddress(host: host, port: port, isSecure: isSecure))
    }

    @Test(arguments: [
        "", ":1", "a:", "a:0", "a:65536", "a:b", "[::1", "[::1]x", "a b:1", "a/b", "ä:1", "wss://",
    ])
    func refuses(text: String) {
        #expect(throws: ClientError.self) { try ServerAddress(text) }
    }

    @Test func bracketsReturn() throws {
        #expect(try ServerAddress("[::1]:5").hostAndPort == "[::1]:5")
        #expect(try ServerAddress("h").hostAndPort == "h:8443")
    }
}
