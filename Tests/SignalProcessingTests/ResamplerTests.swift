import Numerics
import SignalProcessing
import Testing

@Suite struct ResamplerTests {
    static let rates = [8_000, 22_050, 44_100, 44_101, 48_000, 192_000]

    private func resample(_ input: [Float], from rateHz: Int) throws -> [Float] {
        var resampler = Resampler(design: try ResamplerDesign(inputRateHz: rateHz, outputRateHz: 22_050))
        return resampler.process(input) + resampler.finish()
    }

    @Test(arguments: rates)
    func passBandIsFlatAndInTime(rateHz: Int) throws {
        let top = 0.9 * Double(min(rateHz, 22_050)) / 2
        for frequency in [520, 3_100, 0.99 * top] where frequency < top {
            let output = try resample(
                Signals.sine(frequency, rateHz: rateHz, count: rateHz / 8), from: rateHz)
            let expected = Signals.sine(frequency, rateHz: 22_050, count: output.count)
            // The edges differ: the stream begins and ends in mid-sine.
            let middle = 500..<(output.count - 500)
            let error = Signals.rms(zip(output[middle], expected[middle]).map { $0 - $1 })
            #expect(Signals.decibels(error / 0.707) < -66, "\(frequency) Hz at \(rateHz)")
        }
    }

    @Test(arguments: [24_000, 44_100, 44_101, 48_000, 192_000])
    func whatCannotBeHeldIsRemoved(rateHz: Int) throws {
        for frequency in [11_030.0, 11_900, 20_000, 90_000]
        where frequency < Double(rateHz) / 2 {
            let output = try resample(
                Signals.sine(frequency, rateHz: rateHz, count: rateHz / 8), from: rateHz)
            let level = Signals.decibels(Signals.rms(output[500..<(output.count - 500)]) / 0.707)
            #expect(level < -75, "\(frequency) Hz at \(rateHz) leaves \(level) dB")
        }
    }

    @Test func upsamplingLeavesNoImages() throws {
        let output = try resample(Signals.sine(3_000, rateHz: 8_000, count: 8_000), from: 8_000)
        let image = Goertzel(frequencyHz: 5_000, sampleRateHz: 22_050)
        #expect(image.power(Array(output[2_050..<20_050])) < 1e-7)
    }

    @Test(arguments: rates)
    func outputCountFollowsTheClock(rateHz: Int) throws {
        let output = try resample([Float](repeating: 0.5, count: rateHz / 5), from: rateHz)
        #expect(output.count == (rateHz / 5 * 22_050 + rateHz - 1) / rateHz)
        #expect(output[500..<3_900].allSatisfy { abs($0 - 0.5) < 1e-5 })
    }

    @Test(arguments: rates)
    func anImpulseStaysAtItsInstant(rateHz: Int) throws {
        var input = [Float](repeating: 0, count: rateHz / 10)
        let at = rateHz / 20
        input[at] = 1
        let output = try resample(input, from: rateHz)
        let peak = output.indices.max { output[$0] < output[$1] } ?? 0
        #expect(abs(Double(peak) / 22_050 - Double(at) / Double(rateHz)) < 0.75 / 22_050)
    }

    @Test(arguments: [8_000, 44_101, 48_000, 192_000], [1, 960, 96_000])
    func anyCutGivesTheSameSamples(rateHz: Int, longest: Int) throws {
        let design = try ResamplerDesign(inputRateHz: rateHz, outputRateHz: 22_050)
        let count = longest == 1 ? 3_000 : rateHz / 4 + longest / 8
        let input = Signals.noise(count: count, seed: 7)
        var whole = Resampler(design: design)
        let expected = whole.process(input) + whole.finish()
        var cut = Resampler(design: design)
        var output: [Float] = []
        for piece in Signals.cut(input, longest: longest, seed: UInt64(longest)) {
            output += cut.process(piece)
        }
        output += cut.finish()
        #expect(output == expected)
    }

    @Test func aFormatChangeInMidToneMakesNoClick() throws {
        let first = try ResamplerDesign(inputRateHz: 48_000, outputRateHz: 22_050)
        let second = try ResamplerDesign(inputRateHz: 16_000, outputRateHz: 22_050)
        var before = Resampler(design: first)
        var after = Resampler(design: second, fadesIn: true)
        let tone = 440.0
        let count = 8_017
        var joined = before.process(Signals.sine(tone, rateHz: 48_000, count: count, phase: 1))
        joined += before.finish(fadesOut: true)
        let phase = 1 + 2 * Double.pi * tone * Double(count) / 48_000
        joined += after.process(Signals.sine(tone, rateHz: 16_000, count: 4_000, phase: phase))
        // A step would jump by up to 2; the tone itself moves by at most 2π · 440 / 22,050 = 0.125.
        let steps = zip(joined[500...], joined[501...]).map { abs($1 - $0) }
        #expect((steps.max() ?? 9) < 0.2)
        #expect(joined.allSatisfy { abs($0) < 1.05 })
    }

    @Test func ratesOutsideTheRangeAreNamed() {
        #expect(throws: AudioError.sampleRateOutOfRange(gotHz: 7_999)) {
            try ResamplerDesign(inputRateHz: 7_999, outputRateHz: 22_050)
        }
        #expect(throws: AudioError.outputRateOutOfRange(gotHz: 0)) {
            try ResamplerDesign(inputRateHz: 8_000, outputRateHz: -5)
        }
    }
}
