/// Units of spoken distances.
public enum DistanceUnit: Equatable, Sendable, CaseIterable {
    /// Feet, as the original app speaks.
    case feet
    /// Metres.
    case metres
}

/// One object as a short sentence: what, direction, distance; at most seven words.
public enum HazardPhrase {
    /// Such as "Pothole ahead, about 5 feet". Distances are always "about": none is exact.
    public static func text(for object: SceneObject, unit: DistanceUnit = .feet) -> String {
        let name = name(object)
        return name.prefix(1).uppercased() + name.dropFirst() + " " + direction(object.position)
            + distance(object.distanceM, unit: unit)
    }

    /// The label, cut to three words.
    static func name(_ object: SceneObject) -> String {
        object.label.split(separator: " ").prefix(BlindspotLimits.maxLabelWords).joined(separator: " ")
    }

    static func direction(_ position: ScenePosition) -> String {
        switch position {
        case .left: "left"
        case .center: "ahead"
        case .right: "right"
        case .unknown: "nearby"
        }
    }

    /// With its comma; empty when not known.
    static func distance(_ metres: Double?, unit: DistanceUnit) -> String {
        guard let metres else { return "" }
        if metres < 0.5 { return ", very close" }
        switch unit {
        case .feet:
            let feet = Int((metres / DistanceParser.metresInFoot).rounded())
            return ", about \(feet) \(feet == 1 ? "foot" : "feet")"
        case .metres:
            let halves = Int((metres * 2).rounded())
            let number = halves >= 20 || halves % 2 == 0 ? "\((halves + 1) / 2)" : "\(halves / 2).5"
            return ", about \(number) \(number == "1" ? "metre" : "metres")"
        }
    }
}
