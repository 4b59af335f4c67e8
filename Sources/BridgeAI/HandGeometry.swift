/// Which hand a producer says it sees.
public enum Handedness: Equatable, Sendable, CaseIterable {
    /// The left hand, by the producer's own convention.
    case left
    /// The right hand, by the producer's own convention.
    case right
}

/// Who made the landmarks. It fixes the default y axis and what a handedness label means.
public enum HandProducer: Equatable, Sendable, CaseIterable {
    /// MediaPipe up to 0.10.14: a right hand in an *unflipped* picture is labelled "Left".
    case mediaPipe
    /// MediaPipe from 0.10.15: a right hand in an unflipped picture is labelled "Right".
    case mediaPipeTrue
    /// Apple Vision: y points up, no z; labels as `mediaPipeTrue`.
    case appleVision
    /// Anything else: the label is the hand the person really used, whatever was done to the picture.
    case raw
}

/// Direction of growing y.
public enum YAxis: Equatable, Sendable, CaseIterable {
    /// Row 0 on top, as in image files.
    case down
    /// Origin at the bottom left, as in Apple Vision.
    case up
}

/// What the coordinates of one stream mean, as declared when it was opened.
public struct HandGeometry: Equatable, Sendable {
    /// Who made the landmarks.
    public let producer: HandProducer
    /// The picture was flipped left to right before detection (a selfie view).
    public let mirrored: Bool
    /// Direction of growing y.
    public let yAxis: YAxis
    /// Width of the picture in pixels divided by its height; 1 when the coordinates have true proportions.
    public let aspect: Float
    /// Whether z means anything; if not it is read as 0.
    public let hasZ: Bool
    /// The hand used throughout, where frames do not say. Nil is "not known", never "left".
    public let handedness: Handedness?

    /// Checks and completes a declaration.
    ///
    /// - Parameters:
    ///   - yAxis: nil takes the producer's own: up for Apple Vision, else down.
    ///   - imageWidth: pixels, 1…16,384; 0 with `imageHeight` 0 says that x and y share one unit already.
    ///   - hasZ: ignored for Apple Vision, which has none.
    /// - Throws: `imageSize`.
    public init(
        producer: HandProducer, mirrored: Bool, yAxis: YAxis? = nil, imageWidth: UInt32 = 0,
        imageHeight: UInt32 = 0, hasZ: Bool = true, handedness: Handedness? = nil
    ) throws(BridgeAIError) {
        let limit = BridgeAILimits.maxImageSide
        guard (imageWidth == 0) == (imageHeight == 0), imageWidth <= limit, imageHeight <= limit else {
            throw .imageSize(width: imageWidth, height: imageHeight, limit: limit)
        }
        self.producer = producer
        self.mirrored = mirrored
        self.yAxis = yAxis ?? (producer == .appleVision ? .up : .down)
        self.aspect = imageHeight == 0 ? 1 : Float(imageWidth) / Float(imageHeight)
        self.hasZ = hasZ && producer != .appleVision
        self.handedness = handedness
    }

    /// How a hand labelled `label` stands in the picture.
    ///
    /// Detectors see pixels only. So their label already contains the flip of the picture, and `mirrored`
    /// counts for `raw` alone, where the label is about the person.
    public func appearance(of label: Handedness) -> HandAppearance {
        switch producer {
        case .mediaPipe: label == .right ? .canonical : .opposite
        case .mediaPipeTrue, .appleVision: label == .left ? .canonical : .opposite
        case .raw: (label == .right) == mirrored ? .canonical : .opposite
        }
    }
}

/// Which way round a hand stands in the picture; a left hand looks like a mirrored right hand.
public enum HandAppearance: Equatable, Sendable {
    /// As a right hand looks to its owner in a mirror: the form that the letter model was trained on.
    case canonical
    /// The other way round: x must be flipped.
    case opposite
}
