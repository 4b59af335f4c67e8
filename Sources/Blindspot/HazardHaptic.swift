/// What a walker feels for an object.
public enum HazardHaptic: Equatable, Sendable, CaseIterable {
    /// A hazard straight ahead and near: three pulses, 0.15 s apart.
    case dangerAhead
    /// Something near, to the side or harmless: one pulse.
    case proximity

    /// How near is near, in metres: two steps and the length of a cane.
    public static let nearM = 3.0
    /// Pulses in all.
    public var pulses: Int { self == .dangerAhead ? 3 : 1 }
    /// From the start of one pulse to the start of the next, in milliseconds.
    public static let spacingMs = 150
    /// Length of a pulse, in milliseconds; under 30 it is not felt as vibration.
    public static let pulseMs = 60
    /// 0…1.
    public var intensity: Float { self == .dangerAhead ? 1 : 0.6 }
    /// 0…1.
    public var sharpness: Float { self == .dangerAhead ? 1 : 0.4 }

    /// What to feel for `object`; nil when it is far. An unknown distance or position counts as near and ahead for
    /// a hazard, and as far for anything else.
    public init?(_ object: SceneObject) {
        let isNear = object.distanceM.map { $0 <= Self.nearM } ?? object.isHazard
        guard isNear else { return nil }
        let isAhead = object.position == .center || object.position == .unknown
        self = object.isHazard && isAhead ? .dangerAhead : .proximity
    }
}
