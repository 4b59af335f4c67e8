/// What both ends agreed on for permessage-deflate (RFC 7692 section 7.1).
public struct DeflateParameters: Equatable, Sendable {
    /// The server compresses every message for itself.
    public var serverNoContextTakeover = false
    /// The client compresses every message for itself.
    public var clientNoContextTakeover = false
    /// The server's window is at most 2^this bytes, 8...15.
    public var serverMaxWindowBits = 15
    /// The client's window is at most 2^this bytes, 8...15.
    public var clientMaxWindowBits = 15

    /// Both windows full and kept.
    public init() {}
}

/// What this end wants of permessage-deflate, and what it may cost.
public struct DeflateConfiguration: Equatable, Sendable {
    /// Ask for, or answer with, both no-context-takeover parameters: no window is kept between messages, so a
    /// connection at rest holds no zlib memory and contexts are shared through a `DeflateContextPool`.
    public var noContextTakeover: Bool
    /// Bound of our own window, 9...15.
    public var maxWindowBits: Int
    /// Bound asked of the peer's window where it lets us, 8...15.
    public var peerMaxWindowBits: Int
    /// zlib level 1...9.
    public var level: Int
    /// zlib memory level 1...9; one compressing context takes 2^(windowBits+2) + 2^(memoryLevel+9) bytes.
    public var memoryLevel: Int
    /// Messages below this many bytes are sent as they are.
    public var minCompressBytes: Int

    /// Defaults for a server with many connections: no context kept, level 1 (most of the gain for a fraction
    /// of the time), nothing below 64 bytes compressed. Values outside their range are moved into it.
    public init(
        noContextTakeover: Bool = true, maxWindowBits: Int = 15, peerMaxWindowBits: Int = 15, level: Int = 1,
        memoryLevel: Int = 8, minCompressBytes: Int = 64
    ) {
        self.noContextTakeover = noContextTakeover
        self.maxWindowBits = min(15, max(9, maxWindowBits))
        self.peerMaxWindowBits = min(15, max(8, peerMaxWindowBits))
        self.level = min(9, max(1, level))
        self.memoryLevel = min(9, max(1, memoryLevel))
        self.minCompressBytes = max(0, minCompressBytes)
    }
}
