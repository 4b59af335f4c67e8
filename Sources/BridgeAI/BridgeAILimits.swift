/// The named bounds of the fingerspelling module.
public struct BridgeAILimits: Equatable, Sendable {
    /// Largest absolute landmark coordinate. Producers send 0…1 or pixels; 16,384-pixel pictures with points
    /// well outside the frame stay below it, while 1e30 would swallow every other coordinate.
    public static let maxCoordinate: Float = 100_000
    /// Smallest hand in the unit of its coordinates; below it the division only magnifies rounding noise.
    /// A hand of one pixel in the largest picture, in 0…1 units, is 6e-5.
    public static let minExtent: Float = 1e-5
    /// Largest declared image side in pixels.
    public static let maxImageSide: UInt32 = 16_384
    /// Frames a second a stream may send. Fast phone cameras reach 120.
    public static let maxFramesPerSecond = 120
    /// Frames above the steady rate that one burst may hold: one full message of 32 frames.
    public static let maxBurstFrames = 32
    /// Largest step of a device's clock between two frames, in microseconds, that is taken for a pause.
    /// A longer one is reported as a clock jump.
    public static let maxClockStepUs: UInt64 = 600_000_000
    /// Letters, spaces included, that one stream's text holds. The text travels with each update, and small devices
    /// take messages of 4 KiB; quick spelling fills it in ten minutes, and `clear` empties it.
    public static let maxTextLetters = 2_048
    /// Candidates reported with each letter.
    public static let maxAlternatives = 3
    /// Letters of one word that the word decoder follows. Longer strings keep their letters and get no suggestion;
    /// a prefix then fits 128 bits.
    public static let maxWordLetters = 24
    /// Words of a lexicon. Debian's largest English list holds 650,000 with its odd ones, its usual one 75,000; the graph
    /// of 200,000 takes about 1 MB.
    public static let maxLexiconWords = 200_000
    /// Bytes of a word list file: 200,000 words of 20 letters.
    public static let maxLexiconBytes = 4 << 20
    /// Names and places of one person's own list.
    public static let maxPersonalWords = 512
    /// Beginnings of words that stay possible after each letter, for each lexicon; 48 bytes each.
    public static let maxWordHypotheses = 64
    /// Suggestions sent at once.
    public static let maxSuggestions = 5
}
