import QuietAlert
import Testing

@Suite struct CustomSoundMatcherTests {
    private let matcher = CustomSoundMatcher([SampleSpace.sound()], in: SampleSpace.make())

    @Test func hearsWhatIsAlikeHoweverLoud() throws {
        for scale in [0.5, 1, 20] as [Float] {
            let match = try #require(matcher.match([scale, 0.1 * scale, 0]).first)
            #expect(match.label == "my kettle" && match.isHeard && match.confidence > 0.9)
        }
        let other = try #require(matcher.match([0, 1, 1]).first)
        #expect(!other.isHeard && other.confidence < 0.5)
    }

    @Test func whatIsFaintIsNothing() {
        #expect(matcher.match([0.1, 0, 0]).allSatisfy { !$0.isHeard && $0.confidence == 0 })
        #expect(matcher.match([0, 0, 0]).isEmpty)
        #expect(matcher.match([.nan, 0, 0]).allSatisfy { !$0.isHeard })
        #expect(matcher.match([.infinity, 0, 0]).allSatisfy { !$0.isHeard })
    }

    @Test func aSoundOfAnotherNetworkIsNotCompared() {
        var sound = SampleSpace.sound()
        sound.modelDigest[0] = 8
        let other = CustomSoundMatcher([sound], in: SampleSpace.make())
        #expect(other.isEmpty && other.match([1, 0, 0]).isEmpty)
    }

    @Test func aHalfIsTheThreshold() throws {
        let exact = CustomSoundMatcher([SampleSpace.sound(threshold: 0.6)], in: SampleSpace.make())
        let match = try #require(exact.match([0.6, -0.8, 0]).first)
        #expect(abs(match.confidence - 0.5) < 0.15)
    }
}
