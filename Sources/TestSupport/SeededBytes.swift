/// SplitMix64 (Steele, Lea, Flood, OOPSLA 2014): a small generator whose output depends on the seed alone,
/// so that a property test which fails can be run again exactly.
public struct SeededBytes: RandomNumberGenerator, Sendable {
    private var state: UInt64

    /// - Parameter seed: any value; equal seeds give equal sequences.
    public init(seed: UInt64) {
        state = seed
    }

    /// The next 64 random bits.
    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// `count` random bytes; none for a count of 0 or less.
    public mutating func bytes(_ count: Int) -> [UInt8] {
        guard count > 0 else { return [] }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count)
        while bytes.count < count {
            var word = next()
            for _ in 0..<min(8, count - bytes.count) {
                bytes.append(UInt8(truncatingIfNeeded: word))
                word >>= 8
            }
        }
        return bytes
    }

    /// A random integer in a closed range.
    public mutating func int(in range: ClosedRange<Int>) -> Int {
        Int.random(in: range, using: &self)
    }

    /// `bytes` cut into consecutive pieces of `1...maxPieceBytes` bytes at random places.
    public mutating func cut(_ bytes: [UInt8], maxPieceBytes: Int) -> [[UInt8]] {
        var pieces: [[UInt8]] = []
        var start = 0
        while start < bytes.count {
            let end = min(bytes.count, start + int(in: 1...max(1, maxPieceBytes)))
            pieces.append(Array(bytes[start..<end]))
            start = end
        }
        return pieces
    }
}
