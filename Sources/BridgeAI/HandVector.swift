/// The 63 numbers of one hand, `[21 x 3]` row-major, held in place: copying one takes no memory from the heap.
public struct HandVector: Equatable, Sendable {
    /// x0, y0, z0 … x20, y20, z20.
    public var numbers: InlineArray<63, Float>

    /// All zero.
    public init() { numbers = InlineArray(repeating: 0) }

    /// Copies `values`; nil unless there are 63.
    public init?(_ values: Span<Float>) {
        guard values.count == HandPose.valueCount else { return nil }
        numbers = InlineArray { index in values[index] }
    }

    /// A copy as an array.
    public var values: [Float] { (0..<HandPose.valueCount).map { numbers[$0] } }

    /// Writes all 63 to the front of `target`, as many as fit.
    @inlinable
    public func copy(to target: inout MutableSpan<Float>) {
        for index in 0..<min(63, target.count) { target[index] = numbers[index] }
    }

    /// Number `index`, 0…62.
    @inlinable
    public subscript(index: Int) -> Float {
        get { numbers[index] }
        set { numbers[index] = newValue }
    }

    /// Equal number by number; a NaN equals nothing.
    public static func == (left: HandVector, right: HandVector) -> Bool {
        for index in 0..<HandPose.valueCount where left.numbers[index] != right.numbers[index] {
            return false
        }
        return true
    }
}
