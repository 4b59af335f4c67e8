/// What a question is about, found by its words.
enum SceneQuestion: Equatable {
    /// Nothing was said.
    case empty
    /// Whether to go, cross or trust: never answered with yes.
    case safety
    /// Where, or how far, something named is.
    case find([String])
    /// What is on one side.
    case side(ScenePosition)
    /// How many of something named there are.
    case count([String])
    /// Anything else: tell what is there.
    case overview

    /// Words that ask for a judgement wherever they stand.
    private static let judgementWords: Set<String> = [
        "safe", "safely", "clear", "cross", "crossing", "danger", "dangers", "dangerous", "hazard", "hazards",
        "obstacle", "obstacles", "traffic", "free",
    ]
    /// Words that ask for one unless the question is about a place.
    private static let movingWords: Set<String> = ["go", "walk", "proceed", "continue", "step", "ok", "okay"]

    init(_ text: String) {
        let words = SceneLabel.words(text)
        let set = Set(words)
        if words.isEmpty {
            self = .empty
        } else if !set.isDisjoint(with: Self.judgementWords)
            || !set.isDisjoint(with: Self.movingWords) && !Self.asksForPlace(words)
        {
            self = .safety
        } else if words.starts(with: ["how", "many"]) {
            self = .count(words)
        } else if Self.asksForPlace(words) {
            self = .find(words)
        } else if set.contains("left") {
            self = .side(.left)
        } else if set.contains("right") {
            self = .side(.right)
        } else if set.contains("ahead") || set.contains("front") {
            self = .side(.center)
        } else {
            self = .overview
        }
    }

    private static func asksForPlace(_ words: [String]) -> Bool {
        words.first == "where" || words.first == "wheres" || words.starts(with: ["how", "far"])
            || words.starts(with: ["is", "there"]) || words.starts(with: ["are", "there"])
            || words.starts(with: ["do", "you", "see"]) || words.starts(with: ["find"])
    }
}
