// Invariants that make the unsafe code safe: `wire` is allocated for the engine's whole life and freed after the
// SSL object that points to it; its pointers into Swift memory are set before a call into the library and cleared
// after it, while the memory is lent.
public import ByteCodec
import COpenSSL
import COpenSSLShim

/// TLS of one connection as a transformation of bytes: no descriptor ever reaches the library.
///
/// Isolation: the thread that owns the connection.
@safe
public final class TLSEngine: SecureChannel {
    /// Plaintext goes into records of at most this size (RFC 8446 section 5.1).
    private static let recordBytes = 16 * 1024
    /// What a record adds: header, nonce, padding, tag; more than any cipher needs.
    private static let recordOverheadBytes = 256
    /// Room for a handshake flight with a short certificate chain; a longer one takes another round.
    private static let flightBytes = 4096

    let ssl: OpaquePointer
    private let wire: UnsafeMutablePointer<tls_wire>
    // Keeps the context's Swift object; the library holds a reference of its own as well.
    private let handle: TLSContext.Handle
    private let trust: TLSTrust?
    private var saidClose = false

    /// See `SecureChannel.state`.
    public private(set) var state = SecureChannelState.handshaking

    convenience init(server handle: TLSContext.Handle) throws(TLSError) {
        try self.init(handle, trust: nil)
        unsafe SSL_set_accept_state(ssl)
    }

    convenience init(client handle: TLSContext.Handle, trust: TLSTrust) throws(TLSError) {
        try self.init(handle, trust: trust)
        unsafe SSL_set_connect_state(ssl)
        if case .systemAuthorities(let host) = trust {
            guard unsafe tls_set_expected_host(ssl, host) == 1 else { throw .badHostName(host) }
        }
    }

    private init(_ handle: TLSContext.Handle, trust: TLSTrust?) throws(TLSError) {
        ErrorQueue.clear()
        self.handle = handle
        self.trust = trust
        guard let ssl = unsafe SSL_new(handle.pointer) else {
            throw .library(call: "SSL_new", reason: ErrorQueue.takeReason())
        }
        unsafe self.ssl = ssl
        unsafe wire = .allocate(capacity: 1)
        unsafe wire.initialize(to: tls_wire())
        guard unsafe tls_attach_wire(ssl, wire) == 1 else {
            // All stored properties are set, so deinit frees both.
            throw .library(call: "BIO_new", reason: ErrorQueue.takeReason())
        }
    }

    deinit {
        unsafe SSL_free(ssl)
        unsafe wire.deallocate()
    }

    /// The version agreed on, `TLSv1.3` or `TLSv1.2`.
    public var protocolVersion: String { unsafe String(cString: SSL_get_version(ssl)) }

    /// Whether the handshake was shortened by a ticket of an earlier connection.
    public var wasResumed: Bool { unsafe tls_was_resumed(ssl) == 1 }

    /// The fingerprint of the peer's certificate; nil if it showed none.
    public var peerFingerprint: CertificateFingerprint? {
        guard let certificate = unsafe SSL_get1_peer_certificate(ssl) else { return nil }
        defer { unsafe X509_free(certificate) }
        return unsafe TLSContext.fingerprint(of: certificate)
    }

    /// See `SecureChannel.start`.
    public func start(ciphertext: inout [UInt8]) throws(SecureChannelError) {
        guard trust != nil else { return }  // A server waits.
        try shakeHands(ciphertext: &ciphertext)
    }

    /// See `SecureChannel.receive`.
    public func receive(
        _ received: Span<UInt8>, scratch: inout [UInt8], ciphertext: inout [UInt8],
        deliver: (Span<UInt8>) -> Void
    ) throws(SecureChannelError) {
        // Set for the duration of this call; `received` outlives it.
        unsafe received.withUnsafeBufferPointer { bytes in
            unsafe wire.pointee.in = bytes.baseAddress
            unsafe wire.pointee.in_left = bytes.count
        }
        defer {
            unsafe wire.pointee.in = nil
            unsafe wire.pointee.in_left = 0
        }
        if state == .handshaking { try shakeHands(ciphertext: &ciphertext) }
        while state == .open {
            var count: Int32 = 0
            let outcome = withOutput(&ciphertext, capacity: Self.recordOverheadBytes) {
                count = unsafe scratch.withUnsafeMutableBufferPointer {
                    unsafe SSL_read(ssl, $0.baseAddress, Int32(clamping: $0.count))
                }
                return count
            }
            switch outcome {
            case .done:
                deliver(scratch.span.extracting(..<Int(count)))
                // The usual end: one record came and is read. Asking again would only be told so.
                if unsafe wire.pointee.in_left == 0, unsafe SSL_has_pending(ssl) == 0 { return }
            case .needsInput: return
            case .needsRoom: continue
            case .ended: state = .peerClosed
            case .failed(let reason):
                state = .failed
                throw .protocolViolation(reason: reason)
            }
        }
    }

    /// See `SecureChannel.send`.
    public func send(_ plaintext: Span<UInt8>, ciphertext: inout [UInt8]) throws(SecureChannelError) {
        guard state == .open || state == .peerClosed, !saidClose else { throw .notOpen }
        var position = 0
        while position < plaintext.count {
            let piece = plaintext.extracting(
                position..<min(position + Self.recordBytes, plaintext.count))
            let outcome = withOutput(&ciphertext, capacity: piece.count + Self.recordOverheadBytes) {
                unsafe piece.withUnsafeBufferPointer {
                    unsafe SSL_write(ssl, $0.baseAddress, Int32($0.count))
                }
            }
            switch outcome {
            case .done: position += piece.count
            case .needsRoom: continue
            case .needsInput:
                // Renegotiation is off and keys are agreed, so a write never waits for the peer.
                state = .failed
                throw .protocolViolation(reason: "a write waits for the peer")
            case .ended: throw .notOpen
            case .failed(let reason):
                state = .failed
                throw .protocolViolation(reason: reason)
            }
        }
    }

    /// See `SecureChannel.close`.
    public func close(ciphertext: inout [UInt8]) {
        // SSL_shutdown during a handshake or after a failure would only add an error.
        guard !saidClose, state == .open || state == .peerClosed else { return }
        saidClose = true
        // 0 (sent, nothing received yet) looks like a failed call; close_notify is best effort anyway.
        _ = withOutput(&ciphertext, capacity: Self.recordOverheadBytes) { unsafe SSL_shutdown(ssl) }
    }

    private func shakeHands(ciphertext: inout [UInt8]) throws(SecureChannelError) {
        while true {
            switch withOutput(&ciphertext, capacity: Self.flightBytes, { unsafe SSL_do_handshake(ssl) }) {
            case .done:
                try checkPeer()
                state = .open
                return
            case .needsInput: return
            case .needsRoom: continue
            case .ended:
                state = .failed
                throw .handshakeFailed(reason: "the peer closed during the handshake")
            case .failed(let reason):
                state = .failed
                throw .handshakeFailed(reason: reason)
            }
        }
    }

    /// Runs before any application data is sent or handed over.
    private func checkPeer() throws(SecureChannelError) {
        switch trust {
        case nil, .systemAuthorities: return  // Nothing to check, or the library has checked.
        case .pinned(let expected):
            let got = peerFingerprint
            if got == expected { return }
            state = .failed
            throw .untrustedPeer(expected: expected.hex, got: got?.hex ?? "none")
        case .onFirstUse(let accepts):
            if let got = peerFingerprint, accepts(got) { return }
            state = .failed
            throw .untrustedPeer(expected: "accepted by the user", got: peerFingerprint?.hex ?? "none")
        }
    }

    private enum Outcome {
        case done
        case needsInput
        case needsRoom
        case ended
        case failed(String)
    }

    /// Calls into the library with the spare room of `ciphertext` as the wire's far end.
    private func withOutput(
        _ ciphertext: inout [UInt8], capacity: Int, _ call: () -> Int32
    ) -> Outcome {
        var status: Int32 = 0
        ErrorQueue.clear()
        ciphertext.append(addingCapacity: capacity) { output in
            unsafe output.withUnsafeMutableBufferPointer { buffer, initialized in
                unsafe wire.pointee.out = buffer.baseAddress?.advanced(by: initialized)
                unsafe wire.pointee.out_used = 0
                unsafe wire.pointee.out_capacity = buffer.count - initialized
                status = call()
                initialized += unsafe wire.pointee.out_used
                unsafe wire.pointee.out = nil
                unsafe wire.pointee.out_capacity = 0
            }
        }
        if status > 0 { return .done }
        switch unsafe SSL_get_error(ssl, status) {
        case SSL_ERROR_WANT_READ: return .needsInput
        case SSL_ERROR_WANT_WRITE: return .needsRoom
        case SSL_ERROR_ZERO_RETURN: return .ended
        default: return .failed(ErrorQueue.takeReason())
        }
    }
}
