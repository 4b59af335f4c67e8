/// Every limit of one session and one profile. Values and reasons are repeated in `protocol/LIMITS.md`.
public struct SessionLimits: Sendable, Equatable {
    /// A peer that has not said Hello by then holds a socket for nothing (close 4408).
    public var helloTimeoutUs: UInt64 = 5 * .secondUs
    /// Envelopes kept while the token is looked up, so that a client may send OpenStream with its Hello.
    public var maxEnvelopesBeforeWelcome = 32
    /// Streams of one session: two microphones, two hands, scene, question and music, with room to spare.
    public var maxStreams = 16
    /// Sessions of one profile: a household's devices.
    public var maxSessionsPerProfile = 32
    /// Longest audio chunk: beyond it, latency alone would make the sound useless.
    public var maxAudioChunkUs: UInt64 = 2 * .secondUs
    /// Most hand frames in one message: a quarter second at 120 frames a second.
    public var maxHandFramesPerMessage = 32
    /// Fastest hand stream accepted, frames a second.
    public var maxHandFramesPerSecond = 120
    /// Hand frames of one stream waiting for scores: two full messages. Beyond it the newest is dropped and reported.
    public var maxHandFramesInFlight = 64
    /// Stem data of one song: about an hour at 43 frames a second.
    public var maxSongBytes = 16 << 20
    /// Songs kept for one profile; the oldest unused one is dropped.
    public var maxSongsPerProfile = 4
    /// Objects in one scene.
    public var maxSceneObjects = 300
    /// Media bytes a client may send before it gets more credit: 2 s of 48 kHz stereo float, several streams.
    public var creditBytes: UInt64 = 4 << 20
    /// Messages a second that one device may send for long: 16 streams at the fastest camera's rate.
    public var maxMessagesPerSecond: UInt64 = 2000
    /// Messages that may come at once: some seconds of what a phone kept while it had no network.
    public var messageBurst: UInt64 = 8000
    /// A device that goes on sending too fast for so long, although it is told each second, is ended.
    public var overrunEndsUs: UInt64 = 10 * .secondUs
    /// How much faster than it plays media may be sent for long: recordings need not be sent in real time.
    public var maxMediaSpeed: UInt64 = 16
    /// Media that may run ahead of that: five minutes of a recording.
    public var mediaBurstUs: UInt64 = 300 * .secondUs
    /// Default heartbeat interval.
    public var heartbeatUs: UInt64 = 15 * .secondUs
    /// Shortest and longest heartbeat that a device may wish, seconds.
    public var heartbeatSeconds: ClosedRange<UInt32> = 5...300
    /// Health is reported at least this often for each stream (PRODUCT 5.3 rule 6).
    public var healthIntervalUs: UInt64 = 5 * .secondUs
    /// Longest name, room or version text, bytes.
    public var maxNameBytes = 64
    /// Longest note, bytes.
    public var maxNoteBytes = 256
    /// Durable events sent to one device and not yet acknowledged; further ones wait in the store.
    public var maxEventsInFlight = 64
    /// First resend of an unacknowledged durable event; doubles up to `maxResendUs`.
    public var firstResendUs: UInt64 = 2 * .secondUs
    /// Slowest resend.
    public var maxResendUs: UInt64 = 32 * .secondUs
    /// Open alerts of one profile kept in memory; the oldest quiet one is closed as exhausted beyond it.
    public var maxOpenAlerts = 256

    /// The defaults.
    public init() {}
}
