/// The order in which a walker must hear about objects.
///
/// Hazards before everything else; near before far; unknown distances after known ones; then straight ahead
/// before the sides; then by label, track and confidence, so that the order of the report does not matter.
public enum HazardRanker {
    /// The hazards of `scene`, most pressing first, at most `limit`.
    public static func hazards(
        in scene: Scene, limit: Int = BlindspotLimits.maxHazards
    ) -> [SceneObject] {
        Array(scene.objects.filter(\.isHazard).sorted(by: precedes).prefix(max(0, limit)))
    }

    /// The other objects of `scene`, nearest first, at most `limit`.
    public static func others(in scene: Scene, limit: Int = BlindspotLimits.maxOthers) -> [SceneObject] {
        Array(scene.objects.filter { !$0.isHazard }.sorted(by: precedes).prefix(max(0, limit)))
    }

    /// A strict total order, up to objects that are alike in all that is told.
    static func precedes(_ a: SceneObject, _ b: SceneObject) -> Bool {
        if a.isHazard != b.isHazard { return a.isHazard }
        let (near, far) = (a.distanceM ?? .infinity, b.distanceM ?? .infinity)
        if near != far { return near < far }
        if a.position != b.position { return rank(a.position) < rank(b.position) }
        if a.label != b.label { return a.label < b.label }
        if a.trackID != b.trackID { return a.trackID < b.trackID }
        let (sure, unsure) = (a.confidence ?? -1, b.confidence ?? -1)
        if sure != unsure { return sure > unsure }
        return (a.sigmaM ?? -1) < (b.sigmaM ?? -1)
    }

    private static func rank(_ position: ScenePosition) -> Int {
        switch position {
        case .center: 0
        case .unknown: 1
        case .left: 2
        case .right: 3
        }
    }
}
