/// The newest `capacity` samples of a stream, addressed by their index in that stream.
///
/// Memory is fixed at creation: `4 × capacity` bytes. Index 0 is the first sample ever appended.
public struct SampleRing: Sendable {
    /// Samples kept at most.
    public let capacity: Int
    /// Index after the newest sample: how many were ever appended.
    public private(set) var endIndex: UInt64 = 0
    private var storage: [Float]

    /// A ring that keeps `capacity` samples (at least 1).
    public init(capacity: Int) {
        self.capacity = max(1, capacity)
        storage = [Float](repeating: 0, count: self.capacity)
    }

    /// Index of the oldest sample still kept.
    public var startIndex: UInt64 { endIndex - UInt64(count) }

    /// Samples kept now.
    public var count: Int { Int(min(endIndex, UInt64(capacity))) }

    /// Appends samples; the oldest make room.
    public mutating func append(_ samples: Span<Float>) {
        let skipped = max(0, samples.count - capacity)
        endIndex += UInt64(skipped)
        var slot = Int(endIndex % UInt64(capacity))
        for i in skipped..<samples.count {
            storage[slot] = samples[i]
            slot += 1
            if slot == capacity { slot = 0 }
        }
        endIndex += UInt64(samples.count - skipped)
    }

    /// Appends samples; the oldest make room.
    public mutating func append(_ samples: [Float]) { append(samples.span) }

    /// Appends `count` times the same value, in O(min(count, capacity)).
    public mutating func append(repeating value: Float, count: UInt64) {
        let written = Int(min(count, UInt64(capacity)))
        endIndex += count - UInt64(written)
        var slot = Int(endIndex % UInt64(capacity))
        for _ in 0..<written {
            storage[slot] = value
            slot += 1
            if slot == capacity { slot = 0 }
        }
        endIndex += UInt64(written)
    }

    /// The sample at a stream index, or nil if it is not kept (any more, or yet).
    public subscript(index: UInt64) -> Float? {
        guard index >= startIndex, index < endIndex else { return nil }
        return storage[Int(index % UInt64(capacity))]
    }

    /// Copy of the `count` samples that end at `endIndex`; what was never received or is gone reads 0.
    public func last(_ count: Int, endingAt end: UInt64) -> [Float] {
        guard count > 0 else { return [] }
        let end = min(end, endIndex)
        let available = end > startIndex ? Int(min(end - startIndex, UInt64(count))) : 0
        var result: [Float] = []
        result.reserveCapacity(count)
        result.append(contentsOf: repeatElement(0, count: count - available))
        let first = Int((end - UInt64(available)) % UInt64(capacity))
        let untilWrap = min(available, capacity - first)
        result.append(contentsOf: storage[first..<(first + untilWrap)])
        result.append(contentsOf: storage[0..<(available - untilWrap)])
        return result
    }
}
