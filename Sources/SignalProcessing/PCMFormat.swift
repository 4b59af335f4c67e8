/// How the samples of an uncompressed audio stream are laid out. Frames are interleaved, little endian.
public struct PCMFormat: Equatable, Sendable {
    /// Number format of one sample.
    public enum Encoding: Equatable, Sendable {
        /// Signed 16 bit, full scale 32,768.
        case s16le
        /// IEEE 754 binary32, full scale 1.
        case f32le

        /// Bytes of one sample.
        public var bytesPerSample: Int { self == .s16le ? 2 : 4 }
    }

    /// Number format of one sample.
    public let encoding: Encoding
    /// Frames per second, 8,000…192,000.
    public let sampleRateHz: Int
    /// Interleaved channels, 1…32.
    public let channels: Int

    /// A checked format. Takes wire-sized integers, so that no value can trap on the way.
    public init(encoding: Encoding, sampleRateHz: UInt64, channels: UInt64) throws(AudioError) {
        guard let rate = Int(exactly: sampleRateHz),
            (AudioLimits.minSampleRateHz...AudioLimits.maxSampleRateHz).contains(rate)
        else { throw .sampleRateOutOfRange(gotHz: sampleRateHz) }
        guard let count = Int(exactly: channels), (1...AudioLimits.maxChannels).contains(count)
        else { throw .channelsOutOfRange(got: channels) }
        self.encoding = encoding
        self.sampleRateHz = rate
        self.channels = count
    }

    /// Bytes of one frame (one sample for every channel).
    public var bytesPerFrame: Int { encoding.bytesPerSample * channels }

    /// Frames of the longest chunk that is accepted.
    public var maxChunkFrames: Int { sampleRateHz * AudioLimits.maxChunkMs / 1_000 }
}
