// Memory kernel: copies runs of fixed-width scalars and text out of the storage.
// Invariant: every range is checked by `require` against `limit`, which never exceeds `storage.count`, before the
// storage is viewed as raw memory, and no pointer leaves the closure that received it.

/// A scalar whose memory is its little-endian wire form on a little-endian host.
public protocol LittleEndianScalar: BitwiseCopyable, Sendable {
    /// The value with the bytes of its memory reversed.
    var byteSwappedScalar: Self { get }
}

extension Float: LittleEndianScalar {
    /// The value with the bytes of its bit pattern reversed.
    public var byteSwappedScalar: Float { Float(bitPattern: bitPattern.byteSwapped) }
}
extension Double: LittleEndianScalar {
    /// The value with the bytes of its bit pattern reversed.
    public var byteSwappedScalar: Double { Double(bitPattern: bitPattern.byteSwapped) }
}
extension FixedWidthInteger where Self: LittleEndianScalar {
    /// The value with its bytes reversed.
    public var byteSwappedScalar: Self { byteSwapped }
}
extension Int16: LittleEndianScalar {}
extension Int32: LittleEndianScalar {}
extension Int64: LittleEndianScalar {}
extension UInt16: LittleEndianScalar {}
extension UInt32: LittleEndianScalar {}
extension UInt64: LittleEndianScalar {}

extension ByteReader {
    /// Appends `count` little-endian scalars to `values`: one bounds check and one copy.
    @inlinable
    public mutating func readScalars<T: LittleEndianScalar>(
        _ count: Int, appendingTo values: inout [T]
    ) throws(ByteError) {
        let size = MemoryLayout<T>.size
        let (byteCount, overflow) = count.multipliedReportingOverflow(by: size)
        if overflow { throw .truncated(offset: position, needed: .max, available: remaining) }
        try require(byteCount)
        let range = position..<(position &+ byteCount)
        let fresh = unsafe storage.withUnsafeBytes { raw in
            unsafe [T](unsafeUninitializedCapacity: count) { target, initialized in
                let source = unsafe UnsafeRawBufferPointer(rebasing: raw[range])
                unsafe UnsafeMutableRawBufferPointer(target).copyMemory(from: source)
                initialized = count
            }
        }
        position = range.upperBound
        if values.isEmpty { values = fresh } else { values.append(contentsOf: fresh) }
        #if _endian(big)
            for index in (values.count - count)..<values.count {
                values[index] = values[index].byteSwappedScalar
            }
        #endif
    }

    /// The next `count` bytes as text, or nil (without advancing) when they are not valid UTF-8.
    @inlinable
    public mutating func readUTF8(_ count: Int) throws(ByteError) -> String? {
        try require(count)
        let range = position..<(position &+ count)
        let text = unsafe storage.withUnsafeBufferPointer { buffer in
            unsafe String(validating: UnsafeBufferPointer(rebasing: buffer[range]), as: UTF8.self)
        }
        if text != nil { position = range.upperBound }
        return text
    }
}
