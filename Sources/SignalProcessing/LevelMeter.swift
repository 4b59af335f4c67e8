import Numerics

/// How loud a stream was in its last second, whether it clips, and for how long it has been digitally silent.
///
/// Fed with interleaved samples before any mixing, so that clipping and silence are those of the device. Levels are
/// those of the loudest channel, without its DC part. 0 dBFS is full scale (a full-scale sine reads −3.01 dBFS RMS).
public struct LevelMeter: Sendable {
    /// What the meter shows.
    public struct Reading: Equatable, Sendable {
        /// RMS of the last second, −120…24 dBFS.
        public var rmsDBFS: Float
        /// Largest magnitude of the last second, −120…24 dBFS.
        public var peakDBFS: Float
        /// Share of the last second's samples at full scale, 0…1.
        public var clippedShare: Float
        /// How long every frame has been equal to the one before it (zeros, or a muted input at constant DC).
        public var digitalSilenceMs: UInt64

        /// All of it, as a producer or a test has it.
        public init(rmsDBFS: Float, peakDBFS: Float, clippedShare: Float, digitalSilenceMs: UInt64) {
            self.rmsDBFS = rmsDBFS
            self.peakDBFS = peakDBFS
            self.clippedShare = clippedShare
            self.digitalSilenceMs = digitalSilenceMs
        }
    }

    private struct Block: Sendable {
        var frames = 0
        var clipped = 0
        var peak: Float = 0
        var sum: [Double]
        var squares: [Double]

        init(channels: Int) {
            sum = [Double](repeating: 0, count: channels)
            squares = sum
        }
    }

    private static let blocksPerSecond = 10
    private let channels: Int
    private let sampleRateHz: Int
    private let blockFrames: Int
    private var done: [Block] = []
    private var current: Block
    private var previousFrame: [Float]
    private var constantFrames: UInt64 = 0

    /// A meter for one format.
    public init(sampleRateHz: Int, channels: Int) {
        self.channels = max(1, channels)
        self.sampleRateHz = max(1, sampleRateHz)
        blockFrames = max(1, self.sampleRateHz / Self.blocksPerSecond)
        current = Block(channels: self.channels)
        previousFrame = [Float](repeating: 0, count: self.channels)
    }

    /// Takes whole frames of finite samples; excess samples of a broken last frame are ignored.
    public mutating func push(interleaved samples: [Float]) {
        var index = 0
        for _ in 0..<(samples.count / channels) {
            var isConstant = true
            for channel in 0..<channels {
                let x = samples[index]
                index += 1
                let magnitude = abs(x)
                if magnitude > current.peak { current.peak = magnitude }
                if magnitude >= PCMDecoder.clipThreshold { current.clipped += 1 }
                current.sum[channel] += Double(x)
                current.squares[channel] += Double(x) * Double(x)
                if x != previousFrame[channel] {
                    isConstant = false
                    previousFrame[channel] = x
                }
            }
            constantFrames = isConstant ? constantFrames + 1 : 0
            current.frames += 1
            if current.frames == blockFrames { closeBlock() }
        }
    }

    /// Levels over the last second, or over what there is of it.
    public var reading: Reading {
        let blocks = current.frames > 0 ? done + [current] : done
        let frames = blocks.reduce(0) { $0 + $1.frames }
        let silence = constantFrames * 1_000 / UInt64(sampleRateHz)
        guard frames > 0 else {
            return Reading(
                rmsDBFS: Decibels.floorDBFS, peakDBFS: Decibels.floorDBFS, clippedShare: 0,
                digitalSilenceMs: silence)
        }
        var loudest = 0.0
        for channel in 0..<channels {
            let mean = blocks.reduce(0) { $0 + $1.sum[channel] } / Double(frames)
            let square = blocks.reduce(0) { $0 + $1.squares[channel] } / Double(frames)
            loudest = max(loudest, square - mean * mean)
        }
        let clipped = blocks.reduce(0) { $0 + $1.clipped }
        return Reading(
            rmsDBFS: Decibels.fromPower(loudest),
            peakDBFS: Decibels.fromAmplitude(blocks.reduce(0) { max($0, $1.peak) }),
            clippedShare: Float(clipped) / Float(frames * channels),
            digitalSilenceMs: silence)
    }

    private mutating func closeBlock() {
        done.append(current)
        if done.count > Self.blocksPerSecond { done.removeFirst() }
        current = Block(channels: channels)
    }
}
