import HarmoniAI
import Testing

@Suite struct HapticRuleTests {
    /// Cues of a song of 60 frames: strong drums, beats and strong vocals on these frames, drum energy of `energy`.
    static func cues(
        drums: [Int] = [], beats: [Int] = [], vocals: [Int] = [], energy: [Int: Double] = [:]
    ) throws -> [HapticCue] {
        var document = SongDocument(frames: 60)
        document.metadata["beat_frames"] = "\(beats)"
        document.set("drums", "strong_onsets", "\(drums)")
        document.set("vocals", "strong_onsets", "\(vocals)")
        document.set("drums", "energy", SongDocument.list((0..<60).map { "\(energy[$0] ?? 0)" }))
        return HapticRule.cues(of: try document.decoded())
    }

    static func cue(_ frame: Int, _ strength: HapticStrength) -> HapticCue {
        HapticCue(frame: frame, strength: strength)
    }

    @Test func heavyTapsKeepSixFramesBetweenThem() throws {
        #expect(
            try Self.cues(drums: [0, 6, 7, 13, 14]) == [
                Self.cue(0, .heavy), Self.cue(7, .heavy), Self.cue(14, .heavy),
            ])
    }

    /// A drum hit too soon for heavy is still a beat or an accent when those may tap.
    @Test func heavyFallsBackToMediumOrSoft() throws {
        #expect(try Self.cues(drums: [0, 5], beats: [5]) == [Self.cue(0, .heavy), Self.cue(5, .medium)])
        #expect(try Self.cues(drums: [0, 5], energy: [5: 0.5]) == [Self.cue(0, .heavy), Self.cue(5, .soft)])
    }

    @Test func beatsKeepFourFramesFromAnyTap() throws {
        #expect(
            try Self.cues(beats: [0, 4, 5, 9, 10]) == [
                Self.cue(0, .medium), Self.cue(5, .medium), Self.cue(10, .medium),
            ])
        #expect(try Self.cues(drums: [8], beats: [12, 13]) == [Self.cue(8, .heavy), Self.cue(13, .medium)])
    }

    /// Heavy looks only at the last heavy tap, not at softer ones.
    @Test func heavyDoesNotWaitForSofterTaps() throws {
        #expect(try Self.cues(drums: [11], beats: [10]) == [Self.cue(10, .medium), Self.cue(11, .heavy)])
    }

    @Test func voicesAndLoudDrumsAreSoft() throws {
        #expect(
            try Self.cues(vocals: [3, 7, 8], energy: [20: 0.15, 30: 0.1501])
                == [Self.cue(3, .soft), Self.cue(8, .soft), Self.cue(30, .soft)])
        #expect(try Self.cues(beats: [3], vocals: [3]) == [Self.cue(3, .medium)])
    }

    @Test func silenceGivesNothing() throws {
        #expect(try Self.cues().isEmpty)
    }

    @Test func strengthsAreThreeClearSteps() {
        let intensities = HapticStrength.allCases.map(\.intensity)
        #expect(zip(intensities, intensities.dropFirst()).allSatisfy { $1 - $0 >= 0.25 })
        #expect(intensities.allSatisfy { (0...1).contains($0) })
        #expect(HapticStrength.allCases.allSatisfy { (0...1).contains($0.sharpness) })
    }
}
