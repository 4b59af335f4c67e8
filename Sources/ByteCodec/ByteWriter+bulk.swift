// Memory kernel: appends runs of fixed-width scalars.
// Invariant: the raw view covers exactly the array it was taken from and does not outlive the closure.

extension ByteWriter {
    /// Appends `values` as little-endian scalars in one copy.
    @inlinable
    public mutating func append<T: LittleEndianScalar>(scalars values: [T]) {
        #if _endian(big)
            let values = values.map(\.byteSwappedScalar)
        #endif
        unsafe values.withUnsafeBytes { raw in
            unsafe bytes.append(contentsOf: raw)
        }
    }
}
