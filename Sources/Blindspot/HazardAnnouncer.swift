/// Decides when a hazard is told again.
///
/// A hazard is told when it is new, when it came clearly nearer, when it moved to another side, or after a while.
/// It is known by its track, or without one by label and position.
public struct HazardAnnouncer: Equatable, Sendable {
    /// Time after which a lasting hazard is told again, in microseconds. Walkers of other apps asked for 30 to 60 s.
    public static let repeatUs: Int64 = 30_000_000
    /// Part of the last told distance at which an approach is told.
    public static let approachFactor = 0.6
    /// Time without being seen after which a hazard is new again, in microseconds.
    public static let forgetUs: Int64 = 10_000_000

    private enum Key: Hashable, Sendable {
        case track(UInt32)
        case place(String, ScenePosition)
    }

    private struct Memory: Equatable, Sendable {
        var toldUs: Int64
        var seenUs: Int64
        var distanceM: Double?
        var position: ScenePosition
    }

    private var memories: [Key: Memory] = [:]

    /// Remembers nothing.
    public init() {}

    /// The hazards of `scene` to tell now, most pressing first, at most `BlindspotLimits.maxHazards`.
    ///
    /// - Parameter nowUs: monotonic microseconds.
    public mutating func announce(_ scene: Scene, nowUs: Int64) -> [SceneObject] {
        memories = memories.filter {
            nowUs.subtractingReportingOverflow($0.value.seenUs).partialValue < Self.forgetUs
        }
        var told: [SceneObject] = []
        for object in HazardRanker.hazards(in: scene, limit: BlindspotLimits.maxRemembered) {
            let key: Key =
                object.trackID == 0 ? .place(object.label, object.position) : .track(object.trackID)
            let memory = memories[key]
            if let memory, !isNews(object, after: memory, nowUs: nowUs) {
                memories[key]?.seenUs = nowUs
                continue
            }
            guard told.count < BlindspotLimits.maxHazards else { continue }
            guard memory != nil || memories.count < BlindspotLimits.maxRemembered else { continue }
            memories[key] = Memory(
                toldUs: nowUs, seenUs: nowUs, distanceM: object.distanceM, position: object.position)
            told.append(object)
        }
        return told
    }

    private func isNews(_ object: SceneObject, after memory: Memory, nowUs: Int64) -> Bool {
        if object.position != memory.position { return true }
        if nowUs.subtractingReportingOverflow(memory.toldUs).partialValue >= Self.repeatUs { return true }
        guard let distance = object.distanceM else { return false }
        guard let before = memory.distanceM else { return true }
        return distance <= before * Self.approachFactor
    }
}
