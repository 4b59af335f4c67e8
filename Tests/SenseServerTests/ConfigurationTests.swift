import Testing

@testable import SenseServer

@Suite("Command line of the server")
struct ConfigurationTests {
    @Test("the defaults are those of the help text")
    func defaults() throws {
        let configuration = try Configuration(arguments: [])
        #expect(configuration.listen == Configuration.Endpoint(host: "0.0.0.0", port: 8443))
        #expect(configuration.insecureListen == nil)
        #expect(!configuration.allowsInsecureRemote)
    }

    @Test(
        "addresses are read in every form",
        arguments: [
            ("127.0.0.1:0", "127.0.0.1", UInt16(0)), ("localhost:9", "127.0.0.1", 9),
            ("[::1]:8443", "::1", 8443),
            ("8443", "127.0.0.1", 8443),
        ])
    func endpoints(_ text: String, _ host: String, _ port: UInt16) throws {
        #expect(
            try Configuration(arguments: ["--listen", text]).listen
                == Configuration.Endpoint(host: host, port: port))
    }

    @Test(
        "a bad argument names itself and what it takes",
        arguments: [
            (["--listen"], "--listen"), (["--listen", "host:70000"], "--listen"),
            (["--loops", "0"], "--loops"),
            (["--log", "loud"], "--log"), (["--cert", "a.pem"], "--key"), (["--frobnicate"], "--frobnicate"),
            (["--max-sessions", "-1"], "--max-sessions"),
        ])
    func bad(_ arguments: [String], _ name: String) {
        #expect(throws: ConfigurationError.self) { try Configuration(arguments: arguments) }
        do { _ = try Configuration(arguments: arguments) } catch { #expect(error.argument == name) }
    }
}
