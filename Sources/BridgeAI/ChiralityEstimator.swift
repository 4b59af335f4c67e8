/// Tells from the landmarks alone which way round a hand stands in the picture.
///
/// Fingers and thumb bend towards the palm only. So the sign of (wrist→index knuckle × wrist→little-finger
/// knuckle) · (knuckles→fingertips, summed) fixes the chirality without looking at the picture. Without z the
/// palm is taken to face the camera, as it does for most letters, which is weaker evidence.
public struct ChiralityEstimator: Equatable, Sendable {
    /// What older frames keep of their weight with each new one: about the last 20 frames decide.
    private static let memory: Float = 0.95
    /// Weight of a frame without z against one with z.
    private static let flatWeight: Float = 0.3

    /// Positive: canonical. Magnitude grows with the evidence, to at most 1 / (1 − memory) = 20.
    public private(set) var evidence: Float = 0

    /// Starts without an opinion.
    public init() {}

    /// The way round that the evidence so far suggests; nil without any.
    public var appearance: HandAppearance? {
        evidence == 0 ? nil : evidence > 0 ? .canonical : .opposite
    }

    /// Adds one frame in picture coordinates: y down, true proportions, unflipped. Returns the frame's own evidence, −1…1.
    mutating func add(_ points: HandVector, hasZ: Bool) -> Float {
        let vote = Self.vote(points, hasZ: hasZ)
        evidence = evidence * Self.memory + vote
        // Without depth the magnitude is a matter of weight, not of doubt.
        return hasZ ? vote : vote / Self.flatWeight
    }

    /// −1…1; positive for the canonical way round.
    static func vote(_ points: HandVector, hasZ: Bool) -> Float {
        let normal = cross(between(0, 5, points), between(0, 17, points))
        guard hasZ else {
            let size = dot(between(0, 5, points), between(0, 5, points))
            return size > 0 ? flatWeight * clamp(normal.z / size * 4) : 0
        }
        var curl = between(5, 4, points)
        for knuckle in [5, 9, 13, 17] {
            let finger = between(knuckle, knuckle + 3, points)
            curl = (curl.x + finger.x, curl.y + finger.y, curl.z + finger.z)
        }
        let scale = (dot(normal, normal) * dot(curl, curl)).squareRoot()
        return scale > 0 ? clamp(-dot(normal, curl) / scale * 4) : 0
    }

    private typealias Vector = (x: Float, y: Float, z: Float)

    // Inlined: a vector handed over is a copy of 252 bytes.
    @inline(__always)
    private static func between(_ from: Int, _ to: Int, _ points: HandVector) -> Vector {
        (
            points[3 * to] - points[3 * from], points[3 * to + 1] - points[3 * from + 1],
            points[3 * to + 2] - points[3 * from + 2]
        )
    }

    private static func cross(_ a: Vector, _ b: Vector) -> Vector {
        (a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x)
    }

    private static func dot(_ a: Vector, _ b: Vector) -> Float { a.x * b.x + a.y * b.y + a.z * b.z }

    private static func clamp(_ value: Float) -> Float { min(1, max(-1, value)) }
}
