import Blindspot
import TestSupport
import Testing

@Suite struct HazardRankerTests {
    static let pothole = SceneObject(label: "pothole", position: .center, distanceText: "5 feet")
    static let person = SceneObject(label: "person", position: .left, distanceText: "10 feet")

    @Test func hazardsComeFirstByDistance() {
        let objects = [
            SceneObject(label: "tree", position: .center, distanceM: 0.5),
            SceneObject(label: "car", position: .left, distanceM: 8), Self.person, Self.pothole,
            SceneObject(label: "pole", position: .right),
            SceneObject(label: "curb", position: .left, distanceM: .nan),
            SceneObject(label: "bus", position: .left, distanceM: -3),
            SceneObject(label: "stairs", position: .right, distanceM: 0.8),
        ]
        for order in Self.shuffles(of: objects) {
            let scene = Scene(objects: order)
            // Unknown distances last, in the order of their labels; a person is no hazard.
            #expect(
                HazardRanker.hazards(in: scene, limit: 9).map(\.label)
                    == ["stairs", "pothole", "car", "bus", "curb", "pole"])
            #expect(HazardRanker.others(in: scene).map(\.label) == ["tree", "person"])
        }
    }

    @Test func lengthIsBounded() {
        let objects = (0..<300).map {
            SceneObject(label: "car", position: .left, distanceM: Double(300 - $0) / 2, trackID: UInt32($0))
        }
        let hazards = HazardRanker.hazards(in: Scene(objects: objects))
        #expect(hazards.count == BlindspotLimits.maxHazards)
        #expect(hazards.map(\.trackID) == [299, 298, 297, 296, 295])
        #expect(HazardRanker.hazards(in: Scene(objects: objects), limit: -1).isEmpty)
    }

    @Test(arguments: [
        ("pothole", true), ("Potholes", true), ("CARS", true), ("buses", true), ("fire_hydrant", true),
        ("fire-hydrant", true), ("construction cones", true), ("stairs", true), ("person", false),
        ("carpet", false),
        ("", false), ("bush", false), ("curbs", true),
    ]) func labels(_ label: String, _ isHazard: Bool) {
        #expect(SceneObject(label: label, position: .left).isHazard == isHazard)
    }

    static func shuffles(of objects: [SceneObject]) -> [[SceneObject]] {
        var random = SeededBytes(seed: 11)
        return (0..<50).map { _ in
            var order = objects
            for place in stride(from: order.count - 1, to: 0, by: -1) {
                order.swapAt(place, random.int(in: 0...place))
            }
            return order
        }
    }
}
