/// Labels of objects: how they are cleaned, and which of them are hazards.
public enum SceneLabel {
    /// Kinds that can hurt a walker, as the original app lists them.
    public static let hazards: Set<String> = [
        "pothole", "construction", "construction cone", "stairs", "stairway", "vehicle", "car", "truck",
        "bus",
        "bicycle", "motorcycle", "fire hydrant", "pole", "barrier", "curb",
    ]

    /// Words that must never be heard from this module, whoever put them into a label.
    static let forbiddenWords: Set<String> = ["clear", "safe", "safely"]

    /// Lower case, ASCII and other letters and digits, words separated by single spaces; nil when nothing is left or
    /// the text exceeds `BlindspotLimits.maxLabelBytes`.
    static func normalized(_ label: String) -> String? {
        guard label.utf8.count <= BlindspotLimits.maxLabelBytes else { return nil }
        let words = words(label).filter { word in
            !word.split { !$0.isLetter }.contains { forbiddenWords.contains(String($0)) }
        }
        return words.isEmpty ? nil : words.joined(separator: " ")
    }

    /// Runs of letters and digits, lower case. By way of upper case, so that a long s or a ligature is spelled out.
    static func words(_ text: String) -> [String] {
        text.uppercased().lowercased().split { !($0.isLetter || $0.isNumber) }.map(String.init)
    }

    /// Whether `label`, normalised, is a hazard, in singular or plural.
    static func isHazard(_ label: String) -> Bool {
        hazards.contains(label) || hazards.contains(singular(label))
    }

    /// "cars" → "car", "buses" → "bus"; "stairs" is a hazard as it stands.
    static func singular(_ label: String) -> String {
        if label.hasSuffix("es"), hazards.contains(String(label.dropLast(2))) {
            return String(label.dropLast(2))
        }
        return label.hasSuffix("s") && !label.hasSuffix("ss") ? String(label.dropLast()) : label
    }
}
