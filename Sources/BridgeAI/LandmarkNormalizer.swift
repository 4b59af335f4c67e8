/// One hand in the form that the letter model takes.
public struct CanonicalHand: Equatable, Sendable {
    /// `[21 x 3]`, row-major, wrist at 0, largest absolute coordinate 1, y down, x as a right hand in a mirror.
    public let vector: HandVector
    /// Whether x was flipped to get there.
    public let flipped: Bool
    /// Where the decision to flip came from.
    public let source: HandednessSource
    /// Whether the landmarks themselves suggest the way round that was used; false, kept up over many frames,
    /// points to a wrong declaration.
    public let agreesWithShape: Bool
    /// What this frame's shape alone says about the way round that was used: −1 (the other) … 1 (this).
    public let shapeVote: Float
    /// Length that `values` were divided by: the unit of the picture, true proportions.
    public let reach: Float
    /// Where the wrist is in the picture; y down, x the canonical way round.
    public let wrist: PlanePoint

    /// `vector`, copied to an array.
    public var values: [Float] { vector.values }
}

/// Where a frame's handedness came from, strongest first.
public enum HandednessSource: Equatable, Sendable {
    /// The frame said so.
    case frame
    /// The stream's declaration said so.
    case stream
    /// Nobody said; the bend of the fingers in the last frames decided.
    case shape
    /// Nobody said and the shape tells nothing: a right hand is assumed.
    case assumed
}

/// Declared geometry + frames → canonical landmarks.
///
/// The order matters and is that of training: y down; true proportions (x and z times width / height, as both
/// are in units of the width); flip x unless the hand stands the canonical way round; subtract the wrist; divide
/// by the largest absolute coordinate. One value a hand track: it remembers the shape evidence of past frames.
public struct LandmarkNormalizer: Equatable, Sendable {
    /// The declaration in force.
    public private(set) var geometry: HandGeometry
    private var shape = ChiralityEstimator()

    /// Starts a track under `geometry`.
    public init(_ geometry: HandGeometry) {
        self.geometry = geometry
    }

    /// Changes the declaration from the next frame on; what the shape said before no longer counts.
    public mutating func redeclare(_ geometry: HandGeometry) {
        self.geometry = geometry
        shape = ChiralityEstimator()
    }

    /// Forgets the hand, for when it left and another may come.
    public mutating func handLeft() {
        shape = ChiralityEstimator()
    }

    /// Normalises one frame. Bad frames leave the track as it was.
    ///
    /// - Parameters:
    ///   - points: 63 numbers, `[21 x 3]`, in the declared geometry.
    ///   - handedness: what the producer said about this frame; nil = nothing, which is not "left".
    /// - Throws: `valueCount`, `notFinite`, `outOfRange` or `noExtent`.
    public mutating func normalize(
        _ points: [Float], handedness: Handedness? = nil
    ) throws(BridgeAIError) -> CanonicalHand {
        try normalize(HandPose(points), handedness: handedness)
    }

    /// Normalises one checked pose; as above.
    public mutating func normalize(
        _ pose: HandPose, handedness: Handedness? = nil
    ) throws(BridgeAIError) -> CanonicalHand {
        var values = inPicture(pose)
        // Three at once: each comparison waits for the one before it.
        var (x, y, z): (Float, Float, Float) = (0, 0, 0)
        for point in 0..<HandPose.pointCount {
            x = max(x, abs(values[3 * point]))
            y = max(y, abs(values[3 * point + 1]))
            z = max(z, abs(values[3 * point + 2]))
        }
        let largest = max(x, y, z)
        guard largest >= BridgeAILimits.minExtent else {
            throw .noExtent(extent: "\(largest)", minimum: BridgeAILimits.minExtent)
        }
        let vote = shape.add(values, hasZ: geometry.hasZ)
        let (appearance, source) = decide(handedness)
        let flipped = appearance == .opposite
        let scale = 1 / largest
        for point in 0..<HandPose.pointCount {
            values[3 * point] *= flipped ? -scale : scale
            values[3 * point + 1] *= scale
            values[3 * point + 2] *= scale
        }
        return CanonicalHand(
            vector: values, flipped: flipped, source: source,
            agreesWithShape: (shape.appearance ?? appearance) == appearance,
            shapeVote: flipped ? -vote : vote, reach: largest,
            wrist: PlanePoint(
                x: pose.vector[0] * geometry.aspect * (flipped ? -1 : 1),
                y: pose.vector[1] * (geometry.yAxis == .up ? -1 : 1)))
    }

    /// Wrist at the origin, y down, all axes in one unit. Flipping x and subtracting commute exactly.
    private func inPicture(_ pose: HandPose) -> HandVector {
        let values = pose.vector
        let ySign: Float = geometry.yAxis == .up ? -1 : 1
        let zScale: Float = geometry.hasZ ? geometry.aspect : 0
        let wrist = (values[0], values[1], values[2])
        var picture = HandVector()
        for point in 0..<HandPose.pointCount {
            picture[3 * point] = (values[3 * point] - wrist.0) * geometry.aspect
            picture[3 * point + 1] = (values[3 * point + 1] - wrist.1) * ySign
            picture[3 * point + 2] = (values[3 * point + 2] - wrist.2) * zScale
        }
        return picture
    }

    private func decide(_ frame: Handedness?) -> (HandAppearance, HandednessSource) {
        if let frame { return (geometry.appearance(of: frame), .frame) }
        if let stream = geometry.handedness { return (geometry.appearance(of: stream), .stream) }
        if let seen = shape.appearance { return (seen, .shape) }
        return (geometry.mirrored ? .canonical : .opposite, .assumed)
    }
}
