/// What a peer may make a connection hold. Every limit is enforced before the bytes are kept.
public struct WebSocketLimits: Equatable, Sendable {
    /// Largest message after inflation, in bytes; above it the connection closes with 1009. Enforced at the
    /// frame header and, for compressed messages, while inflating.
    public var maxMessageBytes: Int
    /// Most frames one message may come in; above it 1008. Stops endless empty fragments, which no byte limit
    /// sees.
    public var maxFragments: Int
    /// A fragment that is not the last of its message and is below this size counts as small. 0: none does.
    public var smallFragmentBytes: Int
    /// Most small fragments of one message; above it 1008. Per-fragment work is what an attacker buys with
    /// tiny fragments.
    public var maxSmallFragments: Int

    /// Limits with a stated reason each; negative numbers count as 0.
    ///
    /// - Parameters:
    ///   - maxMessageBytes: 1 MiB by default: 2 s of 8-channel 48 kHz PCM16 is 768 KB, every other message of
    ///     the product is far smaller.
    ///   - maxFragments: 4,096 by default: a 1 MiB message in 256-byte fragments.
    ///   - smallFragmentBytes: 128 by default: below it the frame header is a visible share of the work.
    ///   - maxSmallFragments: 256 by default: streaming encoders may flush some small pieces, not thousands.
    public init(
        maxMessageBytes: Int = 1 << 20, maxFragments: Int = 4096, smallFragmentBytes: Int = 128,
        maxSmallFragments: Int = 256
    ) {
        self.maxMessageBytes = max(0, maxMessageBytes)
        self.maxFragments = max(1, maxFragments)
        self.smallFragmentBytes = max(0, smallFragmentBytes)
        self.maxSmallFragments = max(0, maxSmallFragments)
    }

    /// For the conformance echo server: the Autobahn cases send 16 MiB messages, and 4 MiB in fragments of
    /// 64 bytes, which is 65,536 of them.
    public static let conformance = WebSocketLimits(
        maxMessageBytes: 32 << 20, maxFragments: 1 << 20, smallFragmentBytes: 0, maxSmallFragments: 0)
}
