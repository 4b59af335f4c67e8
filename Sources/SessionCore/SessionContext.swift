public import BridgeAI
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
    /// Words of the language; empty where no list is installed.
    public var vocabulary: Vocabulary
    /// How letters are taken for one another.
    public var channel: LetterChannel
    /// Filter tables, shared by all streams.
    public var resamplers: ResamplerDesigns

    /// A server's description.
    public init(
        limits: SessionLimits = SessionLimits(), serverVersion: String, models: [ModelInfo] = [],
        unavailable: [Unavailable] = [], sound: SoundSettings = SoundSettings(),
        vocabulary: Vocabulary = Vocabulary(), channel: LetterChannel = LetterChannel(),
        resamplers: ResamplerDesigns = ResamplerDesigns()
    ) {
        self.resamplers = resamplers
        self.limits = limits
        self.serverVersion = serverVersion
        self.models = models
        self.unavailable = unavailable
        self.sound = sound
        self.vocabulary = vocabulary
        self.channel = channel
    }
}
