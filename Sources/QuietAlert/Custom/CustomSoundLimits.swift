/// Limits of the sounds that a person teaches. Values and reasons are repeated in `protocol/LIMITS.md`.
public enum CustomSoundLimits {
    /// Sounds of one profile: each is one more chance of a false alarm, and all are compared three times a second.
    public static let maxSounds = 16
    /// Examples of one sound: from fewer nothing can be said of their spread, more teach little.
    public static let examples = 3...10
    /// Bytes of a name: what an alert carries and a watch shows.
    public static let maxNameBytes = 64
    /// Samples at 22,050 Hz of one example: 10 s. What comes later in an example is not taken.
    public static let maxExampleSamples = 220_500
    /// Vectors kept of one example: its beginning, its middle and its end differ.
    public static let maxVectors = 4
    /// Blocks of 10 ms that must sound, at least: 0.1 s. A shorter click says nothing of what made it.
    public static let minSoundingBlocks = 10
    /// Loudest 10 ms of an example, dBFS, at least; microphones hiss below it.
    public static let minLevelDecibels: Float = -60
    /// Bytes of one stored sound; below the store's 16,384 a setting.
    public static let maxStoredBytes = 16_000
    /// Widest space that is read.
    public static let maxWidth = 96
}
