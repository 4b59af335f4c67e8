/// What is wrong with a hand frame, a hand declaration or a score vector.
///
/// Every case carries what a client needs to mend its stream. Values are kept as text, so that two errors
/// about NaN compare equal and nothing is lost to rounding.
public enum BridgeAIError: Error, Equatable, Sendable {
    /// A frame has `got` numbers; it must have `expected` (21 points of x, y, z).
    case valueCount(got: Int, expected: Int)
    /// Coordinate `axis` of landmark `point` (0…20) is NaN or infinite.
    case notFinite(point: Int, axis: Axis, value: String)
    /// Coordinate `axis` of landmark `point` lies outside −`limit`…`limit`.
    case outOfRange(point: Int, axis: Axis, value: String, limit: Float)
    /// All points coincide (`extent` is the largest distance from the wrist along one axis), so there is no hand.
    case noExtent(extent: String, minimum: Float)
    /// A declared image side lies outside 1…`limit`, or only one of the two sides is given.
    case imageSize(width: UInt32, height: UInt32, limit: UInt32)
    /// The model gave `got` scores instead of `expected`.
    case scoreCount(got: Int, expected: Int)
    /// Score `index` is not a finite number, or is a probability outside 0…1.
    case badScore(index: Int, value: String)

    /// One of the three coordinates of a landmark.
    public enum Axis: String, Equatable, Sendable, CaseIterable {
        /// To the right in the picture.
        case x
        /// Up or down in the picture, as declared.
        case y
        /// Depth relative to the wrist.
        case z
    }

    /// The field at fault, as the wire names it.
    public var field: String {
        switch self {
        case .valueCount, .noExtent: "points"
        case .notFinite(let point, let axis, _), .outOfRange(let point, let axis, _, _):
            "points[\(point)].\(axis.rawValue)"
        case .imageSize: "image_width, image_height"
        case .scoreCount: "scores"
        case .badScore(let index, _): "scores[\(index)]"
        }
    }
}

extension BridgeAIError: CustomStringConvertible {
    /// One sentence that names the field and the accepted range.
    public var description: String {
        switch self {
        case .valueCount(let got, let expected):
            "points: got \(got) numbers, expected \(expected) (21 landmarks of x, y, z)"
        case .notFinite(_, _, let value):
            "\(field): got \(value), expected a finite number"
        case .outOfRange(_, _, let value, let limit):
            "\(field): got \(value), accepted range is -\(limit) to \(limit)"
        case .noExtent(let extent, let minimum):
            "points: all 21 landmarks lie within \(extent) of the wrist, expected at least \(minimum)"
        case .imageSize(let width, let height, let limit):
            "image_width, image_height: got \(width) x \(height), accepted are both 0 (unknown) or both 1 to \(limit)"
        case .scoreCount(let got, let expected):
            "scores: got \(got), expected \(expected)"
        case .badScore(_, let value):
            "\(field): got \(value), expected a finite logit or a probability of 0 to 1"
        }
    }
}
