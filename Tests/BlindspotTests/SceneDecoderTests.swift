import Blindspot
import TestSupport
import Testing

@Suite struct SceneDecoderTests {
    static func scene(_ text: String) throws -> Scene { try SceneDecoder().decode(Array(text.utf8)) }

    @Test func readsTheOriginalScene() throws {
        let scene = try Self.scene(
            """
            {"objects": [{"label": "Pothole", "position": "center", "distance": "5 feet", "confidence": 0.9},
                         {"label": "person", "position": "LEFT"}], "frame": 7}
            """)
        #expect(scene.objects.count == 2)
        #expect(
            scene.objects[0]
                == SceneObject(label: "pothole", position: .center, distanceM: 1.524, confidence: 0.9))
        #expect(scene.objects[1].position == .left)
        #expect(scene.objects[1].distanceM == nil)
        #expect(scene.flaggedObjects == 0)
    }

    @Test(arguments: [
        (#"{"label": "car", "position": "center", "distance": "-5 feet"}"#, SceneFlag.badDistance),
        (#"{"label": "car", "position": "center", "distance": -5}"#, .badDistance),
        (#"{"label": "car", "position": "center", "distance": "NaN"}"#, .badDistance),
        (#"{"label": "car", "position": "center", "distance": "900 feet"}"#, .badDistance),
        (#"{"label": "car", "position": "center", "distance": [5]}"#, .badDistance),
        (#"{"label": "car", "position": "center", "distance": 1e999}"#, .badDistance),
        (#"{"label": "car", "position": "behind"}"#, .badPosition), (#"{"label": "car"}"#, .badPosition),
        (#"{"label": "car", "position": 3}"#, .badPosition),
        (#"{"label": "car", "position": "left", "confidence": 1.5}"#, .badConfidence),
        (#"{"label": "car", "position": "left", "confidence": -0.1}"#, .badConfidence),
        (#"{"label": "car", "position": "left", "confidence": "high"}"#, .badConfidence),
        (#"{"label": "", "position": "left"}"#, .badLabel), (#"{"position": "left"}"#, .badLabel),
        (#"{"label": null, "position": "left"}"#, .badLabel),
        (#"{"label": "\u0000<>", "position": "left"}"#, .badLabel),
    ]) func badValueIsFlaggedAndTheObjectKept(_ entry: String, _ flag: SceneFlag) throws {
        let scene = try Self.scene("{\"objects\": [\(entry), {\"label\": \"pole\", \"position\": \"left\"}]}")
        #expect(scene.objects.count == 2)
        #expect(scene.objects[0].flags == [flag])
        #expect(scene.objects[1].flags.isEmpty)
        #expect(scene.flaggedObjects == 1)
    }

    @Test func nullsAreAbsent() throws {
        let scene = try Self.scene(
            #"{"objects": [{"label": "car", "position": "left", "distance": null, "confidence": null}]}"#)
        #expect(scene.flaggedObjects == 0)
    }

    @Test func bareNumberIsFeet() throws {
        let scene = try Self.scene(#"{"objects": [{"label": "car", "position": "left", "distance": 10}]}"#)
        #expect(scene.objects[0].distanceM == 3.048)
    }

    @Test func entriesThatAreNotObjectsAreSkipped() throws {
        let scene = try Self.scene(
            #"{"objects": [7, "car", null, [], {"label": "car", "position": "left"}]}"#)
        #expect(scene.objects.map(\.label) == ["car"])
    }

    @Test(arguments: ["", "{", "[]", "7", "null", "{}", #"{"objects": 3}"#, #"{"objects": null}"#, "\u{1}"])
    func otherDocumentsAreRefused(_ text: String) {
        #expect(throws: BlindspotError.self) { try Self.scene(text) }
    }

    @Test func sizeAndDepthAreLimited() {
        #expect(throws: BlindspotError.tooManyBytes(got: 65_537, limit: 65_536)) {
            try SceneDecoder().decode([UInt8](repeating: 32, count: 65_537))
        }
        #expect(throws: BlindspotError.self) { try Self.scene(String(repeating: "[", count: 60_000)) }
    }

    /// Of more than 300 objects the hazards are kept, wherever they stand.
    @Test func hazardsSurviveACrowd() throws {
        var objects = (0..<400).map { _ in SceneObject(label: "person", position: .left, distanceM: 1) }
        objects.append(SceneObject(label: "bus", position: .center, distanceM: 30))
        let scene = Scene(objects: objects)
        #expect(scene.objects.count == 300)
        #expect(scene.droppedObjects == 101)
        #expect(scene.objects.contains { $0.label == "bus" })
    }

    @Test func damagedDocumentsNeverTrap() {
        let good = Array(
            #"{"objects": [{"label": "pothole", "position": "center", "distance": "5 feet"}]}"#.utf8)
        var random = SeededBytes(seed: 3)
        for _ in 0..<2_000 {
            var bytes = good
            for _ in 0..<2 {
                bytes[random.int(in: 0...bytes.count - 1)] = UInt8(truncatingIfNeeded: random.next())
            }
            guard let scene = try? SceneDecoder().decode(bytes) else { continue }
            #expect(scene.objects.allSatisfy { ($0.distanceM ?? 0) >= 0 && !$0.label.isEmpty })
        }
    }
}
