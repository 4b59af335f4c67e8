// Invariant that makes the unsafe code safe: as in TLSEngine.swift; the certificate is freed by the `defer` next to it.
import COpenSSL
import COpenSSLShim

extension TLSEngine {
    /// Makes the next write carry a KeyUpdate that asks the peer for one too (RFC 8446 section 4.6.3).
    func requestKeyUpdateForTesting() { _ = unsafe SSL_key_update(ssl, SSL_KEY_UPDATE_REQUESTED) }

    /// Plays a client that knows nothing newer than TLS 1.2.
    func limitToTLS12ForTesting() { _ = unsafe tls_limit_to_tls12(ssl) }
}

extension TLSContext {
    /// Whether the server's certificate is good for a host name or address.
    func coversForTesting(_ name: String) throws(TLSError) -> Bool {
        let engine = try makeEngine()
        guard let certificate = unsafe SSL_get_certificate(engine.ssl) else { return false }
        if unsafe X509_check_host(certificate, name, 0, 0, nil) == 1 { return true }
        return unsafe X509_check_ip_asc(certificate, name, 0) == 1
    }
}
