/// The challenge of the opening handshake (RFC 6455 section 4.2.2).
enum HandshakeKey {
    /// Sec-WebSocket-Accept for a Sec-WebSocket-Key.
    static func accept(for key: String) -> String {
        Base64.encode(SHA1.digest(Array((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").utf8)))
    }
}
