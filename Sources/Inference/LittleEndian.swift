// Unsafe: raw copies out of a byte array. Safe because each copy is of `range`, which the caller took from a cursor
// that keeps it inside the array, and the destination is allocated with the same byte count.

/// Numbers stored little-endian in a byte range. The range's length is a multiple of the element's size.
enum LittleEndian {
    static func floats(_ bytes: [UInt8], _ range: Range<Int>) -> [Float] {
        load(bytes, range, zero: UInt32(0)) { Float(bitPattern: UInt32(littleEndian: $0)) }
    }

    static func doubles(_ bytes: [UInt8], _ range: Range<Int>) -> [Float] {
        load(bytes, range, zero: UInt64(0)) { Float(Double(bitPattern: UInt64(littleEndian: $0))) }
    }

    static func int64s(_ bytes: [UInt8], _ range: Range<Int>) -> [Int64] {
        load(bytes, range, zero: Int64(0)) { Int64(littleEndian: $0) }
    }

    static func int32s(_ bytes: [UInt8], _ range: Range<Int>) -> [Int64] {
        load(bytes, range, zero: Int32(0)) { Int64(Int32(littleEndian: $0)) }
    }

    private static func load<Raw: BitwiseCopyable, Out>(
        _ bytes: [UInt8], _ range: Range<Int>, zero: Raw, _ convert: (Raw) -> Out
    ) -> [Out] {
        let size = MemoryLayout<Raw>.size
        let count = range.count / size
        return unsafe bytes.withUnsafeBytes { raw in
            unsafe [Out](unsafeUninitializedCapacity: count) { out, filled in
                for i in 0..<count {
                    let value = unsafe raw.loadUnaligned(
                        fromByteOffset: range.lowerBound + i * size, as: Raw.self)
                    unsafe (out.baseAddress.unsafelyUnwrapped + i).initialize(to: convert(value))
                }
                filled = count
            }
        }
    }
}
