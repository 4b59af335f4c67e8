import BridgeAI

/// A made-up right hand, palm towards the camera, fingers bent by different amounts, in an unflipped picture with
/// y down and one unit for all axes: the view of somebody who faces the signer.
enum SampleHand {
    static let points: [Float] = {
        var points: [Float] = [0.5, 0.8, 0]
        // Thumb: on the right of the picture, bent across the palm, nearer to the camera.
        for joint in 0..<4 {
            points += [0.56 + 0.02 * Float(joint), 0.74 - 0.05 * Float(joint), -0.02 - 0.012 * Float(joint)]
        }
        for finger in 0..<4 {
            let base = 0.56 - 0.035 * Float(finger)
            let bend = 0.012 + 0.006 * Float(finger)
            for joint in 0..<4 {
                points += [
                    base + 0.003 * Float(joint) * Float(2 - finger),
                    0.55 + 0.015 * Float(finger)
                        - 0.045 * Float(joint), -0.01 - bend * Float(joint * joint),
                ]
            }
        }
        return points
    }()

    /// Its canonical form, worked out by the plain definition: flip x, subtract the wrist, divide by the largest.
    static func canonical(hasZ: Bool = true) -> [Float] {
        var values: [Float] = []
        for point in 0..<21 {
            values.append(-(points[3 * point] - points[0]))
            values.append(points[3 * point + 1] - points[1])
            values.append(hasZ ? points[3 * point + 2] - points[2] : 0)
        }
        let largest = values.map { abs($0) }.max() ?? 1
        return values.map { $0 / largest }
    }

    /// The frame that a producer with this declaration would send for this pose made with `hand`.
    static func frame(
        hand: Handedness, mirrored: Bool, yAxis: YAxis, width: UInt32, height: UInt32, hasZ: Bool
    ) -> [Float] {
        let aspect = height == 0 ? 1 : Float(width) / Float(height)
        // The left hand is the mirror image of the right; a mirrored picture flips once more.
        let flipped = (hand == .left) != mirrored
        var frame: [Float] = []
        for point in 0..<21 {
            let x = flipped ? 1 - points[3 * point] : points[3 * point]
            let y = points[3 * point + 1]
            frame.append(x / aspect)
            frame.append(yAxis == .up ? 1 - y : y)
            frame.append(hasZ ? points[3 * point + 2] / aspect : 0)
        }
        return frame
    }

    /// What a producer prints for `hand` in a picture that was or was not mirrored.
    static func label(_ producer: HandProducer, hand: Handedness, mirrored: Bool) -> Handedness {
        let other: Handedness = hand == .left ? .right : .left
        switch producer {
        case .mediaPipe: return mirrored ? hand : other
        case .mediaPipeTrue, .appleVision: return mirrored ? other : hand
        case .raw: return hand
        }
    }
}

func largestDifference(_ a: [Float], _ b: [Float]) -> Float {
    guard a.count == b.count else { return .infinity }
    return zip(a, b).map { abs($0 - $1) }.max() ?? 0
}
