import Numerics

/// What seems wrong with a stream's declaration.
public enum GeometryDoubt: Equatable, Sendable {
    /// Hands stand the other way round than declared: the picture is flipped, or left and right are exchanged.
    case mirrored
    /// The hands are upside down, and the other way round with it: y grows in the other direction.
    case upsideDown
}

/// Notices a wrong declaration from the hands themselves, within two seconds.
///
/// Fingers bend towards the palm only, so a hand with depth tells in nearly every frame which way round it is (99 % of
/// frames of the recordings; `ChiralityEstimator`). A y axis that points the other way flips a hand as well, and turns it
/// upside down, which a mirror does not. Without depth the palm is taken to face the camera, which letters seen from
/// the back belie: there more time and more than one shape are asked for.
public struct GeometryWatch: Equatable, Sendable {
    /// Time constant of the evidence.
    static let memoryUs: Float = 700_000
    /// Seen for so long before anything is said; without depth the second.
    static let patienceUs: (deep: Float, flat: Float) = (700_000, 1_600_000)
    /// Mean vote against the declaration that is believed.
    static let disbelief: Float = 0.5
    /// Mean height of knuckles and fingertips above the wrist, as a share of the hand, below which it is upside down.
    static let upsideDown: Float = -0.15
    /// Path of the shape that is more than one letter held.
    static let shapePath: Float = 0.3

    private var vote: Float = 0
    private var height: Float = 0
    private var seenUs: Float = 0
    private var path: Float = 0
    private var lastUs: UInt64?
    private var isSaid = false

    /// Starts without an opinion.
    public init() {}

    /// Starts anew, under another declaration.
    public mutating func reset() { self = GeometryWatch() }

    /// Takes a frame; a doubt at most once for each declaration.
    public mutating func add(
        _ hand: CanonicalHand, _ motion: HandMotion, hasZ: Bool, timeUs: UInt64
    ) -> GeometryDoubt? {
        defer { lastUs = timeUs }
        guard let lastUs, timeUs > lastUs, timeUs - lastUs < 400_000 else { return nil }
        let stepUs = Float(timeUs - lastUs)
        let weight = 1 - Float(Elementary.exp(Double(-stepUs / Self.memoryUs)))
        vote += weight * (hand.shapeVote - vote)
        height += weight * (Self.height(hand) - height)
        seenUs += stepUs
        path += motion.shapeSpeed * stepUs / 1_000_000
        guard !isSaid, seenUs >= (hasZ ? Self.patienceUs.deep : Self.patienceUs.flat),
            hasZ || path >= Self.shapePath
        else { return nil }
        // Where nobody says which hand it is, the shape decides and only the y axis can be wrong.
        let isDeclared = hand.source == .frame || hand.source == .stream
        if isDeclared, vote < -Self.disbelief {
            isSaid = true
            return height < Self.upsideDown ? .upsideDown : .mirrored
        }
        if !isDeclared, height < 3 * Self.upsideDown, seenUs >= Self.patienceUs.flat, path >= Self.shapePath {
            isSaid = true
            return .upsideDown
        }
        return nil
    }

    /// Mean height of knuckles and tips of the four fingers above the wrist; −1…1.
    private static func height(_ hand: CanonicalHand) -> Float {
        var sum: Float = 0
        for point in [5, 8, 9, 12, 13, 16, 17, 20] { sum -= hand.vector[3 * point + 1] }
        return sum / 8
    }

    /// Same state, for tests and for copies that must be compared.
    public static func == (left: GeometryWatch, right: GeometryWatch) -> Bool {
        left.vote == right.vote && left.height == right.height && left.seenUs == right.seenUs
            && left.path == right.path && left.lastUs == right.lastUs && left.isSaid == right.isSaid
    }
}
