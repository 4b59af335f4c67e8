import Numerics

/// The path that a fingertip draws for a letter, without its place, size and small turn.
///
/// Paths are compared as in "Protractor: a fast and accurate gesture recognizer" (Li, CHI 2010): 24 points equally far apart
/// along the path, centred, scaled to length 1; the likeness is the cosine between two such vectors after the best
/// turn, here at most `maxTurn`.
struct StrokeShape: Equatable, Sendable {
    /// Points of a resampled path.
    static let pointCount = 24
    /// Largest turn against the template, radians (25°): a tilted camera or wrist.
    static let maxTurn: Float = 0.44

    /// Unit vector of x0, y0, x1, y1 …
    private let vector: InlineArray<48, Float>

    /// Resamples a path; nil when it has fewer than two points or no length.
    init?(_ path: [PlanePoint]) {
        guard path.count > 1, path.count <= 256 else { return nil }
        var total: Float = 0
        for index in 1..<path.count { total += (path[index] - path[index - 1]).length }
        guard total > 1e-4, total.isFinite else { return nil }
        let spacing = total / Float(Self.pointCount - 1)
        var values = InlineArray<48, Float>(repeating: 0)
        var (segment, passed) = (1, Float(0))
        var (sumX, sumY): (Float, Float) = (0, 0)
        for point in 0..<Self.pointCount {
            let target = spacing * Float(point)
            var length = (path[segment] - path[segment - 1]).length
            while segment < path.count - 1, passed + length < target {
                passed += length
                segment += 1
                length = (path[segment] - path[segment - 1]).length
            }
            let share = length > 0 ? min(1, max(0, (target - passed) / length)) : 0
            let step = path[segment] - path[segment - 1]
            values[2 * point] = path[segment - 1].x + share * step.x
            values[2 * point + 1] = path[segment - 1].y + share * step.y
            sumX += values[2 * point]
            sumY += values[2 * point + 1]
        }
        var squares: Float = 0
        for point in 0..<Self.pointCount {
            values[2 * point] -= sumX / Float(Self.pointCount)
            values[2 * point + 1] -= sumY / Float(Self.pointCount)
            squares += values[2 * point] * values[2 * point] + values[2 * point + 1] * values[2 * point + 1]
        }
        let scale = 1 / squares.squareRoot()
        guard scale.isFinite else { return nil }
        for index in 0..<2 * Self.pointCount { values[index] *= scale }
        vector = values
    }

    /// −1…1: cosine between the two after the best turn within ±`maxTurn`.
    func likeness(to other: StrokeShape) -> Float {
        var (along, across): (Float, Float) = (0, 0)
        for point in 0..<Self.pointCount {
            let (x, y) = (vector[2 * point], vector[2 * point + 1])
            let (otherX, otherY) = (other.vector[2 * point], other.vector[2 * point + 1])
            along += x * otherX + y * otherY
            across += x * otherY - y * otherX
        }
        let turn = Float(Elementary.atan2(Double(across), Double(along)))
        let allowed = min(Self.maxTurn, max(-Self.maxTurn, turn))
        return along * Float(Elementary.cos(Double(allowed))) + across
            * Float(Elementary.sin(Double(allowed)))
    }

    /// Same path, for tests and for copies that must be compared.
    static func == (left: StrokeShape, right: StrokeShape) -> Bool {
        for index in 0..<2 * pointCount where left.vector[index] != right.vector[index] { return false }
        return true
    }
}

extension StrokeShape {
    private static func shape(_ corners: [(Float, Float)]) -> [StrokeShape] {
        [StrokeShape(corners.map { PlanePoint(x: $0.0, y: $0.1) })].compactMap { $0 }
    }

    /// J as the little fingertip of a right hand draws it, seen in a mirror: down, then a hook towards the thumb's side of the
    /// body; drawn by the arm, by the turning wrist (an arc), with a short or a long hook, and swinging out before the hook (the
    /// one real J among the recordings).
    static let lettersJ: [StrokeShape] =
        shape([(0, 0), (0, 0.5), (0, 1), (-0.08, 1.22), (-0.3, 1.32), (-0.55, 1.22), (-0.65, 1)])
        + shape([(0, 0), (0.05, 0.5), (0, 0.9), (-0.15, 1.1), (-0.4, 1.15)])
        + shape([(0, 0), (0.02, 0.4), (-0.08, 0.75), (-0.35, 0.98), (-0.75, 0.95), (-0.95, 0.65)])
        + shape([(0, 0), (0.3, 0.5), (0.7, 1.05), (0.75, 1.4), (0.4, 1.5), (0.05, 1.15)])

    /// Z as the index fingertip draws it, seen in a mirror: right, down to the left, right.
    static let lettersZ: [StrokeShape] =
        shape([(0, 0), (1, 0), (0, 1), (1, 1)]) + shape([(0, 0), (1, 0), (0.05, 0.55), (1.05, 0.6)])
        + shape([(0, 0), (0.8, 0), (0, 1.2), (0.9, 1.25)])
}
