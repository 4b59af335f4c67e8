// Memory kernel. Invariant: every pointer comes from a Span, an Array or an OutputSpan that outlives the call,
// and every access stays below the `count` that came with it; unaligned loads and stores are used throughout.

/// XOR with the 4-byte mask (RFC 6455 section 5.3), eight bytes at a time.
///
/// A key is held in wire order as a little-endian number: wire byte `i` is `key >> (8 * i) & 0xFF`.
public enum Masking {
    /// A masked copy of a part of `input`; masking twice with one key gives the original.
    ///
    /// - Parameters:
    ///   - input: the bytes; borrowed.
    ///   - start: index of the first byte to take.
    ///   - count: how many, within `input` (checked).
    ///   - key: see above; 0 copies.
    ///   - phase: offset of the first byte inside its frame payload.
    public static func masked(
        _ input: Span<UInt8>, from start: Int, count: Int, key: UInt32, phase: Int = 0
    ) -> [UInt8] {
        precondition(start >= 0 && count >= 0 && count <= input.count - start, "part outside of the input")
        if count > 4096 {
            var copy: [UInt8] = []
            append(input, from: start, count: count, key: key, phase: phase, to: &copy)
            return copy
        }
        // For small parts a plain copy, unmasked in place, is the cheapest way to an array.
        var copy = unsafe input.withUnsafeBufferPointer { source in
            unsafe [UInt8](UnsafeBufferPointer(rebasing: source[start..<(start + count)]))
        }
        unsafe copy.withUnsafeMutableBytes { bytes in
            guard let base = bytes.baseAddress, key != 0 else { return }
            unsafe self.copy(
                from: UnsafeRawPointer(base), to: base, count: count, key: rotated(key, by: phase))
        }
        return copy
    }

    /// Appends a masked copy of a part of `input`; parameters as in `masked`.
    public static func append(
        _ input: Span<UInt8>, from start: Int, count: Int, key: UInt32, phase: Int = 0,
        to output: inout [UInt8]
    ) {
        precondition(start >= 0 && count >= 0 && count <= input.count - start, "part outside of the input")
        output.append(addingCapacity: count) { target in
            unsafe target.withUnsafeMutableBufferPointer { buffer, initialized in
                unsafe input.withUnsafeBytes { source in
                    guard let from = source.baseAddress, let to = buffer.baseAddress else { return }
                    unsafe copy(
                        from: from + start, to: UnsafeMutableRawPointer(to + initialized), count: count,
                        key: rotated(key, by: phase))
                }
                initialized += count
            }
        }
    }

    /// The key as it applies from payload offset `phase` on.
    static func rotated(_ key: UInt32, by phase: Int) -> UInt32 {
        let bits = UInt32(truncatingIfNeeded: phase & 3) &* 8
        return key &>> bits | key &<< ((32 &- bits) & 31)
    }

    /// Copies `count` bytes, XORed with `key`. The two regions are valid for `count` bytes, and are the same or
    /// do not overlap.
    @inline(__always)
    static func copy(
        from source: UnsafeRawPointer, to target: UnsafeMutableRawPointer, count: Int, key: UInt32
    ) {
        guard key != 0 else {
            unsafe target.copyMemory(from: source, byteCount: count)
            return
        }
        let word = (UInt64(key) << 32 | UInt64(key)).littleEndian
        var offset = 0
        while offset &+ 8 <= count {
            let value = unsafe source.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            unsafe target.storeBytes(of: value ^ word, toByteOffset: offset, as: UInt64.self)
            offset &+= 8
        }
        while offset < count {
            let mask = UInt8(truncatingIfNeeded: key &>> (UInt32(truncatingIfNeeded: offset & 3) &* 8))
            let value = unsafe source.load(fromByteOffset: offset, as: UInt8.self)
            unsafe target.storeBytes(of: value ^ mask, toByteOffset: offset, as: UInt8.self)
            offset &+= 1
        }
    }
}
