/// What to do with a chunk, judged by the index of its first sample.
public enum SequenceVerdict: Equatable, Sendable {
    /// The next expected samples.
    case accept
    /// The first `samples` of it are known already; use the rest.
    case skip(samples: UInt64)
    /// `samples` before it are missing; it is to be used after as much silence.
    case gap(samples: UInt64)
    /// All of it is known already.
    case duplicate
    /// It would fill a gap that has been reported, but its time has passed.
    case late
    /// Its indices overflow 64 bits.
    case invalid
}

/// Follows the sample indices of one stream and one format; counts what is wrong with them.
public struct SequenceTracker: Equatable, Sendable {
    /// Gaps remembered to tell late chunks from duplicates; older ones count as duplicates.
    static let maxRememberedGaps = 16

    /// Index the next chunk should start with; nil before the first chunk.
    public private(set) var expectedIndex: UInt64?
    /// Gaps so far.
    public private(set) var gapCount: UInt64 = 0
    /// Samples (per channel) that never arrived in time.
    public private(set) var missingSamples: UInt64 = 0
    /// Chunks, or parts of them, that had been received before.
    public private(set) var duplicateCount: UInt64 = 0
    /// Chunks that came after their gap had been reported.
    public private(set) var lateCount: UInt64 = 0
    /// Samples (per channel) accepted.
    public private(set) var acceptedSamples: UInt64 = 0
    private var gaps: [Range<UInt64>] = []

    /// A tracker for a new stream; with `startingAt`, a first chunk that begins later is a gap.
    public init(startingAt index: UInt64? = nil) { expectedIndex = index }

    /// Judges a chunk of `count` samples (per channel). An empty chunk is accepted where it fits and changes nothing.
    public mutating func receive(firstSampleIndex first: UInt64, count: UInt64) -> SequenceVerdict {
        let (end, overflows) = first.addingReportingOverflow(count)
        if overflows { return .invalid }
        guard let expected = expectedIndex else {
            expectedIndex = end
            acceptedSamples = count
            return .accept
        }
        if count == 0 { return first <= expected ? .accept : .gap(samples: 0) }
        if first > expected {
            let missing = first - expected
            gapCount += 1
            missingSamples &+= missing
            gaps.append(expected..<first)
            if gaps.count > Self.maxRememberedGaps { gaps.removeFirst() }
            expectedIndex = end
            acceptedSamples += count
            return .gap(samples: missing)
        }
        if end <= expected {
            if gaps.contains(where: { $0.lowerBound <= first && end <= $0.upperBound }) {
                lateCount += 1
                return .late
            }
            duplicateCount += 1
            return .duplicate
        }
        expectedIndex = end
        acceptedSamples += end - expected
        if first == expected { return .accept }
        duplicateCount += 1
        return .skip(samples: expected - first)
    }
}
