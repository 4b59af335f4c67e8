import Blindspot
import Testing

@Suite struct HazardPhraseTests {
    @Test(arguments: [
        (
            SceneObject(label: "pothole", position: .center, distanceText: "5 feet"),
            "Pothole ahead, about 5 feet", "Pothole ahead, about 1.5 metres"
        ),
        (
            SceneObject(label: "construction cone", position: .left, distanceM: 3.048),
            "Construction cone left, about 10 feet", "Construction cone left, about 3 metres"
        ),
        (SceneObject(label: "car", position: .right), "Car right", "Car right"),
        (
            SceneObject(label: "curb", position: .center, distanceM: 0.3), "Curb ahead, very close",
            "Curb ahead, very close"
        ),
        (
            SceneObject(label: "pole", position: .unknown, distanceM: 1), "Pole nearby, about 3 feet",
            "Pole nearby, about 1 metre"
        ),
        (
            SceneObject(label: "bus", position: .left, distanceM: 55.2), "Bus left, about 181 feet",
            "Bus left, about 55 metres"
        ),
    ]) func phrase(_ object: SceneObject, _ feet: String, _ metres: String) {
        #expect(HazardPhrase.text(for: object) == feet)
        #expect(HazardPhrase.text(for: object, unit: .metres) == metres)
    }

    /// At most seven words and never a promise, whatever the label says.
    @Test(arguments: [
        "clear", "the way is clear", "safe", "SAFE to cross", "a very long label of many words", "clear-road",
        "all.clear", "safely", "x", "#clear2&66", "7safe7", "ſafe", "ﬁre CLEAR",
    ]) func neverTooLongNorAPromise(_ label: String) {
        for position in ScenePosition.allCases {
            for distance in [nil, 0, 0.4, 0.3048, 1, 2.26, 9.9, 200] as [Double?] {
                for unit in DistanceUnit.allCases {
                    let object = SceneObject(label: label, position: position, distanceM: distance)
                    let text = HazardPhrase.text(for: object, unit: unit)
                    let words = text.lowercased().split { !($0.isLetter || $0.isNumber || $0 == ".") }
                    let spoken = text.lowercased().split { !$0.isLetter }
                    #expect(words.count <= BlindspotLimits.maxPhraseWords, "\(text)")
                    #expect(
                        !spoken.contains("clear") && !spoken.contains("safe") && !spoken.contains("safely"))
                }
            }
        }
    }
}
