/// Written distances → metres.
///
/// Reads a number and a unit, with words such as "about" before them: "5 feet", "2 m", "about 3 metres",
/// "6ft", "1,5 m", "80 cm", "10". A number without a unit is in feet, as the original app writes them.
public enum DistanceParser {
    /// Metres in a foot, exactly.
    static let metresInFoot = 0.3048
    private static let metresIn: [String: Double] = [
        "": metresInFoot, "ft": metresInFoot, "foot": metresInFoot, "feet": metresInFoot, "'": metresInFoot,
        "in": 0.0254, "inch": 0.0254, "inches": 0.0254, "yd": 0.9144, "yard": 0.9144, "yards": 0.9144,
        "cm": 0.01, "centimetre": 0.01, "centimetres": 0.01, "centimeter": 0.01, "centimeters": 0.01,
        "m": 1, "metre": 1, "metres": 1, "meter": 1, "meters": 1,
    ]
    private static let hedges: Set<String> = [
        "about", "approx", "approximately", "around", "roughly", "nearly", "almost", "~",
    ]

    /// The distance in metres; nil when the text is not understood, is negative or exceeds
    /// `BlindspotLimits.maxDistanceTextBytes`. The caller checks the range.
    public static func metres(_ text: String) -> Double? {
        guard text.utf8.count <= BlindspotLimits.maxDistanceTextBytes else { return nil }
        var words = text.lowercased().split(whereSeparator: \.isWhitespace)
        if words.count > 1 {
            while let first = words.first, hedges.contains(bare(first)) { words.removeFirst() }
        }
        guard var first = words.first else { return nil }
        if first.first == "~" { first = first.dropFirst() }
        let digits = first.prefix { $0.isASCII && $0.isNumber || $0 == "." || $0 == "," }
        let glued = first.dropFirst(digits.count)
        let rest = words.dropFirst()
        guard rest.count + (glued.isEmpty ? 0 : 1) <= 1 else { return nil }
        let unit = bare(glued.isEmpty ? rest.first ?? "" : glued)
        let number = String(digits.map { $0 == "," ? "." : $0 })
        guard let value = Double(number), value.isFinite, let scale = metresIn[unit] else { return nil }
        return value * scale
    }

    /// Without the full stop of an abbreviation.
    private static func bare(_ word: Substring) -> String {
        String(word.last == "." ? word.dropLast() : word)
    }
}
