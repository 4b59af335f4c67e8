import Testing

@testable import QuietAlert

@Suite struct TaughtSoundTests {
    @Test func comesBackAsItWasStored() {
        var sound = SampleSpace.sound("Türklingel 🔔")
        sound.urgency = .urgent
        #expect(TaughtSound(bytes: sound.bytes) == sound)
    }

    @Test func theLargestFitsASetting() {
        let vector = [Float](repeating: 0.1, count: CustomSoundLimits.maxWidth)
        let example = CustomSoundExample(
            vectors: .init(repeating: vector, count: CustomSoundLimits.maxVectors), magnitude: 1)
        let sound = TaughtSound(
            label: String(repeating: "x", count: CustomSoundLimits.maxNameBytes), urgency: .info,
            modelName: String(repeating: "n", count: 64), modelVersion: "1.0.0",
            modelDigest: SampleSpace.digest,
            examples: .init(repeating: example, count: CustomSoundLimits.examples.upperBound), threshold: 0.9)
        #expect(sound.bytes.count <= CustomSoundLimits.maxStoredBytes)
        #expect(TaughtSound(bytes: sound.bytes) == sound)
    }

    @Test func anythingElseIsNoSound() {
        let bytes = SampleSpace.sound().bytes
        for count in 0..<bytes.count { #expect(TaughtSound(bytes: Array(bytes[..<count])) == nil) }
        #expect(TaughtSound(bytes: bytes + [0]) == nil)
        #expect(TaughtSound(bytes: [2] + bytes.dropFirst()) == nil)
        #expect(TaughtSound(bytes: .init(repeating: 0, count: 1 << 20)) == nil)
        // Every damaged byte gives a sound or none, but never a trap.
        for place in bytes.indices {
            var damaged = bytes
            damaged[place] = 0xff
            _ = TaughtSound(bytes: damaged)
        }
        var alarm = SampleSpace.sound()
        alarm.urgency = .lifeSafety
        #expect(TaughtSound(bytes: alarm.bytes) == nil)
    }
}
