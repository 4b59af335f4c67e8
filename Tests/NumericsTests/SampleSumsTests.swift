import Numerics
import Testing

@Suite struct SampleSumsTests {
    @Test(arguments: [0, 1, 7, 8, 9, 31, 2_205])
    func runsAddUpAsSinglesDo(count: Int) {
        var noise = SeededNoise(seed: UInt64(count))
        let samples = (0..<count).map { _ in Float(max(-1, min(1, noise.uniform(-1.3...1.3)))) }
        var (run, singles) = (SampleSums(), SampleSums())
        run.add(samples.span, fullScale: 1)
        for x in samples { singles.add(x, fullScale: 1) }
        #expect(abs(run.sum - singles.sum) < 1e-9 && abs(run.squares - singles.squares) < 1e-9)
        #expect(run.peak == singles.peak && run.clipped == singles.clipped)
        if count > 100 { #expect(run.clipped > 0 && run.peak == 1) }
    }

    @Test func sixteenBitSamplesAreRead() {
        let values: [Int16] = [0, 1, -1, 32_767, -32_768, 256, -257, 12_345, -12_345, 2, 3]
        let bytes = values.flatMap { value -> [UInt8] in
            let bits = UInt16(bitPattern: value)
            return [UInt8(bits & 255), UInt8(bits >> 8)]
        }
        for count in 0...values.count {
            let read = FloatKernels.floats(fromS16LE: bytes.span.extracting(0..<(2 * count)))
            #expect(read == values.prefix(count).map { Float($0) / 32_768 })
        }
        #expect(FloatKernels.floats(fromS16LE: [1, 2, 3].span).count == 1)
    }
}
