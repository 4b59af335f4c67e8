public import ByteCodec

/// Who uses a `StreamConnection`. Called on the connection's loop only, and never from inside a call the owner
/// makes to the connection.
public protocol StreamConnectionOwner: AnyObject {
    /// Plaintext can flow now: at once on a plain connection, after the handshake on a secure one.
    func streamOpened()
    /// Bytes arrived. They are lent for the call.
    func streamReceived(_ bytes: Span<UInt8>)
    /// The peer will send no more. The owner should `finish()` when it has nothing more to say.
    func streamReceivedEnd()
    /// Unsent bytes are below the low-water mark again, after having been above it after a flush, or after
    /// `notifyWhenWritable()`.
    func streamWritable()
    /// The connection is gone; the last call.
    func streamClosed(_ reason: StreamCloseReason)
}

/// Why a connection ended.
public enum StreamCloseReason: Equatable, Sendable {
    /// We finished, and the peer took everything or the linger time was over.
    case finished
    /// The owner called `abort()`.
    case aborted
    /// The peer reset the connection, timed out in TCP, or the network failed.
    case failed(SystemError)
    /// TLS cannot go on.
    case insecure(SecureChannelError)
    /// Unsent bytes exceeded `StreamLimits.hardCapBytes`.
    case overflow(unsentBytes: Int)
    /// The loop has been stopped.
    case loopStopped
}
