/// The two clocks of the server at one moment, passed into every rule so that none reads a clock itself.
///
/// - `serverUs`: microseconds of the server's monotonic clock ("server time" of the wire).
/// - `unixUs`: microseconds since 1970-01-01 UTC; for people only, never for deadlines, since it may jump.
public struct Now: Sendable, Equatable {
    /// Monotonic microseconds.
    public var serverUs: UInt64
    /// Wall-clock microseconds.
    public var unixUs: UInt64

    /// Both clocks read together.
    public init(serverUs: UInt64, unixUs: UInt64) {
        self.serverUs = serverUs
        self.unixUs = unixUs
    }
}

extension UInt64 {
    /// Microseconds in a second, to keep deadlines readable.
    static let secondUs: UInt64 = 1_000_000

    /// `self − other`, or zero where `other` is later: clocks of peers may run backwards.
    func since(_ other: UInt64) -> UInt64 { self > other ? self - other : 0 }
}
