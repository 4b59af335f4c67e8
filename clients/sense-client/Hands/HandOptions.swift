import SenseClientKit
import SenseProtocol

/// The options with which `sign`, `calibrate` and `eval` say what the landmarks mean.
enum HandOptions {
    static let geometry = [
        OptionSpec(
            "--producer", "NAME",
            "mediapipe, mediapipe-true, apple-vision or raw (default: as the file says, else mediapipe)"),
        OptionSpec("--mirrored", nil, "the picture was flipped left to right before detection"),
        OptionSpec("--y", "up|down", "direction of the y axis (default: as the producer has it)"),
        OptionSpec("--width", "PIXELS", "of the picture (default: from the file)"),
        OptionSpec("--height", "PIXELS", "of the picture (default: from the file)"),
        OptionSpec("--no-z", nil, "send no depth, as phones with Apple Vision do"),
        OptionSpec("--handedness", "left|right|unknown", "instead of what the file says"),
    ]

    /// The declaration: what the options say, else what the source says, else MediaPipe with depth.
    static func format(
        _ arguments: Arguments, declared: HandFormat?, aspect: Double?
    ) throws -> HandFormat {
        var format = declared ?? HandFormat(producer: .mediapipe, hasZ: true)
        let producer: HandProducer? = try arguments.choice(
            "--producer",
            [
                "mediapipe": .mediapipe, "mediapipe-true": .mediapipeTrue, "apple-vision": .appleVision,
                "raw": .raw,
            ])
        if let producer { format.producer = producer }
        if arguments.has("--mirrored") { format.mirrored = true }
        if let axis: YAxis = try arguments.choice("--y", ["up": .up, "down": .down]) { format.yAxis = axis }
        let width = try arguments.number("--width", in: 1...16_384)
        let height = try arguments.number("--height", in: 1...16_384)
        guard (width == nil) == (height == nil) else {
            throw UsageError(message: "--width and --height go together")
        }
        if let width, let height {
            (format.imageWidth, format.imageHeight) = (UInt32(width), UInt32(height))
        } else if format.imageWidth == 0, let aspect {
            // Only the proportion matters.
            (format.imageWidth, format.imageHeight) = (UInt32((aspect * 1000).rounded()), 1000)
        }
        if arguments.has("--no-z") { format.hasZ = false }
        return format
    }

    /// The hand that the options name; nil = as each frame says.
    static func hand(_ arguments: Arguments) throws -> Handedness? {
        try arguments.choice("--handedness", ["left": .left, "right": .right, "unknown": .unspecified])
    }

    /// A frame as it is sent.
    static func wire(
        _ frame: HandSequence.Frame, index: UInt64, monoUs: UInt64, hand: Handedness?, hasZ: Bool
    ) -> HandFrame {
        var points = frame.points ?? []
        if !hasZ { for place in stride(from: 2, to: points.count, by: 3) { points[place] = 0 } }
        return HandFrame(
            frameIndex: index, monoUs: monoUs, handedness: hand ?? frame.handedness,
            noHand: frame.points == nil,
            points: points)
    }
}
