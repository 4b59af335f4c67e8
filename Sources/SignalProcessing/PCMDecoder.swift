import Numerics

/// One decoded chunk: interleaved floats, and what had to be repaired or looks wrong.
public struct PCMChunk: Equatable, Sendable {
    /// `[frames × channels]`, interleaved, full scale ±1, each finite and inside ±``PCMDecoder/maxMagnitude``.
    public var samples: [Float]
    /// One sample for every channel each.
    public var frames: Int
    /// Samples that were NaN or infinite and read 0 now, or were beyond ±``PCMDecoder/maxMagnitude``.
    public var replacedSamples: Int

    /// All of it, as a producer or a test has it.
    public init(samples: [Float], frames: Int, replacedSamples: Int) {
        self.samples = samples
        self.frames = frames
        self.replacedSamples = replacedSamples
    }
}

/// Bytes of a PCM stream to floats. Stateless; O(samples).
public enum PCMDecoder {
    /// Float samples may exceed full scale a little; beyond this they are noise from a wrong encoding.
    public static let maxMagnitude: Float = 16
    /// 16 bit has no +32,768, so its largest positive value counts as full scale.
    static let clipThreshold: Float = 32_767 / 32_768

    /// Decodes a whole chunk.
    ///
    /// Throws `partialFrame` if the byte count is not a multiple of the frame size and `chunkTooLong` above 2 s.
    public static func decode(_ bytes: Span<UInt8>, format: PCMFormat) throws(AudioError) -> PCMChunk {
        let frameBytes = format.bytesPerFrame
        guard bytes.count % frameBytes == 0 else {
            throw .partialFrame(gotBytes: bytes.count, bytesPerFrame: frameBytes)
        }
        let frames = bytes.count / frameBytes
        guard frames <= format.maxChunkFrames else {
            throw .chunkTooLong(gotFrames: frames, maxFrames: format.maxChunkFrames)
        }
        var samples: [Float] = []
        var replaced = 0
        switch format.encoding {
        case .s16le:
            samples = FloatKernels.floats(fromS16LE: bytes)
        case .f32le:
            samples.reserveCapacity(frames * format.channels)
            for i in stride(from: 0, to: bytes.count, by: 4) {
                let low = UInt32(bytes[i]) | UInt32(bytes[i + 1]) << 8
                let high = UInt32(bytes[i + 2]) << 16 | UInt32(bytes[i + 3]) << 24
                var value = Float(bitPattern: low | high)
                if !value.isFinite {
                    value = 0
                    replaced += 1
                } else if abs(value) > maxMagnitude {
                    value = value < 0 ? -maxMagnitude : maxMagnitude
                    replaced += 1
                }
                samples.append(value)
            }
        }
        return PCMChunk(samples: samples, frames: frames, replacedSamples: replaced)
    }

    /// Decodes a whole chunk; see the version over a span.
    public static func decode(_ bytes: [UInt8], format: PCMFormat) throws(AudioError) -> PCMChunk {
        try decode(bytes.span, format: format)
    }
}
