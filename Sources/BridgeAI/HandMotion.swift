import Numerics

/// How a hand moves at one frame, in units that depend neither on the camera nor on the size of the hand.
public struct HandMotion: Equatable, Sendable {
    /// Wrist in the picture, in palm lengths from where the hand was first seen; y down, x the canonical way round. Where
    /// the producer sends points relative to the wrist, it stays at 0.
    public var wrist: PlanePoint
    /// Index fingertip, as `wrist`.
    public var indexTip: PlanePoint
    /// Little fingertip, as `wrist`.
    public var littleTip: PlanePoint
    /// Root mean square change of the canonical landmarks, a second.
    public var shapeSpeed: Float
    /// Speed of the wrist, palm lengths a second.
    public var travelSpeed: Float
    /// Speed of growing or shrinking in the picture, as the natural logarithm of the palm's length a second.
    public var approachSpeed: Float

    /// What moved since the last frame alone: shape (root mean square) and wrist (palm lengths).
    public var shapeStep: Float
    /// As `shapeStep`.
    public var travelStep: Float

    /// A hand that keeps still at the origin.
    public init(
        wrist: PlanePoint = PlanePoint(), indexTip: PlanePoint = PlanePoint(),
        littleTip: PlanePoint = PlanePoint(), shapeSpeed: Float = 0, travelSpeed: Float = 0,
        approachSpeed: Float = 0, shapeStep: Float = 0, travelStep: Float = 0
    ) {
        self.wrist = wrist
        self.indexTip = indexTip
        self.littleTip = littleTip
        self.shapeSpeed = shapeSpeed
        self.travelSpeed = travelSpeed
        self.approachSpeed = approachSpeed
        self.shapeStep = shapeStep
        self.travelStep = travelStep
    }
}

/// A point of the picture.
public struct PlanePoint: Equatable, Sendable {
    /// To the right.
    public var x: Float = 0
    /// Down.
    public var y: Float = 0

    /// A point.
    public init(x: Float = 0, y: Float = 0) {
        self.x = x
        self.y = y
    }

    static func - (left: PlanePoint, right: PlanePoint) -> PlanePoint {
        PlanePoint(x: left.x - right.x, y: left.y - right.y)
    }

    var length: Float { (x * x + y * y).squareRoot() }
}

/// Follows one hand from frame to frame.
///
/// Speeds are measured against a trailing mean of the hand, which weighs the last `memoryUs`: so the jitter of a detector
/// counts little at 60 frames a second, and at 15 it is nearly the difference of two frames. About 560 bytes.
public struct HandMotionTracker: Equatable, Sendable {
    /// Time constant of the trailing mean. Longer hides the short holds of a quick speller, shorter lets jitter pass.
    static let memoryUs: Float = 40_000
    /// Time constant of the palm's length as unit: people do not grow, but palms turn away from the camera.
    static let palmMemoryUs: Float = 500_000
    /// Shape speed of a hand that has just appeared: it is on its way, which one frame cannot show.
    static let arrivalSpeed: Float = 3
    /// After a longer silence the hand is a new one.
    static let staleUs: UInt64 = 400_000

    private var trailing = InlineArray<63, Float>(repeating: 0)
    private var previous = InlineArray<63, Float>(repeating: 0)
    private var trailingWrist = PlanePoint()
    private var previousWrist = PlanePoint()
    private var trailingPalm: Float = 0
    private var palm: Float = 0
    /// Where the wrist was at first: places are told from there, so that a changing unit moves them little.
    private var origin = PlanePoint()
    private var lastUs: UInt64?

    /// Starts without a hand.
    public init() {}

    /// Forgets the hand, for when it left or another took its place.
    public mutating func handLeft() { lastUs = nil }

    /// Takes the next frame of the hand, at `timeUs` of the device's clock.
    public mutating func follow(_ hand: CanonicalHand, timeUs: UInt64) -> HandMotion {
        let length = Self.palmLength(hand) * hand.reach
        guard let last = lastUs, timeUs >= last, timeUs - last < Self.staleUs, palm > 0 else {
            lastUs = timeUs
            palm = max(length, BridgeAILimits.minExtent)
            trailingPalm = palm
            trailingWrist = hand.wrist
            origin = hand.wrist
            for index in 0..<HandPose.valueCount { trailing[index] = hand.vector[index] }
            previous = trailing
            previousWrist = hand.wrist
            return motion(hand, shape: Self.arrivalSpeed)
        }
        let stepUs = Float(timeUs - last)
        lastUs = timeUs
        guard stepUs > 0 else { return motion(hand, shape: 0) }
        let weight = 1 - Float(Elementary.exp(Double(-stepUs / Self.memoryUs)))
        let perSecond = weight * 1_000_000 / stepUs
        // The unit follows the longest palm quickly and forgets it slowly: a palm looks short, never long, when it turns.
        let palmWeight = (length > palm ? 4 : 1) * stepUs / Self.palmMemoryUs
        palm += (length - palm) * min(1, palmWeight)
        palm = max(palm, BridgeAILimits.minExtent)
        // One sum an axis: each addition waits for the one before it.
        var sums = InlineArray<3, Float>(repeating: 0)
        var stepSums = InlineArray<3, Float>(repeating: 0)
        for point in 0..<HandPose.pointCount {
            for axis in 0..<3 {
                let index = 3 * point + axis
                let value = hand.vector[index]
                let difference = value - trailing[index]
                sums[axis] += difference * difference
                trailing[index] += weight * difference
                let step = value - previous[index]
                stepSums[axis] += step * step
                previous[index] = value
            }
        }
        let squares = sums[0] + sums[1] + sums[2]
        let stepSquares = stepSums[0] + stepSums[1] + stepSums[2]
        let travelStep = (hand.wrist - previousWrist).length / palm
        previousWrist = hand.wrist
        let step = hand.wrist - trailingWrist
        trailingWrist.x += weight * step.x
        trailingWrist.y += weight * step.y
        let growth = (length - trailingPalm) / max(trailingPalm, BridgeAILimits.minExtent)
        trailingPalm += weight * (length - trailingPalm)
        var moved = motion(hand, shape: (squares / Float(HandPose.pointCount)).squareRoot() * perSecond)
        moved.travelSpeed = step.length / palm * perSecond
        moved.approachSpeed = abs(growth) * perSecond
        moved.shapeStep = (stepSquares / Float(HandPose.pointCount)).squareRoot()
        moved.travelStep = travelStep
        return moved
    }

    private func motion(_ hand: CanonicalHand, shape: Float) -> HandMotion {
        func place(_ point: Int) -> PlanePoint {
            PlanePoint(
                x: (hand.wrist.x - origin.x + hand.vector[3 * point] * hand.reach) / palm,
                y: (hand.wrist.y - origin.y + hand.vector[3 * point + 1] * hand.reach) / palm)
        }
        return HandMotion(
            wrist: place(0), indexTip: place(8), littleTip: place(20), shapeSpeed: shape)
    }

    /// The longest of wrist to index, middle and little finger's knuckle, in the unit of the canonical form.
    private static func palmLength(_ hand: CanonicalHand) -> Float {
        var longest: Float = 0
        for knuckle in [5, 9, 17] {
            let (x, y, z) = (
                hand.vector[3 * knuckle], hand.vector[3 * knuckle + 1], hand.vector[3 * knuckle + 2]
            )
            longest = max(longest, x * x + y * y + z * z)
        }
        return longest.squareRoot()
    }
}

extension HandMotionTracker {
    /// Same state, for tests and for copies that must be compared.
    public static func == (left: HandMotionTracker, right: HandMotionTracker) -> Bool {
        for index in 0..<HandPose.valueCount where left.trailing[index] != right.trailing[index] {
            return false
        }
        return left.trailingWrist == right.trailingWrist && left.trailingPalm == right.trailingPalm
            && left.palm == right.palm && left.lastUs == right.lastUs
    }
}
