import COpenSSL

/// Why TLS could not be set up. What goes wrong on a live connection is a `SecureChannelError` instead.
public enum TLSError: Error, Equatable, Sendable {
    /// A file could not be read or written.
    case file(path: String, reason: String)
    /// The certificate chain is not PEM, or holds no certificate.
    case badCertificate(reason: String)
    /// The private key is not PEM, is encrypted, or does not belong to the certificate.
    case badPrivateKey(reason: String)
    /// A host name or address for a certificate has characters that cannot be in one.
    case badHostName(String)
    /// A call into the library failed; the library's reason.
    case library(call: String, reason: String)
}

/// The library's error queue of the calling thread.
///
/// OpenSSL does not clear the queue by itself, and a stale entry makes the next failed call of *another*
/// connection look fatal. So it is cleared before every call whose outcome is looked at.
enum ErrorQueue {
    /// Usually it is empty, and to see that costs less than to clear it.
    static func clear() { if ERR_peek_error() != 0 { ERR_clear_error() } }

    /// The oldest reason in the queue, then clears it.
    static func takeReason() -> String {
        let code = ERR_get_error()
        ERR_clear_error()
        guard code != 0 else { return "no reason given" }
        guard let text = unsafe ERR_reason_error_string(code) else { return "error \(code)" }
        return unsafe String(cString: text)
    }
}
