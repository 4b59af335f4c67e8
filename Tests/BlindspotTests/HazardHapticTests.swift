import Blindspot
import Testing

@Suite struct HazardHapticTests {
    @Test(
        arguments: [
            ("pothole", ScenePosition.center, 1.5, HazardHaptic.dangerAhead),
            ("pothole", .center, nil, .dangerAhead),
            ("pothole", .unknown, 2, .dangerAhead), ("pothole", .left, 2, .proximity),
            ("pothole", .center, 3.1, nil),
            ("person", .center, 1, .proximity), ("person", .center, nil, nil), ("person", .left, 9, nil),
        ] as [(String, ScenePosition, Double?, HazardHaptic?)])
    func feel(_ label: String, _ position: ScenePosition, _ distance: Double?, _ haptic: HazardHaptic?) {
        #expect(HazardHaptic(SceneObject(label: label, position: position, distanceM: distance)) == haptic)
    }

    @Test func patternsAreTheOriginalOnes() {
        #expect(HazardHaptic.dangerAhead.pulses == 3)
        #expect(HazardHaptic.spacingMs == 150)
        #expect(HazardHaptic.proximity.pulses == 1)
        #expect(HazardHaptic.pulseMs >= 30 && HazardHaptic.pulseMs < HazardHaptic.spacingMs)
    }
}
