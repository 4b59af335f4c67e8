import Numerics

/// One input of the sound network.
public struct AudioWindow: Equatable, Sendable {
    /// `[110,250]` samples at 22,050 Hz, oldest first.
    public var samples: [Float]
    /// Index after its last sample in the 22,050 Hz stream: where the window ends in stream time.
    public var endSampleIndex: UInt64
    /// Samples of it that were never received and read 0: gaps of the stream.
    public var blindSamples: Int
    /// Samples at its front from before the stream began, which read 0.
    public var paddedSamples: Int

    /// All of it, as a producer or a test has it.
    public init(samples: [Float], endSampleIndex: UInt64, blindSamples: Int, paddedSamples: Int) {
        self.samples = samples
        self.endSampleIndex = endSampleIndex
        self.blindSamples = blindSamples
        self.paddedSamples = paddedSamples
    }
}

/// Cuts a 22,050 Hz stream into overlapping windows of five seconds.
///
/// A window ends every 11,025 samples (0.5 s), the first one at 22,050 (1 s): it is padded with zeros at the front.
/// Memory: 441 KB and 16 gaps.
public struct AudioWindower: Sendable {
    /// Rate of the samples.
    public static let sampleRateHz = 22_050
    /// Samples of a window: 5 s.
    public static let windowSamples = 110_250
    /// Samples between two windows: 0.5 s.
    public static let hopSamples = 11_025
    /// Where the first window ends: 1 s, enough for a first decision.
    public static let firstWindowEnd: UInt64 = 22_050
    /// Gaps inside one window that are told apart; beyond, neighbours are merged and count as blind in full.
    static let maxGaps = 16

    private var ring = SampleRing(capacity: windowSamples)
    private var nextEnd = firstWindowEnd
    private var gaps: [Range<UInt64>] = []
    /// Samples of silence that stood in for gaps since the stream began.
    public private(set) var blindSamples: UInt64 = 0

    /// A windower at the start of a stream.
    public init() {}

    /// Samples so far, gaps included.
    public var endSampleIndex: UInt64 { ring.endIndex }

    /// Adds samples; returns the windows that became complete.
    public mutating func push(_ samples: [Float]) -> [AudioWindow] {
        var windows: [AudioWindow] = []
        var offset = 0
        while offset < samples.count {
            let untilEnd = Int(min(nextEnd - ring.endIndex, UInt64(samples.count - offset)))
            ring.append(samples.span.extracting(offset..<(offset + untilEnd)))
            offset += untilEnd
            if ring.endIndex == nextEnd { windows.append(closeWindow()) }
        }
        return windows
    }

    /// Ends the stream: a window that was filling comes out, padded with silence to its hop. At most one.
    public mutating func finish() -> [AudioWindow] {
        let isFresh = nextEnd > Self.firstWindowEnd && ring.endIndex == nextEnd - UInt64(Self.hopSamples)
        guard ring.endIndex > 0, !isFresh else { return [] }
        return push([Float](repeating: 0, count: Int(nextEnd - ring.endIndex)))
    }

    /// Adds a gap of `count` samples as silence. Returns the windows that became complete and hold at least one sample
    /// that was received; of a gap longer than a window only those at its edge are made.
    public mutating func pushGap(_ count: UInt64) -> [AudioWindow] {
        guard count > 0 else { return [] }
        note(gap: ring.endIndex..<(ring.endIndex + count))
        blindSamples += count
        var windows: [AudioWindow] = []
        var remaining = count
        while remaining > 0 {
            let step = min(nextEnd - ring.endIndex, remaining)
            if step == remaining || windowHoldsSound {
                ring.append(repeating: 0, count: step)
                remaining -= step
                if ring.endIndex == nextEnd {
                    let window = closeWindow()
                    if window.blindSamples + window.paddedSamples < Self.windowSamples {
                        windows.append(window)
                    }
                }
            } else {
                // Nothing but silence ahead: jump over whole hops at once.
                let hop = UInt64(Self.hopSamples)
                let skipped = step + (remaining - step) / hop * hop
                ring.append(repeating: 0, count: skipped)
                remaining -= skipped
                nextEnd = ring.endIndex + hop
            }
        }
        return windows
    }

    /// Whether the window that is filling holds anything that was received.
    private var windowHoldsSound: Bool {
        let window = UInt64(Self.windowSamples)
        let start = nextEnd > window ? nextEnd - window : 0
        guard ring.endIndex > start else { return false }
        return blind(in: start..<ring.endIndex) < ring.endIndex - start
    }

    private mutating func closeWindow() -> AudioWindow {
        let end = ring.endIndex
        nextEnd = end + UInt64(Self.hopSamples)
        let start = end > UInt64(Self.windowSamples) ? end - UInt64(Self.windowSamples) : 0
        gaps.removeAll { $0.upperBound <= start }
        return AudioWindow(
            samples: ring.last(Self.windowSamples, endingAt: end), endSampleIndex: end,
            blindSamples: Int(blind(in: start..<end)),
            paddedSamples: Self.windowSamples - Int(end - start))
    }

    private func blind(in range: Range<UInt64>) -> UInt64 {
        gaps.reduce(0) { total, gap in
            let overlap = gap.clamped(to: range)
            return total + (overlap.upperBound - overlap.lowerBound)
        }
    }

    private mutating func note(gap: Range<UInt64>) {
        if let last = gaps.last, last.upperBound == gap.lowerBound || gaps.count >= Self.maxGaps {
            gaps[gaps.count - 1] = last.lowerBound..<gap.upperBound
        } else {
            gaps.append(gap)
        }
    }
}
