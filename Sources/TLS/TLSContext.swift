// Invariants that make the unsafe code safe: a context pointer is read or replaced under the mutex only, and each
// engine holds its own reference to the context it was made from, so replacing one frees nothing in use.
import COpenSSL
import COpenSSLShim
import Synchronization

/// Certificates, keys and rules shared by many connections. Any thread may use it.
public final class TLSContext: Sendable {
    private enum Role {
        case server
        case client(TLSTrust)
    }

    /// A reference to a library context; freed with the last holder.
    @safe
    final class Handle: @unchecked Sendable {
        // Immutable after construction, and the library locks its own reference counts.
        let pointer: OpaquePointer
        let fingerprint: CertificateFingerprint?

        init(owning pointer: OpaquePointer, fingerprint: CertificateFingerprint?) {
            unsafe self.pointer = pointer
            self.fingerprint = fingerprint
        }

        deinit { unsafe SSL_CTX_free(pointer) }
    }

    private let role: Role
    private let configuration: TLSConfiguration
    private let current: Mutex<Handle>

    /// A server's context.
    public init(server identity: TLSIdentity, configuration: TLSConfiguration = TLSConfiguration())
        throws(TLSError)
    {
        role = .server
        self.configuration = configuration
        current = Mutex(try Self.serverHandle(identity, configuration))
    }

    /// A client's context.
    public init(client trust: TLSTrust, configuration: TLSConfiguration = TLSConfiguration()) throws(TLSError)
    {
        role = .client(trust)
        self.configuration = configuration
        let pointer = unsafe try Self.newContext(TLS_client_method(), configuration)
        let handle = unsafe Handle(owning: pointer, fingerprint: nil)
        guard unsafe tls_configure_client_alpn(pointer) == 1 else {
            throw .library(call: "SSL_CTX_set_alpn_protos", reason: ErrorQueue.takeReason())
        }
        if case .systemAuthorities = trust {
            guard unsafe SSL_CTX_set_default_verify_paths(pointer) == 1 else {
                throw .library(call: "SSL_CTX_set_default_verify_paths", reason: ErrorQueue.takeReason())
            }
        }
        current = Mutex(handle)
    }

    /// The server certificate's fingerprint; nil for a client.
    public var fingerprint: CertificateFingerprint? { current.withLock { $0.fingerprint } }

    /// Replaces a server's certificate and key for connections to come; those that live keep theirs, and
    /// tickets given out before still resume. When it throws, nothing has changed.
    public func reload(_ identity: TLSIdentity) throws(TLSError) {
        guard case .server = role else { preconditionFailure("only a server has an identity") }
        let fresh = try Self.serverHandle(identity, configuration)
        current.withLock { handle in
            // Without the keys old tickets lead to a full handshake, which is slower but correct.
            _ = unsafe tls_copy_ticket_keys(handle.pointer, fresh.pointer)
            handle = fresh
        }
    }

    /// The TLS side of one new connection.
    public func makeEngine() throws(TLSError) -> TLSEngine {
        let handle = current.withLock { $0 }
        switch role {
        case .server: return try TLSEngine(server: handle)
        case .client(let trust): return try TLSEngine(client: handle, trust: trust)
        }
    }

    private static func newContext(
        _ method: OpaquePointer?, _ configuration: TLSConfiguration
    ) throws(TLSError) -> OpaquePointer {
        ErrorQueue.clear()
        guard let pointer = unsafe SSL_CTX_new(method) else {
            throw .library(call: "SSL_CTX_new", reason: ErrorQueue.takeReason())
        }
        guard unsafe tls_configure_common(pointer, configuration.allowsTLS12 ? 1 : 0) == 1,
            unsafe SSL_CTX_set_cipher_list(pointer, TLSConfiguration.tls12Ciphers) == 1
        else {
            unsafe SSL_CTX_free(pointer)
            throw .library(call: "SSL_CTX configuration", reason: ErrorQueue.takeReason())
        }
        return unsafe pointer
    }

    private static func serverHandle(
        _ identity: TLSIdentity, _ configuration: TLSConfiguration
    ) throws(TLSError) -> Handle {
        let chain = try certificates(identity.certificateChainPEM)
        let leaf = chain[0]
        let pointer = unsafe try newContext(TLS_server_method(), configuration)
        let handle = unsafe Handle(owning: pointer, fingerprint: fingerprint(of: leaf.pointer))
        unsafe tls_configure_server_alpn(pointer)
        guard unsafe SSL_CTX_use_certificate(pointer, leaf.pointer) == 1 else {
            throw .badCertificate(reason: ErrorQueue.takeReason())
        }
        for certificate in chain.dropFirst() {
            unsafe X509_up_ref(certificate.pointer)
            guard unsafe tls_add_chain_certificate(pointer, certificate.pointer) == 1 else {
                unsafe X509_free(certificate.pointer)
                throw .badCertificate(reason: ErrorQueue.takeReason())
            }
        }
        unsafe try usePrivateKey(identity.privateKeyPEM, in: pointer)
        return handle
    }

    private static func usePrivateKey(_ pem: [UInt8], in pointer: OpaquePointer) throws(TLSError) {
        ErrorQueue.clear()
        // The memory BIO reads the array in place, so everything happens while it is lent.
        let failure: TLSError? = unsafe pem.withUnsafeBytes { bytes in
            guard let memory = unsafe BIO_new_mem_buf(bytes.baseAddress, Int32(clamping: bytes.count)) else {
                return .badPrivateKey(reason: ErrorQueue.takeReason())
            }
            defer { unsafe BIO_free(memory) }
            guard let key = unsafe tls_read_private_key(memory) else {
                return .badPrivateKey(reason: ErrorQueue.takeReason())
            }
            defer { unsafe EVP_PKEY_free(key) }
            guard unsafe SSL_CTX_use_PrivateKey(pointer, key) == 1,
                unsafe SSL_CTX_check_private_key(pointer) == 1
            else { return .badPrivateKey(reason: ErrorQueue.takeReason()) }
            return nil
        }
        if let failure { throw failure }
    }

    @safe
    private final class Certificate {
        let pointer: OpaquePointer
        init(owning pointer: OpaquePointer) { unsafe self.pointer = pointer }
        deinit { unsafe X509_free(pointer) }
    }

    /// The certificates in the text, at least one.
    private static func certificates(_ pem: [UInt8]) throws(TLSError) -> [Certificate] {
        ErrorQueue.clear()
        let found: [Certificate] = unsafe pem.withUnsafeBytes { bytes in
            guard let memory = unsafe BIO_new_mem_buf(bytes.baseAddress, Int32(clamping: bytes.count)) else {
                return []
            }
            defer { unsafe BIO_free(memory) }
            var chain: [Certificate] = []
            while let certificate = unsafe tls_read_certificate(memory) {
                unsafe chain.append(Certificate(owning: certificate))
            }
            return chain
        }
        guard !found.isEmpty else { throw .badCertificate(reason: ErrorQueue.takeReason()) }
        // The queue holds "no more PEM", which is how the end is told.
        ErrorQueue.clear()
        return found
    }

    static func fingerprint(of certificate: OpaquePointer) -> CertificateFingerprint {
        let digest = unsafe [UInt8](unsafeUninitializedCapacity: SHA256.byteCount) { target, initialized in
            var length: UInt32 = 0
            let status = unsafe X509_digest(certificate, EVP_sha256(), target.baseAddress, &length)
            precondition(status == 1 && length == SHA256.byteCount, "X509_digest failed: out of memory")
            initialized = SHA256.byteCount
        }
        return CertificateFingerprint(digest: digest)
    }
}
