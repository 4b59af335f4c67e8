import Numerics
import Testing

@Suite struct SampleRingTests {
    @Test func keepsTheNewestSamplesUnderTheirIndex() {
        var ring = SampleRing(capacity: 4)
        ring.append([1, 2, 3])
        #expect(ring.startIndex == 0 && ring.endIndex == 3)
        ring.append([4, 5, 6])
        #expect(ring.startIndex == 2)
        #expect(ring[1] == nil && ring[2] == 3 && ring[5] == 6 && ring[6] == nil)
        #expect(ring.last(3, endingAt: 6) == [4, 5, 6])
        #expect(ring.last(3, endingAt: 5) == [3, 4, 5])
        #expect(ring.last(6, endingAt: 6) == [0, 0, 3, 4, 5, 6])
        #expect(ring.last(2, endingAt: 99) == [5, 6])
        #expect(ring.last(2, endingAt: 1) == [0, 0])
    }

    @Test func longInputAndRepeatsWrap() {
        var ring = SampleRing(capacity: 3)
        ring.append([1, 2, 3, 4, 5, 6, 7])
        #expect(ring.last(3, endingAt: 7) == [5, 6, 7])
        ring.append(repeating: 9, count: 2)
        #expect(ring.last(3, endingAt: 9) == [7, 9, 9])
        ring.append(repeating: 0, count: 1_000_000_000_000)
        #expect(ring.endIndex == 1_000_000_000_009)
        #expect(ring.last(3, endingAt: ring.endIndex) == [0, 0, 0])
    }

    @Test func anyCutGivesTheSameRing() {
        var noise = SeededNoise(seed: 1)
        let samples = (0..<500).map { _ in Float(noise.uniform()) }
        var whole = SampleRing(capacity: 77)
        whole.append(samples)
        var cut = SampleRing(capacity: 77)
        var offset = 0
        while offset < samples.count {
            let n = min(samples.count - offset, Int(noise.next() % 120))
            cut.append(Array(samples[offset..<(offset + n)]))
            offset += n
        }
        #expect(cut.last(77, endingAt: 500) == whole.last(77, endingAt: 500))
        #expect(cut.endIndex == whole.endIndex)
    }
}
