/// Limits of one connection's byte stream.
public struct StreamLimits: Sendable {
    /// Above this many unsent bytes reading pauses: the peer asks faster than it takes the answers, and what it
    /// asks for would pile up here. One largest read (64 KiB) of small requests stays well below.
    public var pauseReadingBytes = 1024 * 1024
    /// Below this many unsent bytes a paused connection reads again and its owner is told it is writable.
    public var lowWaterBytes = 256 * 1024
    /// Above this many unsent bytes the connection is cut: the owner ignored `isWritable`, so memory would grow
    /// without end. Holds the answer to one read that was just allowed, even of a 16 MiB message.
    public var hardCapBytes = 64 * 1024 * 1024
    /// How long sent bytes may stay unacknowledged before the kernel cuts the connection (TCP_USER_TIMEOUT):
    /// a peer without power or network never sends FIN. A phone that changes cells is back within this.
    public var unacknowledged: Duration = .seconds(30)
    /// After our last byte, how long we read on and throw away so that the peer can read it before a reset.
    public var linger: Duration = .seconds(2)
    /// How many bytes we read and throw away in that time; a peer that floods is not worth the work.
    public var lingerBytes = 256 * 1024

    /// The defaults.
    public init() {}
}
