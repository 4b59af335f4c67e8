import BridgeAI
import Testing

/// Wrong declarations of one and the same hand, and right ones.
@Suite struct GeometryWatchTests {
    /// What the watch says, and after how many microseconds, for a right hand in an unflipped picture.
    static func doubt(
        _ producer: HandProducer, mirrored: Bool = false, yAxis: YAxis = .down, sentYAxis: YAxis = .down,
        label: Handedness? = .right, flipped: Bool = false, hasZ: Bool = true, seconds: Int = 4
    ) throws -> (GeometryDoubt, UInt64)? {
        let geometry = try HandGeometry(producer: producer, mirrored: mirrored, yAxis: yAxis, hasZ: hasZ)
        var normalizer = LandmarkNormalizer(geometry)
        var tracker = HandMotionTracker()
        var watch = GeometryWatch()
        let frame = SampleHand.frame(
            hand: .right, mirrored: flipped, yAxis: sentYAxis, width: 0, height: 0, hasZ: hasZ)
        for index in 0..<seconds * 30 {
            let timeUs = UInt64(index) * 33_333
            // The fingers move, as they do between letters.
            var points = frame
            for point in [8, 12, 16] { points[3 * point + 1] += 0.1 * Float(index % 20) / 20 }
            let hand = try normalizer.normalize(points, handedness: label)
            let motion = tracker.follow(hand, timeUs: timeUs)
            if let doubt = watch.add(hand, motion, hasZ: hasZ, timeUs: timeUs) { return (doubt, timeUs) }
        }
        return nil
    }

    @Test(arguments: [true, false]) func aRightDeclarationIsNotDoubted(_ hasZ: Bool) throws {
        #expect(try Self.doubt(.raw, hasZ: hasZ) == nil)
        #expect(try Self.doubt(.raw, mirrored: true, flipped: true, hasZ: hasZ) == nil)
        #expect(try Self.doubt(.mediaPipe, label: .left, hasZ: hasZ) == nil)
        #expect(try Self.doubt(.mediaPipeTrue, label: .right, hasZ: hasZ) == nil)
        #expect(try Self.doubt(.raw, yAxis: .up, sentYAxis: .up, hasZ: hasZ) == nil)
        #expect(try Self.doubt(.raw, label: nil, hasZ: hasZ) == nil)
    }

    @Test(arguments: [true, false]) func aWrongOneIsNoticedWithinTwoSeconds(_ hasZ: Bool) throws {
        let wrong: [(GeometryDoubt, (GeometryDoubt, UInt64)?)] = [
            (.mirrored, try Self.doubt(.raw, mirrored: true, hasZ: hasZ)),
            (.mirrored, try Self.doubt(.raw, label: .left, hasZ: hasZ)),
            (.mirrored, try Self.doubt(.mediaPipe, label: .right, hasZ: hasZ)),
            (.mirrored, try Self.doubt(.mediaPipeTrue, label: .left, hasZ: hasZ)),
            (.upsideDown, try Self.doubt(.raw, sentYAxis: .up, hasZ: hasZ)),
            (.upsideDown, try Self.doubt(.raw, yAxis: .up, sentYAxis: .down, hasZ: hasZ)),
            (.upsideDown, try Self.doubt(.raw, sentYAxis: .up, label: nil, hasZ: hasZ)),
        ]
        for (expected, found) in wrong {
            let found = try #require(found)
            #expect(found.0 == expected)
            #expect(found.1 < 2_000_000)
        }
    }

    @Test func itIsSaidOnce() throws {
        var normalizer = LandmarkNormalizer(try HandGeometry(producer: .raw, mirrored: true))
        var tracker = HandMotionTracker()
        var watch = GeometryWatch()
        var doubts = 0
        for index in 0..<300 {
            let hand = try normalizer.normalize(SampleHand.points, handedness: .right)
            let motion = tracker.follow(hand, timeUs: UInt64(index) * 33_333)
            if watch.add(hand, motion, hasZ: true, timeUs: UInt64(index) * 33_333) != nil { doubts += 1 }
        }
        #expect(doubts == 1)
    }
}
