/// Why an answer is worth less than usual. Each is spoken; none is silent.
public enum SceneDegradation: Equatable, Sendable {
    /// No scene was received.
    case noScene
    /// The scene is older than a second.
    case oldScene(ageUs: Int64)
    /// A service is missing, such as "speech recognition"; the text is spoken as it is.
    case serviceMissing(String)

    /// One short sentence for the walker.
    public var text: String {
        switch self {
        case .noScene: "I have no camera view."
        case .oldScene(let ageUs): "The view is \(max(1, ageUs / 1_000_000)) seconds old."
        case .serviceMissing(let name): "\(name) is not working."
        }
    }
}

/// An answer that names only what is in the scene.
public struct SceneSummary: Equatable, Sendable {
    /// What to say.
    public let text: String
    /// Why it is worth less than usual; empty = it is not.
    public let degradations: [SceneDegradation]
    /// The hazards of the scene, most pressing first, at most five.
    public let hazards: [SceneObject]
    /// Labels of the objects named in `text`, each once, in the order of the text.
    public let citedLabels: [String]
}

/// Questions about a scene → answers from templates, without a language model.
///
/// Hazards come first in every answer. No answer says that a way is safe or clear, or that one may go: absence in
/// the picture proves nothing.
public struct SceneAnswerer: Equatable, Sendable {
    /// Units of distances.
    public let unit: DistanceUnit

    /// An answerer that speaks in `unit`.
    public init(unit: DistanceUnit = .feet) {
        self.unit = unit
    }

    /// Answers `question` about `scene`.
    ///
    /// - Parameters:
    ///   - scene: nil = none was received.
    ///   - sceneAgeUs: time since the picture was taken; a negative age counts as 0.
    ///   - missingServices: names of services that should have helped, to be spoken.
    public func answer(
        _ question: String, about scene: Scene?, sceneAgeUs: Int64 = 0, missingServices: [String] = []
    ) -> SceneSummary {
        var degradations = missingServices.map { SceneDegradation.serviceMissing($0) }
        if scene == nil {
            degradations.append(.noScene)
        } else if sceneAgeUs > BlindspotLimits.maxSceneAgeUs {
            degradations.append(.oldScene(ageUs: sceneAgeUs))
        }
        let prefix = degradations.map(\.text)
        let asked = question.utf8.count > BlindspotLimits.maxQuestionBytes ? "overview" : question
        guard let scene else {
            let end =
                SceneQuestion(asked) == .empty
                ? "I didn't hear a question." : "I cannot tell what is around you."
            return SceneSummary(
                text: (prefix + [end]).joined(separator: " "), degradations: degradations, hazards: [],
                citedLabels: [])
        }
        let hazards = HazardRanker.hazards(in: scene)
        let reply = reply(to: SceneQuestion(asked), scene: scene, hazards: hazards)
        let sentences = reply.objects.map { HazardPhrase.text(for: $0, unit: unit) + "." }
        var cited: [String] = []
        for object in reply.objects where !cited.contains(object.label) { cited.append(object.label) }
        return SceneSummary(
            text: (prefix + reply.before + sentences + reply.after).joined(separator: " "),
            degradations: degradations, hazards: hazards, citedLabels: cited)
    }

    private struct Reply {
        var before: [String] = []
        var objects: [SceneObject] = []
        var after: [String] = []
    }

    private func reply(to question: SceneQuestion, scene: Scene, hazards: [SceneObject]) -> Reply {
        switch question {
        case .empty:
            return Reply(before: ["I didn't hear a question."], objects: hazards)
        case .safety:
            let warning = "I cannot judge that; please check with your cane or hearing."
            return Reply(
                before: [warning], objects: hazards,
                after: hazards.isEmpty ? ["No hazard is reported, but I may miss some."] : [])
        case .find(let words):
            return named(words, in: scene, hazards: hazards) { _ in nil }
        case .count(let words):
            return named(words, in: scene, hazards: hazards) { "I see \($0)." }
        case .side(let side):
            return list(
                scene.objects.filter { $0.position == side || $0.position == .unknown }, hazards: hazards,
                nothing:
                    "Nothing is reported \(side == .center ? "ahead" : "on the \(HazardPhrase.direction(side))")."
            )
        case .overview:
            return list(scene.objects, hazards: hazards, nothing: "Nothing is reported.")
        }
    }

    /// Hazards of `objects`, then others; with a caution when there are none.
    private func list(_ objects: [SceneObject], hazards: [SceneObject], nothing: String) -> Reply {
        let part = Scene(objects: objects)
        let told = HazardRanker.hazards(in: part) + HazardRanker.others(in: part)
        return told.isEmpty
            ? Reply(before: [nothing, "I may miss things."], objects: hazards) : Reply(objects: told)
    }

    /// Objects whose label is asked for, nearest first; hazards that are nearer are told too.
    private func named(
        _ words: [String], in scene: Scene, hazards: [SceneObject], count: (Int) -> String?
    ) -> Reply {
        let spoken = words.map(SceneLabel.singular)
        let matches = scene.objects.filter { object in
            let label = object.label.split(separator: " ").map { SceneLabel.singular(String($0)) }
            return label.contains { spoken.contains($0) }
        }.sorted(by: HazardRanker.precedes)
        guard let first = matches.first else {
            return Reply(before: ["I don't see that, but I may miss it."], objects: hazards)
        }
        let nearest = first.distanceM ?? .infinity
        let pressing = hazards.filter { !matches.contains($0) && ($0.distanceM ?? 0) < nearest }
        let told = Array(matches.prefix(BlindspotLimits.maxHazards))
        return Reply(before: count(matches.count).map { [$0] } ?? [], objects: pressing + told)
    }
}
