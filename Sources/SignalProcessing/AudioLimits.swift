/// Bounds of what audio is accepted, with their reasons.
public struct AudioLimits: Sendable {
    /// Telephone rate; below it no alarm at 3 kHz survives.
    public static let minSampleRateHz = 8_000
    /// The highest rate that sound cards offer.
    public static let maxSampleRateHz = 192_000
    /// More channels than any microphone array a home device has.
    public static let maxChannels = 32
    /// One chunk; keeps the delay of an alert and the memory of a message bounded.
    public static let maxChunkMs = 2_000
}
