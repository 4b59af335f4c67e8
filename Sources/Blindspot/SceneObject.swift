/// Where an object is, seen by the walker.
public enum ScenePosition: Equatable, Sendable, CaseIterable {
    /// To the left.
    case left
    /// Straight ahead.
    case center
    /// To the right.
    case right
    /// Not said or not understood; treated as possibly ahead.
    case unknown

    /// The position written as `text`, in either case; `unknown` for anything but left, center, centre and right.
    public init(_ text: String) {
        switch text.lowercased() {
        case "left": self = .left
        case "center", "centre": self = .center
        case "right": self = .right
        default: self = .unknown
        }
    }
}

/// What was wrong with a reported object. The object is kept without the bad value.
public enum SceneFlag: String, Equatable, Sendable, CaseIterable {
    /// The label was empty, unreadable or too long; it is spoken as "object".
    case badLabel
    /// The position was not left, center or right.
    case badPosition
    /// The distance was negative, not finite, above 200 m or not understood; it counts as not known.
    case badDistance
    /// The uncertainty of the distance was negative or not finite.
    case badSigma
    /// The confidence was outside 0…1; it counts as not known.
    case badConfidence
}

/// One object of a scene, checked: every number is finite and in its range, or nil and flagged.
public struct SceneObject: Equatable, Sendable {
    /// Lower case, words of letters and digits separated by single spaces; never empty.
    public let label: String
    /// Where it is.
    public let position: ScenePosition
    /// Metres, 0…200; nil = not known.
    public let distanceM: Double?
    /// Standard deviation of the distance in metres; nil = not known.
    public let sigmaM: Double?
    /// 0…1; nil = not known.
    public let confidence: Double?
    /// The detector's track; 0 = not tracked.
    public let trackID: UInt32
    /// What was wrong with the report.
    public let flags: [SceneFlag]

    /// Checks one report; never fails.
    ///
    /// - Parameters:
    ///   - label: any text.
    ///   - distanceM: metres; used before `distanceText`.
    ///   - distanceText: such as "5 feet"; empty or nil = not said.
    ///   - sigmaM: 0 = not said.
    public init(
        label: String, position: ScenePosition, distanceM: Double? = nil, distanceText: String? = nil,
        sigmaM: Double? = nil, confidence: Double? = nil, trackID: UInt32 = 0
    ) {
        var flags: [SceneFlag] = []
        let words = SceneLabel.normalized(label)
        if words == nil { flags.append(.badLabel) }
        self.label = words ?? "object"
        self.position = position
        if position == .unknown { flags.append(.badPosition) }
        var distance = distanceM
        if distance == nil, let distanceText, !distanceText.isEmpty {
            distance = DistanceParser.metres(distanceText)
            if distance == nil { flags.append(.badDistance) }
        }
        if let value = distance, !(0...BlindspotLimits.maxDistanceM).contains(value) {
            flags.append(.badDistance)
            distance = nil
        }
        self.distanceM = distance
        let sigmaIsGood = sigmaM.map { $0 >= 0 && $0.isFinite } ?? true
        if !sigmaIsGood { flags.append(.badSigma) }
        self.sigmaM = sigmaIsGood && sigmaM != 0 ? sigmaM : nil
        let confidenceIsGood = confidence.map { (0...1).contains($0) } ?? true
        if !confidenceIsGood { flags.append(.badConfidence) }
        self.confidence = confidenceIsGood ? confidence : nil
        self.trackID = trackID
        self.flags = flags
    }

    /// Whether it is of a kind that can hurt a walker.
    public var isHazard: Bool { SceneLabel.isHazard(label) }
}

/// What the camera saw at one time.
public struct Scene: Equatable, Sendable {
    /// At most `BlindspotLimits.maxObjects`.
    public let objects: [SceneObject]
    /// Objects beyond the limit, left out.
    public let droppedObjects: Int

    /// Keeps the objects that a walker needs most: all hazards before all others, near before far.
    public init(objects: [SceneObject]) {
        if objects.count > BlindspotLimits.maxObjects {
            let ranked = objects.sorted(by: HazardRanker.precedes)
            self.objects = Array(ranked.prefix(BlindspotLimits.maxObjects))
        } else {
            self.objects = objects
        }
        droppedObjects = objects.count - self.objects.count
    }

    /// How many objects had something wrong.
    public var flaggedObjects: Int { objects.count { !$0.flags.isEmpty } }
}
