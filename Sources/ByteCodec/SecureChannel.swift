/// A transformation between what the application says and what travels on the wire, such as TLS.
///
/// The channel never touches a socket: ciphertext and plaintext are handed in and out. That lets `Net` drive
/// it without importing the library behind it, and tests drive it over plain arrays.
///
/// Every call may produce ciphertext for the peer (handshake flights, key updates, alerts), also the calls
/// that receive. The caller must send whatever was appended, even when the call throws: it may hold the alert
/// that tells the peer why.
///
/// Isolation: one thread, the one that owns the connection.
public protocol SecureChannel: AnyObject {
    /// Where the channel is in its life.
    var state: SecureChannelState { get }

    /// Begins the handshake; a client appends its first flight, a server appends nothing.
    func start(ciphertext: inout [UInt8]) throws(SecureChannelError)

    /// Takes bytes from the peer, all of them, and hands over the plaintext they complete.
    ///
    /// Nothing stays readable inside the channel afterwards: what remains is a partial record that needs more
    /// input. So readiness of the socket is the only readiness there is.
    ///
    /// - Parameters:
    ///   - received: bytes from the peer; borrowed for the call.
    ///   - scratch: memory the plaintext is placed in; its count is not changed. At least 1 byte, best 16 KiB (one
    ///     record) or more.
    ///   - ciphertext: bytes for the peer are appended.
    ///   - deliver: called with each piece of plaintext, in order; lent for the call.
    func receive(
        _ received: Span<UInt8>, scratch: inout [UInt8], ciphertext: inout [UInt8],
        deliver: (Span<UInt8>) -> Void
    ) throws(SecureChannelError)

    /// Encrypts `plaintext`, all of it. Only allowed in state `.open`.
    func send(_ plaintext: Span<UInt8>, ciphertext: inout [UInt8]) throws(SecureChannelError)

    /// Says that no more plaintext will be sent (close_notify). Later calls append nothing.
    func close(ciphertext: inout [UInt8])
}

/// Where a secure channel is in its life.
public enum SecureChannelState: Equatable, Sendable {
    /// Keys are being agreed; plaintext can neither be sent nor received.
    case handshaking
    /// Plaintext flows in both directions.
    case open
    /// The peer said that it will send no more; we may still send.
    case peerClosed
    /// A call threw; the connection must be closed.
    case failed
}

/// Why a secure channel cannot go on. The connection is lost in every case.
public enum SecureChannelError: Error, Equatable, Sendable {
    /// The handshake did not complete; `reason` is the library's own text, without peer data.
    case handshakeFailed(reason: String)
    /// A record after the handshake was not acceptable.
    case protocolViolation(reason: String)
    /// The peer's certificate is not the one we trust; fingerprints are SHA-256 in lower-case hex.
    case untrustedPeer(expected: String, got: String)
    /// `send` was called while the channel was not open.
    case notOpen
}
