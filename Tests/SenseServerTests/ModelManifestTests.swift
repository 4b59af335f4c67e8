import Testing

@testable import SenseServer

@Suite("Model manifest")
struct ModelManifestTests {
    @Test(
        "what is wrong names the field",
        arguments: [
            ("{", "not valid JSON"), (#"{"models": []}"#, "schema"),
            (#"{"schema": 2, "models": []}"#, "schema"),
            (#"{"schema": 1, "models": [{"name": "a"}]}"#, "models[0]"),
            (#"{"schema": 1, "models": [{"name": 5}]}"#, "models[0].name"),
        ])
    func bad(_ json: String, _ field: String) {
        do {
            _ = try ModelManifest(json: Array(json.utf8), path: "m.json")
            Issue.record("accepted \(json)")
        } catch {
            #expect(error.reason.contains(field))
        }
    }

    @Test("the golden formula gives the numbers of its description")
    func golden() {
        let samples = GoldenInput.lcgNoiseAndSquare(22_050)
        // state = 1664525 + 1013904223 = 1015568748; >> 8 = 3967065; / 8388608 − 1 = −0.52709
        #expect(abs(samples[0] - (0.05 * -0.527_09 + 0.25)) < 1e-4)
        #expect(samples[12_000] >= -0.05 && samples[12_000] <= 0.05)
    }
}
