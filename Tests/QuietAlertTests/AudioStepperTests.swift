import Numerics
import QuietAlert
import Testing

@Suite struct AudioStepperTests {
    private let step = AudioStepper.stepSamples
    /// Never zero: silence has rules of its own.
    private func ramp(_ range: Range<Int>) -> [Float] { range.map { Float($0 % 65_536 + 1) } }
    private func zeros(_ steps: Int) -> [Float] { [Float](repeating: 0, count: steps * step) }

    @Test func stepsFollowOneAnother() {
        var stepper = AudioStepper()
        #expect(stepper.push(ramp(0..<7_055)).isEmpty)
        let steps = stepper.push(ramp(7_055..<22_000))
        #expect(steps.map(\.endSampleIndex) == [7_056, 14_112, 21_168])
        #expect(steps.flatMap(\.samples) == ramp(0..<21_168))
        #expect(steps.map(\.startsFromSilence) == [true, false, false])
        #expect(steps.allSatisfy { $0.blindSamples == 0 && !$0.isSkipped })
        #expect(stepper.endSampleIndex == 22_000)
    }

    @Test func stepsOfHalfASecond() {
        var stepper = AudioStepper(stepSamples: AudioStepper.wholeWindowStepSamples)
        let steps = stepper.push(ramp(0..<30_000))
        #expect(steps.map(\.endSampleIndex) == [11_025, 22_050])
        #expect(steps.flatMap(\.samples) == ramp(0..<22_050))
        #expect(stepper.pushGap(11_025).map(\.blindSamples) == [3_075])
        // The end is padded to a whole step, and a short stream to the first that can decide.
        #expect(stepper.finish().map(\.endSampleIndex) == [44_100])
        var short = AudioStepper(stepSamples: AudioStepper.wholeWindowStepSamples)
        _ = short.push([1])
        #expect(short.finish().map(\.endSampleIndex) == [11_025, 22_050])
    }

    @Test func anyCutGivesTheSameSteps() {
        let samples = ramp(0..<40_000) + zeros(20) + ramp(0..<30_000)
        var whole = AudioStepper()
        let expected = whole.push(samples)
        var noise = SeededNoise(seed: 2)
        var cut = AudioStepper()
        var steps: [AudioStep] = []
        var offset = 0
        while offset < samples.count {
            let n = min(samples.count - offset, Int(noise.next() % 20_000))
            steps += cut.push(Array(samples[offset..<(offset + n)]))
            offset += n
        }
        #expect(steps == expected)
    }

    @Test func silenceIsSkippedOnceNothingElseIsRemembered() {
        var stepper = AudioStepper()
        #expect(stepper.push(zeros(2)).allSatisfy { $0.isSkipped })
        #expect(stepper.push(ramp(0..<step)).first?.startsFromSilence == true)
        let after = stepper.push(zeros(20))
        // 16 steps of 7,056 samples are the first count that covers 110,250.
        #expect(after.prefix(16).allSatisfy { !$0.isSkipped && $0.samples.count == step })
        #expect(after.dropFirst(16).allSatisfy { $0.isSkipped })
        #expect(after.map(\.endSampleIndex).last == UInt64(23 * step))
        let next = stepper.push(ramp(0..<(2 * step)))
        #expect(next.map(\.startsFromSilence) == [true, false])
    }

    @Test func oneSampleEndsSilence() {
        var stepper = AudioStepper()
        var samples = zeros(1)
        samples[step - 1] = 1e-7
        #expect(stepper.push(samples).first?.isSkipped == true)
        // The least that 16 bits hold.
        samples[step - 1] = 1 / 32_768
        #expect(stepper.push(samples).first?.isSkipped == false)
    }

    @Test func gapsReadAsSilenceAndAreCounted() {
        var stepper = AudioStepper()
        _ = stepper.push(ramp(0..<5_000))
        let steps = stepper.pushGap(3_000)
        #expect(steps.map(\.blindSamples) == [2_056])
        let next = stepper.push(ramp(0..<10_000))
        #expect(next.first?.endSampleIndex == 14_112 && next.first?.blindSamples == 944)
        #expect(next.first?.samples.prefix(944).allSatisfy { $0 == 0 } == true)
        #expect(next.first?.samples[944] == 1)
        #expect(stepper.blindSamples == 3_000)
    }

    @Test func aGapOfAYearIsAFewSteps() {
        var stepper = AudioStepper()
        _ = stepper.push(ramp(0..<30_000))
        let year: UInt64 = 22_050 * 31_557_600
        let steps = stepper.pushGap(year)
        #expect(steps.count == 5)
        #expect(steps.map(\.isSkipped) == [false, false, false, false, true])
        #expect(stepper.endSampleIndex == year + 30_000)
        let ends = steps.map(\.endSampleIndex)
        #expect(ends == ends.sorted())
        let after = stepper.push(ramp(0..<(2 * step)))
        #expect(after.first?.startsFromSilence == true)
        #expect(after.first?.endSampleIndex == (ends.last ?? 0) + UInt64(step))
    }

    @Test func theEndIsPaddedToAStepAndToTheFirstDecision() {
        var short = AudioStepper()
        _ = short.push(ramp(0..<100))
        let steps = short.finish()
        #expect(steps.map(\.endSampleIndex) == [7_056, 14_112, 21_168])
        var long = AudioStepper()
        _ = long.push(ramp(0..<(5 * step)))
        #expect(long.finish().isEmpty)
        _ = long.push([1])
        #expect(long.finish().map(\.endSampleIndex) == [UInt64(6 * step)])
        var empty = AudioStepper()
        #expect(empty.finish().isEmpty)
    }
}
