// Unsafe: owns one allocation. Safe because the memory is filled by `initialize` before the initialiser returns, is
// never written afterwards, and is freed only in `deinit`; readers hold a reference to this object while they read.

/// Immutable floats on a 64-byte boundary (one cache line, one AVX-512 vector).
///
/// `@unchecked Sendable`: nothing writes after `init`.
@safe final class PackedFloats: @unchecked Sendable {
    let count: Int
    private let memory: UnsafeMutableRawPointer

    /// Allocates `count` floats set to zero and lets `fill` write them.
    init(count: Int, fill: (inout MutableSpan<Float>) -> Void) {
        self.count = count
        unsafe memory = .allocate(byteCount: max(count, 1) * 4, alignment: 64)
        let floats = unsafe memory.bindMemory(to: Float.self, capacity: max(count, 1))
        unsafe floats.initialize(repeating: 0, count: max(count, 1))
        var span = unsafe MutableSpan(_unsafeStart: floats, count: count)
        fill(&span)
    }

    convenience init(_ values: [Float]) {
        self.init(count: values.count) { span in
            for i in 0..<values.count { span[i] = values[i] }
        }
    }

    deinit { unsafe memory.deallocate() }

    /// Valid while this object lives.
    @unsafe var pointer: UnsafePointer<Float> {
        unsafe UnsafePointer(memory.assumingMemoryBound(to: Float.self))
    }
}
