/// 21 hand landmarks of x, y, z as a producer sent them: checked, not yet normalised.
///
/// Order of the points is MediaPipe's: wrist, then thumb, index, middle, ring and little finger, four each,
/// from the palm to the tip. `values` is `[21 x 3]`, row-major.
public struct HandPose: Equatable, Sendable {
    /// Landmarks in a pose.
    public static let pointCount = 21
    /// Numbers in a pose.
    public static let valueCount = 63

    /// Always 63 finite numbers within ±`BridgeAILimits.maxCoordinate`.
    public let vector: HandVector

    /// A copy as an array.
    public var values: [Float] { vector.values }

    /// Checks `values` and keeps a copy.
    ///
    /// - Throws: `valueCount`, `notFinite` or `outOfRange`, naming the first bad point.
    public init(_ values: [Float]) throws(BridgeAIError) { try self.init(values.span) }

    /// Checks `values` and keeps a copy; as above.
    public init(_ values: Span<Float>) throws(BridgeAIError) {
        guard let vector = HandVector(values) else {
            throw .valueCount(got: values.count, expected: Self.valueCount)
        }
        try self.init(vector)
    }

    /// Checks 63 numbers.
    ///
    /// - Throws: `notFinite` or `outOfRange`.
    public init(_ vector: HandVector) throws(BridgeAIError) {
        // Without a way out of the loop the numbers are looked at sixteen at a time.
        var outside: UInt32 = 0
        for index in 0..<Self.valueCount {
            outside |= abs(vector[index]) <= BridgeAILimits.maxCoordinate ? 0 : 1
        }
        if outside != 0,
            let index = (0..<Self.valueCount).first(where: {
                !(abs(vector[$0]) <= BridgeAILimits.maxCoordinate)
            })
        {
            throw Self.fault(index: index, value: vector[index])
        }
        self.vector = vector
    }

    private static func fault(index: Int, value: Float) -> BridgeAIError {
        let axis: BridgeAIError.Axis =
            switch index % 3 {
            case 0: .x
            case 1: .y
            default: .z
            }
        if value.isFinite {
            return .outOfRange(
                point: index / 3, axis: axis, value: "\(value)", limit: BridgeAILimits.maxCoordinate)
        }
        return .notFinite(point: index / 3, axis: axis, value: "\(value)")
    }
}
