/// The latest points of a stream, to tell what is new in the sound from what was there before.
///
/// The network's embedding is a mean over its window; the difference to some steps before holds what has come in since
/// (less what has gone out), whatever else goes on in the room. Bounded: `maxSteps` points.
public struct NoveltyTrail: Sendable {
    /// Longest lag: 5.12 s, as long as the network looks back.
    public static let maxSteps = 16

    private let lagSteps: Int
    private var points: [[Float]] = []

    /// A trail without a past.
    public init(lagSteps: Int) { self.lagSteps = max(1, min(lagSteps, Self.maxSteps)) }

    /// Takes the point of the next step; what is new in it. Nothing is, as long as there is no past.
    public mutating func follow(_ point: [Float]) -> [Float] {
        if let width = points.first?.count, width != point.count { points = [] }
        points.append(point)
        if points.count > lagSteps + 1 { points.removeFirst() }
        let before = points[0]
        return zip(point, before).map { $0 - $1 }
    }

    /// Before the next step there was nothing but silence, which lies at `point`.
    public mutating func begin(at point: [Float]) { points = [point] }

    /// Steps were left out: what comes next cannot be compared with what was before.
    public mutating func breakOff() { points = [] }
}

extension [Float] {
    /// Euclidean length.
    var magnitude: Float { reduce(0) { $0 + $1 * $1 }.squareRoot() }

    /// The same direction at length 1; nil for nothing.
    var unit: [Float]? {
        let length = magnitude
        return length > 1e-9 && length.isFinite ? map { $0 / length } : nil
    }

    /// Inner product.
    func dot(_ other: [Float]) -> Float { zip(self, other).reduce(0) { $0 + $1.0 * $1.1 } }
}
