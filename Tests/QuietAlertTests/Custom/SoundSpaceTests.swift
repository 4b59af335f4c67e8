import QuietAlert
import Testing

@Suite struct SoundSpaceTests {
    @Test func readsWhatIsStored() {
        #expect(SoundSpace(bytes: SampleSpace.bytes) == SampleSpace.make())
    }

    @Test func anythingElseIsNoSpace() {
        let bytes = SampleSpace.bytes
        for count in 0..<bytes.count { #expect(SoundSpace(bytes: Array(bytes[..<count])) == nil) }
        #expect(SoundSpace(bytes: bytes + [0]) == nil)
        // Counts in the header that the file does not hold, or no limit allows.
        for place in stride(from: 43, to: 60, by: 4) {
            var damaged = bytes
            damaged[place] = 0x80
            #expect(SoundSpace(bytes: damaged) == nil, "byte \(place)")
        }
        for place in bytes.indices {
            var damaged = bytes
            damaged[place] = 0xff
            _ = SoundSpace(bytes: damaged)
        }
        var infinite = bytes
        infinite.replaceSubrange((bytes.count - 4)..., with: [0, 0, 0x80, 0x7f])
        #expect(SoundSpace(bytes: infinite) == nil)
    }

    @Test func mapsEmbeddingsOfItsWidthOnly() {
        let space = SampleSpace.make()
        let embedding: [Float] = [1, 2, 3, 4]
        #expect(space.point(embedding.span) == [1, 2, 3])
        #expect(space.point(Array(embedding.dropLast()).span) == [])
    }
}
