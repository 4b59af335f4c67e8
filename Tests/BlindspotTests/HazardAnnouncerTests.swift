import Blindspot
import Testing

@Suite struct HazardAnnouncerTests {
    static func scene(_ label: String, _ position: ScenePosition, _ distance: Double?, track: UInt32 = 0)
        -> Scene
    {
        Scene(objects: [SceneObject(label: label, position: position, distanceM: distance, trackID: track)])
    }

    /// Seconds, label position and distance → told or not.
    @Test(arguments: [0, 4] as [UInt32]) func tellsNewsOnly(_ track: UInt32) {
        var announcer = HazardAnnouncer()
        let script: [(Int64, Double?, Bool)] = [
            (0, 10, true), (1, 10, false), (2, 9, false), (3, 6.1, false), (4, 6, true), (5, 5.9, false),
            (6, nil, false), (7, 3, true), (16, 3, false), (25, 3, false), (34, 3, false), (37, 3, true),
            (38, 3, false), (48, 3, true),
        ]
        for (second, distance, expected) in script {
            let told = announcer.announce(
                Self.scene("pothole", .center, distance, track: track), nowUs: second * 1_000_000)
            #expect(told.count == (expected ? 1 : 0), "second \(second)")
        }
    }

    @Test func anotherSideIsNews() {
        for track: UInt32 in [0, 9] {
            var announcer = HazardAnnouncer()
            let told = [ScenePosition.left, .left, .center, .center].map {
                announcer.announce(Self.scene("car", $0, 5, track: track), nowUs: 0).count
            }
            #expect(told == [1, 0, 1, 0])
        }
    }

    @Test func firstDistanceIsNews() {
        var announcer = HazardAnnouncer()
        let told = [nil, nil, 4, 4].map { announcer.announce(Self.scene("car", .left, $0), nowUs: 0).count }
        #expect(told == [1, 0, 1, 0])
    }

    @Test func harmlessThingsAreNotTold() {
        var announcer = HazardAnnouncer()
        let told = announcer.announce(Self.scene("person", .center, 1), nowUs: 0)
        #expect(told.isEmpty)
    }

    /// A crowd is told nearest first, five at a time, until all were told; memory stays bounded.
    @Test func crowdsAreBounded() {
        var announcer = HazardAnnouncer()
        let scene = Scene(
            objects: (1...12).map {
                SceneObject(label: "car", position: .left, distanceM: Double($0), trackID: UInt32($0))
            })
        let told = (0..<4).map { announcer.announce(scene, nowUs: $0).map(\.trackID) }
        #expect(told == [[1, 2, 3, 4, 5], [6, 7, 8, 9, 10], [11, 12], []])
        var count = 0
        for round: UInt32 in 0..<300 {
            let next = Scene(
                objects: (0..<5).map {
                    SceneObject(label: "bus", position: .left, distanceM: 5, trackID: 100 + round * 5 + $0)
                })
            count += announcer.announce(next, nowUs: 10).count
        }
        #expect(count == BlindspotLimits.maxRemembered - 12)
        let later = announcer.announce(scene, nowUs: 20_000_000)
        #expect(later.count == 5)
    }

    @Test func timeMayRunBackwards() {
        var announcer = HazardAnnouncer()
        let told = [5_000_000, 0, .min, .max].map {
            announcer.announce(Self.scene("car", .left, 5), nowUs: $0).count
        }
        #expect(told.first == 1)
    }
}
