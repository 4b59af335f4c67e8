import BridgeAI
import TestSupport
import Testing

@Suite struct LandmarkNormalizerTests {
    struct Declaration: Sendable, CustomTestStringConvertible {
        let producer: HandProducer
        let hand: Handedness
        let mirrored: Bool
        let yAxis: YAxis
        let size: (width: UInt32, height: UInt32)

        var testDescription: String {
            "\(producer) \(hand) mirrored \(mirrored) y \(yAxis) \(size.width)x\(size.height)"
        }

        static let all: [Declaration] = {
            var all: [Declaration] = []
            for producer in HandProducer.allCases {
                for hand in Handedness.allCases {
                    for mirrored in [false, true] {
                        for yAxis in YAxis.allCases {
                            for size in [(0, 0), (640, 480), (1_080, 1_920)] as [(UInt32, UInt32)] {
                                all.append(
                                    Declaration(
                                        producer: producer, hand: hand, mirrored: mirrored, yAxis: yAxis,
                                        size: size))
                            }
                        }
                    }
                }
            }
            return all
        }()

        func geometry(hasZ: Bool, handedness: Handedness? = nil) throws -> HandGeometry {
            try HandGeometry(
                producer: producer, mirrored: mirrored, yAxis: yAxis, imageWidth: size.width,
                imageHeight: size.height, hasZ: hasZ, handedness: handedness)
        }

        func frame(hasZ: Bool) -> [Float] {
            SampleHand.frame(
                hand: hand, mirrored: mirrored, yAxis: yAxis, width: size.width, height: size.height,
                hasZ: hasZ)
        }

        var label: Handedness { SampleHand.label(producer, hand: hand, mirrored: mirrored) }
    }

    /// The same pose through every declaration is the same vector.
    @Test(arguments: Declaration.all) func everyDeclarationGivesOneForm(_ declaration: Declaration) throws {
        let hasZ = declaration.producer != .appleVision
        var normalizer = LandmarkNormalizer(try declaration.geometry(hasZ: true))
        let hand = try normalizer.normalize(
            declaration.frame(hasZ: hasZ), handedness: declaration.label)
        #expect(largestDifference(hand.values, SampleHand.canonical(hasZ: hasZ)) < 1e-5)
        #expect(hand.source == .frame)
        #expect(hand.agreesWithShape)
    }

    /// The stream's handedness serves as well as the frame's, and the shape of the hand when nobody says.
    @Test(arguments: Declaration.all, [true, false])
    func handednessComesFromTheBestSource(_ declaration: Declaration, hasZ: Bool) throws {
        let seesZ = hasZ && declaration.producer != .appleVision
        var declared = LandmarkNormalizer(try declaration.geometry(hasZ: hasZ, handedness: declaration.label))
        let byStream = try declared.normalize(declaration.frame(hasZ: hasZ))
        #expect(byStream.source == .stream)
        var silent = LandmarkNormalizer(try declaration.geometry(hasZ: hasZ))
        let byShape = try silent.normalize(declaration.frame(hasZ: hasZ))
        #expect(byShape.source == .shape)
        for hand in [byStream, byShape] {
            #expect(largestDifference(hand.values, SampleHand.canonical(hasZ: seesZ)) < 1e-5)
        }
    }

    @Test func absentHandednessIsNotLeft() throws {
        let geometry = try HandGeometry(producer: .mediaPipe, mirrored: true)
        var normalizer = LandmarkNormalizer(geometry)
        let frame = SampleHand.frame(
            hand: .right, mirrored: true, yAxis: .down, width: 0, height: 0, hasZ: true)
        #expect(try normalizer.normalize(frame).flipped == false)
    }

    /// A frame's word outweighs the stream's and the shape, and the disagreement shows.
    @Test func wrongLabelIsFollowedAndShown() throws {
        var normalizer = LandmarkNormalizer(
            try HandGeometry(producer: .mediaPipe, mirrored: false, handedness: .left))
        let right = try normalizer.normalize(SampleHand.points)
        #expect(right.agreesWithShape)
        let wrong = try normalizer.normalize(SampleHand.points, handedness: .right)
        #expect(wrong.flipped == false)
        #expect(wrong.source == .frame)
        #expect(!wrong.agreesWithShape)
    }

    /// A flat hand seen from the edge tells nothing: a right hand is assumed.
    @Test func assumesARightHandWithoutEvidence() throws {
        var line: [Float] = []
        for point in 0..<21 { line += [0.5, 0.8 - 0.01 * Float(point), 0] }
        for mirrored in [false, true] {
            var normalizer = LandmarkNormalizer(try HandGeometry(producer: .raw, mirrored: mirrored))
            let hand = try normalizer.normalize(line)
            #expect(hand.source == .assumed)
            #expect(hand.flipped != mirrored)
        }
    }

    @Test func shapeFollowsAHandSwapAndForgetsAHandThatLeft() throws {
        let geometry = try HandGeometry(producer: .raw, mirrored: false)
        var normalizer = LandmarkNormalizer(geometry)
        let left = SampleHand.frame(
            hand: .left, mirrored: false, yAxis: .down, width: 0, height: 0, hasZ: true)
        for _ in 0..<200 { #expect(try normalizer.normalize(SampleHand.points).flipped) }
        var swapped = normalizer
        var frames = 0
        while try swapped.normalize(left).flipped, frames < 60 { frames += 1 }
        #expect((1..<30).contains(frames))
        normalizer.handLeft()
        #expect(try normalizer.normalize(left).flipped == false)
        normalizer.redeclare(geometry)
        #expect(try normalizer.normalize(SampleHand.points).flipped)
    }

    @Test(
        arguments: [
            (5, Float.nan, 1, BridgeAIError.Axis.z, "nan"), (0, .infinity, 0, .x, "inf"),
            (62, -.infinity, 20, .z, "-inf"), (31, 1e30, 10, .y, "1e+30"),
            (60, -100_001, 20, .x, "-100001.0"),
        ] as [(Int, Float, Int, BridgeAIError.Axis, String)])
    func badValueIsNamed(
        _ index: Int, _ value: Float, _ point: Int, _ axis: BridgeAIError.Axis, _ text: String
    )
        throws
    {
        var points = SampleHand.points
        points[(index / 3) * 3 + (axis == .x ? 0 : axis == .y ? 1 : 2)] = value
        let expected: BridgeAIError =
            value.isFinite
            ? .outOfRange(point: point, axis: axis, value: text, limit: BridgeAILimits.maxCoordinate)
            : .notFinite(point: point, axis: axis, value: text)
        var normalizer = LandmarkNormalizer(try HandGeometry(producer: .raw, mirrored: false))
        #expect(throws: expected) { try normalizer.normalize(points) }
        #expect(expected.field == "points[\(point)].\(axis.rawValue)")
        #expect(expected.description.contains(text))
    }

    @Test(arguments: [0, 1, 60, 62, 64, 66, 1_000]) func wrongCountIsNamed(_ count: Int) throws {
        var normalizer = LandmarkNormalizer(try HandGeometry(producer: .raw, mirrored: false))
        #expect(throws: BridgeAIError.valueCount(got: count, expected: 63)) {
            try normalizer.normalize([Float](repeating: 0.5, count: count))
        }
    }

    @Test(arguments: [0, 0.5, -3, 1e-30, 99_999] as [Float]) func handWithoutExtentIsRefused(_ value: Float)
        throws
    {
        var normalizer = LandmarkNormalizer(try HandGeometry(producer: .raw, mirrored: false))
        #expect(throws: BridgeAIError.noExtent(extent: "0.0", minimum: BridgeAILimits.minExtent)) {
            try normalizer.normalize([Float](repeating: value, count: 63))
        }
    }

    @Test func badFrameLeavesTheTrackAsItWas() throws {
        var normalizer = LandmarkNormalizer(try HandGeometry(producer: .raw, mirrored: false))
        _ = try normalizer.normalize(SampleHand.points)
        let before = normalizer
        _ = try? normalizer.normalize([Float](repeating: .nan, count: 63))
        _ = try? normalizer.normalize([Float](repeating: 0, count: 63))
        #expect(normalizer == before)
    }

    /// Any accepted frame gives finite numbers within −1…1, one of them at the border, with the wrist at 0.
    @Test func everyAcceptedFrameIsInRange() throws {
        var random = SeededBytes(seed: 7)
        for _ in 0..<2_000 {
            let exponent = Float(random.next() % 11) - 5
            var scale: Float = 1
            for _ in 0..<Int(abs(exponent)) { scale *= exponent < 0 ? 0.1 : 10 }
            let points = (0..<63).map { _ in (Float(random.next() % 20_001) / 10_000 - 1) * scale }
            let producer = HandProducer.allCases[Int(random.next() % 4)]
            var normalizer = LandmarkNormalizer(
                try HandGeometry(
                    producer: producer, mirrored: random.next() % 2 == 0,
                    imageWidth: 1 + UInt32(random.next() % 16_384),
                    imageHeight: 1 + UInt32(random.next() % 16_384), hasZ: random.next() % 2 == 0))
            guard let hand = try? normalizer.normalize(points) else { continue }
            #expect(hand.values.allSatisfy { abs($0) <= 1.000_001 })
            #expect(abs((hand.values.map { abs($0) }.max() ?? 0) - 1) < 1e-5)
            #expect(hand.values.prefix(3).allSatisfy { $0 == 0 })
        }
    }
}
