import BridgeAI
import Testing

@Suite struct HandMotionTests {
    /// Speeds of a hand that goes right by `speed` palm lengths a second, after half a second.
    static func speeds(framesPerSecond: UInt64, scale: Float, speed: Float) throws -> HandMotion {
        var normalizer = LandmarkNormalizer(try HandGeometry(producer: .raw, mirrored: true))
        var tracker = HandMotionTracker()
        // From the wrist to the index knuckle, the longest of the three.
        let palm = ((0.06 * 0.06 + 0.25 * 0.25 + 0.022 * 0.022) as Float).squareRoot() * scale
        var motion = HandMotion()
        for index in 0..<framesPerSecond / 2 {
            let timeUs = index * 1_000_000 / framesPerSecond
            var points = SampleHand.points.map { $0 * scale }
            for point in 0..<21 { points[3 * point] += speed * palm * Float(timeUs) / 1_000_000 }
            motion = tracker.follow(try normalizer.normalize(points, handedness: .right), timeUs: timeUs)
        }
        return motion
    }

    @Test(arguments: [15, 30, 60, 120] as [UInt64]) func speedDependsOnNeitherRateNorSize(_ rate: UInt64)
        throws
    {
        for scale: Float in [0.3, 1, 640] {
            let motion = try Self.speeds(framesPerSecond: rate, scale: scale, speed: 2)
            #expect(abs(motion.travelSpeed - 2) < 0.2)
            #expect(motion.shapeSpeed < 0.05)
            #expect(motion.approachSpeed < 0.05)
        }
    }

    @Test func aNewHandIsOnItsWay() throws {
        var normalizer = LandmarkNormalizer(try HandGeometry(producer: .raw, mirrored: true))
        var tracker = HandMotionTracker()
        let hand = try normalizer.normalize(SampleHand.points, handedness: .right)
        let first = tracker.follow(hand, timeUs: 1_000_000)
        #expect(first.shapeSpeed > 1)
        let second = tracker.follow(hand, timeUs: 1_033_000)
        #expect(second.shapeSpeed == 0)
        // A clock that stands, steps back or leaps starts anew and never traps.
        for timeUs: UInt64 in [1_033_000, 0, .max, 5] {
            let motion = tracker.follow(hand, timeUs: timeUs)
            #expect(motion.shapeSpeed.isFinite && motion.travelSpeed == 0)
        }
    }
}
