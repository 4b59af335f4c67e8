// Memory kernel. Invariant: every pointer is used only inside the closure that lends it, and the precondition
// at the top of each function proves that all indices touched lie inside the spans.

/// The few inner loops over floats that are worth vector loads.
public enum FloatKernels {
    /// Σ a[aStart + i] · b[bStart + i] for i in 0 ..< count.
    ///
    /// The order of the additions depends on `count` alone, so equal inputs give bit-equal results.
    /// Traps if a range leaves its span.
    public static func dot(
        _ a: Span<Float>, at aStart: Int, _ b: Span<Float>, at bStart: Int, count: Int
    ) -> Float {
        precondition(
            aStart >= 0 && bStart >= 0 && count >= 0 && aStart <= a.count - count
                && bStart <= b.count - count, "dot product leaves its operands")
        return unsafe a.withUnsafeBufferPointer { aBuffer in
            unsafe b.withUnsafeBufferPointer { bBuffer in
                guard let aBase = aBuffer.baseAddress, let bBase = bBuffer.baseAddress else { return 0 }
                return unsafe dot(aBase + aStart, bBase + bStart, count)
            }
        }
    }

    private static func dot(_ a: UnsafePointer<Float>, _ b: UnsafePointer<Float>, _ count: Int) -> Float {
        let aRaw = unsafe UnsafeRawPointer(a)
        let bRaw = unsafe UnsafeRawPointer(b)
        var sum0 = SIMD8<Float>.zero
        var sum1 = SIMD8<Float>.zero
        let wide = count & ~15
        var i = 0
        while i < wide {
            let offset = i &* 4
            unsafe sum0 +=
                aRaw.loadUnaligned(fromByteOffset: offset, as: SIMD8<Float>.self)
                * bRaw.loadUnaligned(fromByteOffset: offset, as: SIMD8<Float>.self)
            unsafe sum1 +=
                aRaw.loadUnaligned(fromByteOffset: offset &+ 32, as: SIMD8<Float>.self)
                * bRaw.loadUnaligned(fromByteOffset: offset &+ 32, as: SIMD8<Float>.self)
            i &+= 16
        }
        var sum = (sum0 + sum1).sum()
        while i < count {
            unsafe sum += a[i] * b[i]
            i &+= 1
        }
        return sum
    }

    /// Eight floats from `index` on. Traps if they leave the span.
    @inline(__always)
    static func eight(_ samples: Span<Float>, at index: Int) -> SIMD8<Float> {
        precondition(index >= 0 && index <= samples.count - 8, "eight floats leave their span")
        return unsafe samples.withUnsafeBytes { bytes in
            unsafe bytes.loadUnaligned(fromByteOffset: index &* 4, as: SIMD8<Float>.self)
        }
    }

    /// Little-endian signed 16-bit samples as floats of full scale ±1; a last odd byte is left out.
    public static func floats(fromS16LE bytes: Span<UInt8>) -> [Float] {
        let count = bytes.count / 2
        let isLittleEndian = 1.littleEndian == 1
        let scale = SIMD8<Float>(repeating: 1 / 32_768)
        return unsafe [Float](unsafeUninitializedCapacity: count) { buffer, initialized in
            unsafe bytes.withUnsafeBytes { source in
                var index = 0
                while isLittleEndian, index <= count - 8 {
                    let raw = unsafe source.loadUnaligned(fromByteOffset: index &* 2, as: SIMD8<Int16>.self)
                    let values = SIMD8<Float>(raw) * scale
                    for lane in 0..<8 { unsafe buffer.initializeElement(at: index &+ lane, to: values[lane]) }
                    index &+= 8
                }
                while index < count {
                    let raw = unsafe source.loadUnaligned(fromByteOffset: index &* 2, as: Int16.self)
                    unsafe buffer.initializeElement(
                        at: index, to: Float(Int16(littleEndian: raw)) * (1 / 32_768))
                    index &+= 1
                }
                initialized = count
            }
        }
    }
}
