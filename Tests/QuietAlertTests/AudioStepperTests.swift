import Numerics
import QuietAlert
import Testing

@Suite struct AudioWindowerTests {
    private func ramp(_ range: Range<Int>) -> [Float] { range.map { Float($0 % 65_536) } }

    @Test func theFirstDecisionComesAfterOneSecond() {
        var windower = AudioWindower()
        #expect(windower.push(ramp(0..<22_049)).isEmpty)
        let windows = windower.push(ramp(22_049..<33_075))
        #expect(windows.map(\.endSampleIndex) == [22_050, 33_075])
        #expect(windows[0].samples.count == 110_250)
        #expect(windows[0].paddedSamples == 88_200 && windows[0].blindSamples == 0)
        #expect(Array(windows[0].samples[..<88_200]) == [Float](repeating: 0, count: 88_200))
        #expect(Array(windows[0].samples[88_200...]) == ramp(0..<22_050))
    }

    @Test func fullWindowsMoveByHalfASecond() throws {
        var windower = AudioWindower()
        let windows = windower.push(ramp(0..<220_500))
        #expect(windows.count == 19)
        let last = try #require(windows.last)
        #expect(last.endSampleIndex == 220_500 && last.paddedSamples == 0)
        #expect(last.samples == ramp(110_250..<220_500))
    }

    @Test func anyCutGivesTheSameWindows() {
        let samples = ramp(0..<90_000)
        var whole = AudioWindower()
        let expected = whole.push(samples)
        var noise = SeededNoise(seed: 2)
        var cut = AudioWindower()
        var windows: [AudioWindow] = []
        var offset = 0
        while offset < samples.count {
            let n = min(samples.count - offset, Int(noise.next() % 20_000))
            windows += cut.push(Array(samples[offset..<(offset + n)]))
            offset += n
        }
        #expect(windows == expected)
    }

    @Test func gapsReadAsSilenceAndAreCounted() throws {
        var windower = AudioWindower()
        _ = windower.push([Float](repeating: 1, count: 20_000))
        let windows = windower.pushGap(5_000)
        #expect(windows.map(\.blindSamples) == [2_050])
        let next = windower.push([Float](repeating: 1, count: 10_000))
        let window = try #require(next.first)
        #expect(window.endSampleIndex == 33_075 && window.blindSamples == 5_000)
        #expect(window.samples.suffix(33_075).filter { $0 == 0 }.count == 5_000)
        #expect(windower.blindSamples == 5_000)
    }

    @Test func aGapOfAYearCostsNothing() {
        var windower = AudioWindower()
        _ = windower.push([Float](repeating: 1, count: 30_000))
        let year: UInt64 = 22_050 * 31_557_600
        let windows = windower.pushGap(year)
        // Only windows that still hold some of the 30,000 samples.
        #expect(windows.count < 12 && !windows.isEmpty)
        #expect(windower.endSampleIndex == year + 30_000)
        let after = windower.push([Float](repeating: 1, count: 11_025))
        #expect(after.count == 1)
        #expect(after[0].samples.suffix(100).allSatisfy { $0 == 1 || $0 == 0 })
        #expect(after[0].blindSamples + 11_025 >= 110_250 - 11_025)
    }
}
