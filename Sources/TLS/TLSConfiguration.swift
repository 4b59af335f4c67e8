/// What a TLS endpoint accepts.
public struct TLSConfiguration: Equatable, Sendable {
    /// TLS 1.2 besides 1.3. On by default: phones and microcontrollers some years old know nothing newer, and
    /// 1.2 with the ciphers below is sound.
    public var allowsTLS12 = true

    /// The ciphers offered and accepted with TLS 1.2: forward secret and authenticated only.
    static let tls12Ciphers = "ECDHE+AESGCM:ECDHE+CHACHA20"

    /// The defaults.
    public init() {}
}

/// How a client decides whether it talks to the right server.
public enum TLSTrust: Sendable {
    /// The certificate must be exactly this one.
    case pinned(CertificateFingerprint)
    /// First contact: the function sees the certificate's fingerprint and says yes or no. Called once per
    /// connection, on the connection's thread, before any data flows.
    case onFirstUse(@Sendable (CertificateFingerprint) -> Bool)
    /// The certificate must be signed by an authority of the system and carry the host name.
    case systemAuthorities(host: String)
}
