import ByteCodec

@testable import TLS

/// A client and a server engine joined by arrays instead of a network.
final class TLSPair {
    let server: TLSEngine
    let client: TLSEngine
    /// Ciphertext on its way.
    var toServer: [UInt8] = []
    var toClient: [UInt8] = []
    /// Plaintext that came out.
    var atServer: [UInt8] = []
    var atClient: [UInt8] = []

    init(server: TLSContext, client: TLSContext, limitsClientToTLS12: Bool = false) throws {
        self.server = try server.makeEngine()
        self.client = try client.makeEngine()
        if limitsClientToTLS12 { self.client.limitToTLS12ForTesting() }
        try self.client.start(ciphertext: &toServer)
        try self.server.start(ciphertext: &toClient)
    }

    /// Moves ciphertext both ways, `piece` bytes at a time, until none is left.
    func pump(piece: Int = .max) throws(SecureChannelError) {
        while !toServer.isEmpty || !toClient.isEmpty {
            if !toServer.isEmpty {
                let part = Array(toServer.prefix(piece))
                toServer.removeFirst(part.count)
                try deliver(part, to: server, reply: &toClient, plaintext: &atServer)
            }
            if !toClient.isEmpty {
                let part = Array(toClient.prefix(piece))
                toClient.removeFirst(part.count)
                try deliver(part, to: client, reply: &toServer, plaintext: &atClient)
            }
        }
    }

    func deliver(
        _ bytes: [UInt8], to engine: TLSEngine, reply: inout [UInt8], plaintext: inout [UInt8]
    ) throws(SecureChannelError) {
        var received: [UInt8] = []
        var scratch = [UInt8](repeating: 0, count: 16 * 1024)
        try engine.receive(bytes.span, scratch: &scratch, ciphertext: &reply) { piece in
            for index in piece.indices { received.append(piece[index]) }
        }
        plaintext += received
    }
}

/// Contexts that tests share: making a key takes longer than using it.
enum TestContexts {
    static let identity = try? SelfSignedCertificate.make(hostNames: ["sense.test"], addresses: ["10.1.2.3"])

    static func server(_ configuration: TLSConfiguration = TLSConfiguration()) throws -> TLSContext {
        guard let identity else { throw TLSError.badCertificate(reason: "the maker failed") }
        return try TLSContext(server: identity, configuration: configuration)
    }

    static func client(of server: TLSContext) throws -> TLSContext {
        guard let fingerprint = server.fingerprint else { throw TLSError.badCertificate(reason: "none") }
        return try TLSContext(client: .pinned(fingerprint))
    }
}
