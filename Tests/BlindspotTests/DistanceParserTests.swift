import Blindspot
import Testing

@Suite struct DistanceParserTests {
    @Test(arguments: [
        ("5 feet", 1.524), ("10 FEET", 3.048), ("1 foot", 0.3048), ("6ft", 1.8288), ("6 ft.", 1.8288),
        ("2 m", 2),
        ("2m", 2), ("about 3 metres", 3), ("approximately 3 meters", 3), ("1,5 m", 1.5), ("1.5 m", 1.5),
        ("80 cm", 0.8), ("12 inches", 0.3048), ("3 yards", 2.7432), ("10", 3.048), ("0 feet", 0), ("~4 m", 4),
        ("  7   feet ", 2.1336), ("2'", 0.6096), ("about roughly 2 m", 2),
    ]) func understands(_ text: String, _ metres: Double) throws {
        let parsed = try #require(DistanceParser.metres(text))
        #expect(abs(parsed - metres) < 1e-9)
    }

    @Test(arguments: [
        "", " ", "feet", "about", "-5 feet", "five feet", "5 miles", "5 feet away now", "NaN", "nan m", "inf",
        "1e9 m",
        "5..2 m", "0x10 m", "5 feet 3", "m 5", ",", ".", "about 5 feet, I think, or maybe a little more",
        "٣ m",
    ]) func refuses(_ text: String) {
        #expect(DistanceParser.metres(text) == nil)
    }
}
