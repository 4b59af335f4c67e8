import BridgeAI
import SenseProtocol

/// A frame on its way to the letters; observations are taken in order although scores come later.
struct PendingFrame: Sendable {
    let frameIndex: UInt64
    let monoUs: UInt64
    var observation: LetterObservation?
    /// Nil without a hand.
    var motion: HandMotion?
}

/// One hand stream: geometry, rate and the letters of each hand track.
struct HandStream: Sendable {
    var format: HandFormat
    var normalizer: LandmarkNormalizer
    var rate = FrameRateGuard()
    var letters = LetterDecoder()
    var motion = HandMotionTracker()
    var watch = GeometryWatch()
    /// Which letters in the making are shown.
    var filter = LetterUpdateFilter()
    /// Frames in order of arrival, from the first whose score is still awaited.
    var queue: [PendingFrame] = []
    var inFlight = 0
    var receivedFrames: UInt64 = 0
    /// Frames left out, for the reason of the last warning.
    var warnings = WarningCounter()
    var meter = RateMeter()
    var lastScoredUs: UInt64?
    /// Device's clock of the frame observed last.
    var lastMonoUs: UInt64 = 0
    /// The hand being read; a second hand in view is counted and left out.
    var trackedHand: UInt32?
    var otherHandFrames = 0
    /// Follows the words, where they are wanted.
    var words: WordDecoder?
    /// What the letters since the last look suggest; of partial ones only the newest.
    var suggestions: [WordSuggestions] = []
    /// What was learned of this person; nil = nothing.
    var adaptation: PersonalAdaptation?
    var calibration = CalibrationRun()
    let limits: SessionLimits

    var missingFrames: UInt64 { rate.missingFrames &+ rate.droppedFrames }

    init(_ format: HandFormat, field: String, limits: SessionLimits) throws(FieldProblem) {
        self.format = format
        self.limits = limits
        normalizer = LandmarkNormalizer(try Self.geometry(format, field: field))
    }

    mutating func change(_ format: HandFormat, field: String) throws(FieldProblem) {
        normalizer.redeclare(try Self.geometry(format, field: field))
        self.format = format
        watch.reset()
        // Another producer may see the hand elsewhere; the text goes on.
        motion.handLeft()
        filter.reset()
    }

    static func geometry(_ format: HandFormat, field: String) throws(FieldProblem) -> HandGeometry {
        let producer: BridgeAI.HandProducer
        switch format.producer {
        case .mediapipe: producer = .mediaPipe
        case .mediapipeTrue: producer = .mediaPipeTrue
        case .appleVision: producer = .appleVision
        case .raw: producer = .raw
        case .unspecified, .unrecognized:
            throw FieldProblem(
                field: "\(field).producer", expected: "MEDIAPIPE, MEDIAPIPE_TRUE, APPLE_VISION or RAW",
                got: "\(format.producer.rawValue)")
        }
        let yAxis: BridgeAI.YAxis?
        switch format.yAxis {
        case .down: yAxis = .down
        case .up: yAxis = .up
        case .unspecified: yAxis = nil
        case .unrecognized(let value):
            throw FieldProblem(field: "\(field).y_axis", expected: "DOWN or UP", got: "\(value)")
        }
        do throws(BridgeAIError) {
            return try HandGeometry(
                producer: producer, mirrored: format.mirrored, yAxis: yAxis, imageWidth: format.imageWidth,
                imageHeight: format.imageHeight, hasZ: format.hasZ, handedness: format.handedness.hand)
        } catch {
            throw FieldProblem(
                field: "\(field).\(error.field)", expected: "both 0 or both 1…\(BridgeAILimits.maxImageSide)",
                got: "\(format.imageWidth) × \(format.imageHeight)")
        }
    }
}

extension SenseProtocol.Handedness {
    /// Unknown is nil, never left.
    var hand: BridgeAI.Handedness? {
        switch self {
        case .left: .left
        case .right: .right
        case .unspecified, .unrecognized: nil
        }
    }
}

extension HandFrame {
    /// The 63 numbers of the short form.
    func q14Pose(field: String) throws(FieldProblem) -> HandVector {
        guard points.isEmpty else {
            throw FieldProblem(
                field: "\(field).points_q14", expected: "one of points and points_q14", got: "both")
        }
        guard pointsQ14.count == 126 else {
            throw FieldProblem(
                field: "\(field).points_q14", expected: "126 bytes (63 × int16)", got: "\(pointsQ14.count)")
        }
        var pose = HandVector()
        for i in 0..<HandPose.valueCount {
            let bits = UInt16(pointsQ14[2 * i]) | UInt16(pointsQ14[2 * i + 1]) << 8
            pose[i] = Float(Int16(bitPattern: bits)) / 16_384
        }
        return pose
    }
}

extension HandStream {
    /// How a doubt is told: what was seen and the declaration that would fit.
    func explain(_ doubt: GeometryDoubt) -> (kind: WarningKind, field: String, message: String, fix: String) {
        switch doubt {
        case .upsideDown:
            return (
                .yUpsideDown, "hands.y_axis", "the hands stand upside down",
                "declare y_axis \(normalizer.geometry.yAxis == .up ? "DOWN" : "UP")"
            )
        case .mirrored where format.producer == .raw:
            return (
                .mirrored, "hands.mirrored", "the hands stand the other way round than declared",
                "declare mirrored \(!format.mirrored), or the other handedness"
            )
        case .mirrored:
            let other = format.producer == .mediapipe ? "MEDIAPIPE_TRUE" : "MEDIAPIPE"
            return (
                .handednessSwapped, "hands.producer",
                "the hands stand the other way round than their labels say",
                "declare producer \(other), whose labels mean the opposite, or send the labels of this very picture"
            )
        }
    }
}
