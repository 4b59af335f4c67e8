/// Why audio was refused. Cases carry the wire field and what it held.
public enum AudioError: Error, Equatable, Sendable {
    /// Samples per second outside 8,000…192,000.
    case sampleRateOutOfRange(gotHz: UInt64)
    /// Channel count outside 1…32.
    case channelsOutOfRange(got: UInt64)
    /// A chunk is not a whole number of frames (one sample for every channel).
    case partialFrame(gotBytes: Int, bytesPerFrame: Int)
    /// A chunk holds more than ``AudioLimits/maxChunkMs`` of audio.
    case chunkTooLong(gotFrames: Int, maxFrames: Int)
    /// The design of a resampler was asked for a rate outside its range.
    case outputRateOutOfRange(gotHz: UInt64)

    /// Name of the wire field at fault.
    public var field: String {
        switch self {
        case .sampleRateOutOfRange, .outputRateOutOfRange: "sample_rate_hz"
        case .channelsOutOfRange: "channels"
        case .partialFrame, .chunkTooLong: "samples"
        }
    }

    /// What was got and what is accepted, for a developer.
    public var message: String {
        switch self {
        case .sampleRateOutOfRange(let got), .outputRateOutOfRange(let got):
            "sample_rate_hz is \(got), accepted are 8000 to 192000"
        case .channelsOutOfRange(let got):
            "channels is \(got), accepted are 1 to 32"
        case .partialFrame(let got, let frame):
            "samples holds \(got) bytes, which is not a multiple of the frame size \(frame)"
        case .chunkTooLong(let got, let limit):
            "samples holds \(got) frames, at most \(limit) (2 s) are accepted"
        }
    }
}
