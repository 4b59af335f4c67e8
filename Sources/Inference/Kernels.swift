// Unsafe: calls of CKernels that prepare weights. Safe because every pointer comes from an array or `PackedFloats`
// that outlives the call, with the count the kernel is documented to read or write.

import CKernels

/// What the C kernels offer here, and their weight packing.
enum Kernels {
    /// True when the packed kernels are compiled with optimisation and the CPU has AVX2 or better.
    static var prefersPackedProducts: Bool { sk_optimized() == 1 && sk_isa() > 0 }

    static var vectorWidth: Int { Int(sk_vector_width()) }

    static func stftScratch(length: Int) -> Int { Int(sk_stft_scratch(length)) }

    static func stftTwiddles(length: Int) -> PackedFloats {
        PackedFloats(count: Int(sk_stft_twiddle_count(length))) { span in
            unsafe span.withUnsafeMutableBufferPointer { unsafe sk_stft_twiddles(length, $0.baseAddress) }
        }
    }

    /// `matrices`: one [depth x columns] matrix per group.
    static func packed(_ matrices: [Float], groups: Int, depth: Int, columns: Int) -> PackedFloats {
        let each = Int(sk_packed_count(depth, columns))
        return PackedFloats(count: groups * each) { span in
            unsafe span.withUnsafeMutableBufferPointer { out in
                unsafe matrices.withUnsafeBufferPointer { from in
                    guard let out = out.baseAddress, let from = from.baseAddress else { return }
                    for g in 0..<groups {
                        unsafe sk_pack(from + g * depth * columns, columns, 1, depth, columns, out + g * each)
                    }
                }
            }
        }
    }

    /// `weights`: [columns, channels, 3, 3].
    static func winogradPacked(_ weights: [Float], m: Int, channels: Int, columns: Int) -> PackedFloats {
        var work = [Float](repeating: 0, count: channels * columns)
        return PackedFloats(count: Int(sk_winograd_packed_count(m, channels, columns))) { span in
            unsafe span.withUnsafeMutableBufferPointer { out in
                unsafe weights.withUnsafeBufferPointer { from in
                    unsafe work.withUnsafeMutableBufferPointer { work in
                        unsafe sk_winograd_pack(
                            m, from.baseAddress, channels, columns, work.baseAddress, out.baseAddress)
                    }
                }
            }
        }
    }
}
