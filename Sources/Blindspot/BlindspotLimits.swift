/// The named bounds of the scene module.
public struct BlindspotLimits: Equatable, Sendable {
    /// Objects read of one scene; a detector that reports more is repeating itself.
    public static let maxObjects = 300
    /// Bytes of one scene document: 300 objects of 200 bytes each fit.
    public static let maxDocumentBytes = 64 << 10
    /// UTF-8 bytes of a label.
    public static let maxLabelBytes = 64
    /// Words of a label that are spoken; with direction and distance they make seven.
    public static let maxLabelWords = 3
    /// Largest distance in metres; beyond it nothing matters to a walker and sensors are guessing.
    public static let maxDistanceM = 200.0
    /// Bytes of a written distance such as "about 5 feet".
    public static let maxDistanceTextBytes = 32
    /// Hazards that one answer tells; more cannot be remembered.
    public static let maxHazards = 5
    /// Other objects that one answer tells.
    public static let maxOthers = 3
    /// Words of one hazard phrase.
    public static let maxPhraseWords = 7
    /// UTF-8 bytes of a question.
    public static let maxQuestionBytes = 1_024
    /// Objects that the announcer remembers.
    public static let maxRemembered = 256
    /// Age above which a scene is called old, in microseconds: a walker moves 1.4 m in it.
    public static let maxSceneAgeUs: Int64 = 1_000_000
}
