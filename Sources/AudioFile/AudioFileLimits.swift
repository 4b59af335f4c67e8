/// The named bounds of files that are read.
public struct AudioFileLimits: Equatable, Sendable {
    /// What a stream may have, so that a file is refused before it is sent.
    public static let sampleRateHz: ClosedRange<Int64> = 8_000...192_000
    /// The most that libsndfile files carry in practice is 24 or 32; its own bound is 1,024.
    public static let channels: ClosedRange<Int64> = 1...32
    /// Longest file in seconds: a day. A longer length in a header is damage.
    public static let maxSeconds: Int64 = 86_400
    /// Most frames that one read returns, whatever is asked for: 8 MB of samples at 32 channels.
    public static let maxBlockFrames = 65_536

    /// Longest file accepted here, in seconds, 1…`maxSeconds`.
    public var seconds: Int64

    /// Bounds with the longest duration that a caller accepts.
    public init(seconds: Int64 = Self.maxSeconds) {
        self.seconds = min(Self.maxSeconds, max(1, seconds))
    }
}
