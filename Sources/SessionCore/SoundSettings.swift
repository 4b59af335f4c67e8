public import QuietAlert

/// How sound scores become detections: what the model ships with, and the rules of episodes.
public struct SoundSettings: Sendable {
    /// Thresholds chosen on training data, from the model's manifest.
    public var thresholds: SoundThresholds
    /// When episodes start and end.
    public var episodes: SoundEpisodeRules
    /// Where a person's own sounds are compared; nil = they cannot be taught here.
    public var space: SoundSpace?
    /// Name of the network, to say what a sound was taught to.
    public var modelName = ""
    /// Version of the network.
    public var modelVersion = ""
    /// The network is loaded; without it only alarm patterns are heard, and Welcome says so.
    public var hasNetwork: Bool
    /// The network leaves out steps of steady background (``SteadyGate``).
    public var skipsSteadySound = true
    /// Samples at 22,050 Hz between two decisions.
    public var stepSamples: Int

    /// Defaults, with a network.
    public init(
        thresholds: SoundThresholds = SoundThresholds(), episodes: SoundEpisodeRules = SoundEpisodeRules(),
        hasNetwork: Bool = true, stepSamples: Int = AudioStepper.stepSamples
    ) {
        self.thresholds = thresholds
        self.episodes = episodes
        self.hasNetwork = hasNetwork
        self.stepSamples = stepSamples
    }
}
