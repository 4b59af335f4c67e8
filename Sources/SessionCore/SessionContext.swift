public import SenseProtocol

/// What a server is and can do, the same for every session.
public struct SessionContext: Sendable {
    /// Limits in force.
    public var limits: SessionLimits
    /// Version shown in Welcome.
    public var serverVersion: String
    /// Loaded models.
    public var models: [ModelInfo]
    /// What cannot be done now, and what happens instead.
    public var unavailable: [Unavailable]
    /// How sound scores become detections.
    public var sound: SoundSettings
    /// Filter tables, shared by all streams.
    public var resamplers: ResamplerDesigns

    /// A server's description.
    public init(
        limits: SessionLimits = SessionLimits(), serverVersion: String, models: [ModelInfo] = [],
        unavailable: [Unavailable] = [], sound: SoundSettings = SoundSettings(),
        resamplers: ResamplerDesigns = ResamplerDesigns()
    ) {
        self.resamplers = resamplers
        self.limits = limits
        self.serverVersion = serverVersion
        self.models = models
        self.unavailable = unavailable
        self.sound = sound
    }
}
