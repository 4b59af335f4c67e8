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

        /// Nothing varied in the last second, or by less than can be told.
        public var isConstant: Bool { rmsDBFS <= Decibels.floorDBFS }

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

        mutating func add(_ sums: SampleSums, channel: Int) {
            sum[channel] += sums.sum
            squares[channel] += sums.squares
            peak = max(peak, sums.peak)
            clipped += sums.clipped
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
        let frames = samples.count / channels
        var taken = 0
        while taken < frames {
            let count = min(frames - taken, blockFrames - current.frames)
            let range = (taken * channels)..<((taken + count) * channels)
            if channels == 1 {
                var sums = SampleSums()
                sums.add(samples.span.extracting(range), fullScale: PCMDecoder.clipThreshold)
                current.add(sums, channel: 0)
            } else {
                addInterleaved(samples.span.extracting(range))
            }
            current.frames += count
            taken += count
            if current.frames == blockFrames { closeBlock() }
        }
        noteConstant(samples.span, frames: frames)
    }

    private mutating func addInterleaved(_ samples: Span<Float>) {
        for channel in 0..<channels {
            var sums = SampleSums()
            for i in stride(from: channel, to: samples.count, by: channels) {
                sums.add(samples[i], fullScale: PCMDecoder.clipThreshold)
            }
            current.add(sums, channel: channel)
        }
    }

    /// Counts the frames since the last one that differed from the one before it.
    private mutating func noteConstant(_ samples: Span<Float>, frames: Int) {
        guard frames > 0 else { return }
        var index = frames * channels - 1
        while index >= channels, samples[index] == samples[index - channels] { index -= 1 }
        var isConstant = index < channels
        if isConstant {
            for channel in 0..<channels where samples[channel] != previousFrame[channel] {
                isConstant = false
            }
        }
        let changed = isConstant ? 0 : index / channels
        constantFrames = isConstant ? constantFrames + UInt64(frames) : UInt64(frames - 1 - changed)
        for channel in 0..<channels { previousFrame[channel] = samples[(frames - 1) * channels + channel] }
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
