/// Order of the bytes of an integer; always stated, never the host's.
public enum ByteOrder: Sendable, Equatable {
    /// Most significant byte first (network order: WebSocket, DNS, TLS).
    case big
    /// Least significant byte first (protobuf, WAV, our own store).
    case little
}
