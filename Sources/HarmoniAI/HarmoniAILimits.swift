/// The named bounds of the music module.
public struct HarmoniAILimits: Equatable, Sendable {
    /// Largest stem data document. Two hours of four stems at 43 fps with seven characters a number take 9 MB.
    public static let maxDocumentBytes: UInt64 = 16 << 20
    /// Most frames of a song: two hours at 43 fps.
    public static let maxFrames = 43 * 2 * 3_600
    /// Frames a second of the grid; the original uses 43.
    public static let framesPerSecond: ClosedRange<Double> = 1...120
    /// Speed of the song's beat.
    public static let tempoBPM: ClosedRange<Double> = 20...400
    /// Sample rate of the analysed audio, for information.
    public static let sampleRateHz: ClosedRange<Double> = 8_000...192_000
    /// Largest energy; files differ in scale, and stems above 1 are scaled down by their own peak.
    public static let maxEnergy = 1_000_000.0
    /// UTF-8 bytes of a title.
    public static let maxTitleBytes = 512
    /// How far the stated duration and total_frames / fps may differ: rounding to hops, and the original's 43 for
    /// 22,050 / 512 = 43.07 fps.
    public static let durationSlackSeconds = 1.0
    /// The part of the duration that is added to the slack.
    public static let durationSlackPart = 0.01
    /// Playback speeds.
    public static let rate: ClosedRange<Double> = 0.5...2
    /// How far ahead of now a frame is due when it is sent, in milliseconds. Below 300 a phone on a poor network
    /// gets it late; above 5,000 a pause feels broken.
    public static let leadMs: ClosedRange<Int> = 300...5_000
    /// Lead when nobody asks for one.
    public static let defaultLeadMs = 400
    /// A device's own output latency, in milliseconds.
    public static let outputOffsetMs: ClosedRange<Int> = -1_000...1_000
    /// Length of one batch; a message costs about 80 bytes of overhead, so frames travel together.
    public static let batchMs = 250
    /// Time a tick may come late before a frame misses its lead.
    public static let tickSlackMs = 100
}
