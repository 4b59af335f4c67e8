/// What a client holds at most, and how long it waits.
public struct ClientLimits: Sendable, Equatable {
    /// A server that does not welcome us by then is taken for dead.
    public var welcomeTimeoutUs: UInt64 = 10_000_000
    /// Silence of the server, in heartbeats, after which the connection counts as lost (PRODUCT 3.5).
    public var silentHeartbeats = 2.5
    /// Alerts whose last revision is remembered to recognise repeats: far more than a household has open.
    public var maxKnownAlerts = 512
    /// Clock measurements right after the welcome: the best of a few beats one.
    public var clockBurst = 5
    /// Distance of these measurements.
    public var clockBurstIntervalUs: UInt64 = 200_000
    /// Distance of measurements later: crystals drift by some 20 ppm, which is 0.6 ms in 30 s.
    public var clockIntervalUs: UInt64 = 30_000_000
    /// Events waiting for a slow reader; beyond it the oldest lossy one is dropped and counted.
    public var maxQueuedEvents = 4096
    /// Body of a plain HTTP answer such as `/health`.
    public var maxHTTPBodyBytes = 1 << 20

    /// The defaults.
    public init() {}
}
