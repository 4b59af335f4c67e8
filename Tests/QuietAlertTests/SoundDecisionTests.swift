import QuietAlert
import Testing

@Suite struct SoundDecisionTests {
    private func logits(_ pairs: [SoundLabel: Float]) -> [Float] {
        SoundLabel.networkLabels.map { pairs[$0] ?? -5 }
    }

    @Test func labelsStandInLogitOrder() {
        #expect(
            SoundLabel.networkLabels.map(\.rawValue) == [
                "crackling_fire", "siren", "dog", "clock_alarm", "glass_breaking", "crying_baby",
                "vacuum_cleaner", "hand_saw", "door_wood_knock",
            ])
    }

    @Test func presenceDecidesWhetherTheBestIsHeard() {
        let present = SoundDecision(presenceLogit: 2, classLogits: logits([.dog: 5]))
        #expect(present.detections.map(\.label) == [.dog])
        #expect(abs(present.detections[0].confidence - 0.88) < 0.01)
        let absent = SoundDecision(presenceLogit: -0.1, classLogits: logits([.dog: 5]))
        #expect(absent.detections.isEmpty && abs(absent.presence - 0.475) < 0.01)
    }

    @Test func thresholdsMayDifferByLabel() {
        let thresholds = SoundThresholds(presenceLogit: 1, presenceLogitByLabel: [.siren: -1])
        let siren = SoundDecision(presenceLogit: 0, classLogits: logits([.siren: 4]), thresholds: thresholds)
        let dog = SoundDecision(presenceLogit: 0, classLogits: logits([.dog: 4]), thresholds: thresholds)
        #expect(siren.detections.map(\.label) == [.siren] && dog.detections.isEmpty)
    }

    @Test func twoSoundsAtOnce() {
        let both = SoundDecision(presenceLogit: 3, classLogits: logits([.dog: 5, .siren: 4.9]))
        #expect(both.detections.map(\.label) == [.dog, .siren])
    }

    @Test(arguments: [
        [], [1, 2], [Float](repeating: .nan, count: 9), [Float](repeating: .infinity, count: 9),
    ])
    func unusableLogitsDecideNothing(classLogits: [Float]) {
        let decision = SoundDecision(presenceLogit: 9, classLogits: classLogits)
        #expect(decision.detections.isEmpty && decision.classProbabilities.isEmpty)
        #expect(SoundDecision(presenceLogit: .nan, classLogits: logits([.dog: 1])).detections.isEmpty)
    }

    @Test(arguments: SoundLabel.allCases)
    func urgencyAndHaptics(label: SoundLabel) {
        let urgency = SoundPolicy.urgency(of: label)
        let haptic = SoundPolicy.haptic(for: label)
        switch label {
        case .smokeAlarm, .coAlarm:
            #expect(urgency == .lifeSafety && !SoundPolicy.mayBeSuppressed(label))
            #expect(haptic.repeats == 3 && haptic.pulses.allSatisfy { $0.intensity == 1 })
        case .cracklingFire, .siren, .glassBreaking:
            #expect(urgency == .urgent && SoundPolicy.mayBeSuppressed(label))
            #expect(haptic.pulses.count == 4)
            #expect(
                haptic.pulses.allSatisfy {
                    $0.onMs + $0.offMs == 200 && $0.intensity == 1 && $0.sharpness == 1
                })
        default:
            #expect(urgency == (label == .lowBatteryChirp ? .info : .normal) && haptic.pulses.count == 1)
            #expect(haptic.pulses[0].intensity == 0.6 && haptic.pulses[0].sharpness == 0.4)
        }
    }
}
