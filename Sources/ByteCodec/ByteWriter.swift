/// Appends bytes in stated order. Give the final size as `capacity` and it allocates once.
public struct ByteWriter: Sendable {
    /// What was written so far.
    public var bytes: [UInt8]

    /// An empty writer with room for `capacity` bytes.
    @inlinable
    public init(capacity: Int = 0) {
        bytes = []
        if capacity > 0 { bytes.reserveCapacity(capacity) }
    }

    /// Number of bytes written.
    @inlinable public var count: Int { bytes.count }

    /// One byte.
    @inlinable
    public mutating func append(_ byte: UInt8) { bytes.append(byte) }

    /// A run of bytes.
    @inlinable
    public mutating func append(contentsOf other: [UInt8]) { bytes.append(contentsOf: other) }

    /// A run of bytes.
    @inlinable
    public mutating func append(contentsOf other: ArraySlice<UInt8>) { bytes.append(contentsOf: other) }

    /// The UTF-8 bytes of `text`, without a length.
    @inlinable
    public mutating func append(utf8 text: String) { bytes.append(contentsOf: text.utf8) }

    /// A fixed-width integer in the stated byte order.
    @inlinable
    public mutating func append<T: FixedWidthInteger>(_ value: T, _ order: ByteOrder) {
        let size = T.bitWidth / 8
        for index in 0..<size {
            let shift = order == .little ? index : size &- 1 &- index
            bytes.append(UInt8(truncatingIfNeeded: value >> T(truncatingIfNeeded: 8 &* shift)))
        }
    }

    /// A base-128 varint, minimal.
    @inlinable
    public mutating func appendVarint(_ value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }

    /// Bytes that `appendVarint` writes for `value`, 1…10.
    @inlinable
    public static func varintSize(_ value: UInt64) -> Int {
        let bits = 64 &- (value | 1).leadingZeroBitCount
        return (bits &+ 6) / 7
    }
}
