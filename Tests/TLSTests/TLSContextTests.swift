import ByteCodec
import Glibc
import Testing

@testable import TLS

@Suite struct TLSContextTests {
    @Test func reloadServesTheNewCertificateAndKeepsOldConnections() throws {
        let first = try SelfSignedCertificate.make()
        let second = try SelfSignedCertificate.make()
        let server = try TLSContext(server: first)
        let oldFingerprint = try #require(server.fingerprint)
        let old = try TLSPair(server: server, client: TLSContext(client: .pinned(oldFingerprint)))
        try old.pump()

        try server.reload(second)
        let newFingerprint = try #require(server.fingerprint)
        #expect(newFingerprint != oldFingerprint)
        let new = try TLSPair(server: server, client: TLSContext(client: .pinned(newFingerprint)))
        try new.pump()
        try old.client.send([1].span, ciphertext: &old.toServer)
        try old.pump()
        #expect(old.atServer == [1])
    }

    @Test func aBadReloadChangesNothing() throws {
        let good = try SelfSignedCertificate.make()
        let other = try SelfSignedCertificate.make()
        let server = try TLSContext(server: good)
        let before = server.fingerprint
        #expect(throws: TLSError.self) {
            try server.reload(
                TLSIdentity(
                    certificateChainPEM: good.certificateChainPEM, privateKeyPEM: other.privateKeyPEM))
        }
        #expect(throws: TLSError.self) {
            try server.reload(TLSIdentity(certificateChainPEM: [], privateKeyPEM: good.privateKeyPEM))
        }
        #expect(throws: TLSError.self) {
            try server.reload(
                TLSIdentity(certificateChainPEM: good.certificateChainPEM, privateKeyPEM: [1, 2]))
        }
        #expect(server.fingerprint == before)
    }

    @Test func theCertificateHoldsTheNamesAskedFor() throws {
        let identity = try SelfSignedCertificate.make(
            hostNames: ["sense.local", "localhost"], addresses: ["192.168.1.7", "fe80::1"])
        let text = String(decoding: identity.certificateChainPEM, as: UTF8.self)
        #expect(text.hasPrefix("-----BEGIN CERTIFICATE-----"))
        #expect(
            String(decoding: identity.privateKeyPEM, as: UTF8.self).hasPrefix("-----BEGIN PRIVATE KEY-----"))
        let server = try TLSContext(server: identity)
        for name in ["localhost", "sense.local", "192.168.1.7", "fe80::1", "127.0.0.1", "::1"] {
            #expect(try server.coversForTesting(name), "\(name)")
        }
        #expect(try !server.coversForTesting("sense.example"))
    }

    @Test(arguments: ["a,DNS:evil", "", "a b", "ümlaut", "a\nb"])
    func hostNamesCannotSmuggleFurtherNames(name: String) {
        #expect(throws: TLSError.badHostName(name)) { try SelfSignedCertificate.make(hostNames: [name]) }
    }

    @Test func filesAreReadableByTheirOwnerAlone() throws {
        var template = Array("/tmp/sense-tls-XXXXXX".utf8CString)
        let made = unsafe mkdtemp(&template)
        let directory = unsafe String(cString: try #require(unsafe made))
        defer {
            for name in ["cert.pem", "key.pem"] { unsafe unlink("\(directory)/\(name)") }
            unsafe rmdir(directory)
        }
        let identity = try SelfSignedCertificate.make()
        let (certificate, key) = ("\(directory)/cert.pem", "\(directory)/key.pem")
        try identity.write(certificatePath: certificate, privateKeyPath: key)
        for path in [certificate, key] {
            var status = stat()
            #expect(unsafe stat(path, &status) == 0)
            #expect(status.st_mode & 0o777 == 0o600)
        }
        let read = try TLSIdentity(certificatePath: certificate, privateKeyPath: key)
        #expect(read.privateKeyPEM == identity.privateKeyPEM)
        #expect(throws: TLSError.self) { try TLSIdentity(certificatePath: directory, privateKeyPath: key) }
        #expect(throws: TLSError.self) {
            try TLSIdentity(certificatePath: "\(directory)/absent", privateKeyPath: key)
        }
    }
}
