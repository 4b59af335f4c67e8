/// Reads little-endian numbers of the stored forms of this module; nil once the bytes do not suffice.
struct FloatReader {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) { rest = bytes[...] }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func take(_ count: Int) -> [UInt8]? {
        guard count >= 0, count <= rest.count else { return nil }
        defer { rest = rest.dropFirst(count) }
        return Array(rest.prefix(count))
    }

    mutating func byte() -> Int? { take(1).map { Int($0[0]) } }

    /// A UInt32 of at most `max`.
    mutating func count(max: Int) -> Int? {
        guard let bytes = take(4) else { return nil }
        let value = Int(Self.bits(bytes))
        return value <= max ? value : nil
    }

    mutating func floats(_ count: Int) -> [Float]? {
        guard count >= 0, count <= rest.count / 4, let bytes = take(4 * count) else { return nil }
        return (0..<count).map { Float(bitPattern: Self.bits(bytes[(4 * $0)..<(4 * $0 + 4)])) }
    }

    private static func bits(_ bytes: some Collection<UInt8>) -> UInt32 {
        bytes.reversed().reduce(0) { $0 << 8 | UInt32($1) }
    }

    /// The bytes that `count` and `floats` read.
    static func bytes(_ value: UInt32) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }

    static func bytes(_ values: [Float]) -> [UInt8] { values.flatMap { bytes($0.bitPattern) } }
}
