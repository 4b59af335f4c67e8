import Numerics
import QuietAlert
import Testing

/// Steps of 0.32 s of background, and of what happens in it.
@Suite struct SteadyGateTests {
    private let size = AudioStepper.stepSamples

    /// Step `index` of white noise at `dBFS`.
    private func noise(_ index: Int, dBFS: Double = -50, seed: UInt64 = 1) -> AudioStep {
        var source = SeededNoise(seed: seed &* 1_000_003 &+ UInt64(index))
        let amplitude = Decibels.toAmplitude(dBFS) * 3.0.squareRoot()
        return step(index, (0..<size).map { _ in Float(source.uniform(-amplitude...amplitude)) })
    }

    private func hum(_ index: Int, hz: Double) -> AudioStep {
        let turn = 2 * Double.pi * hz / 22_050
        return step(index, (0..<size).map { Float(0.01 * Elementary.sin(turn * Double(index * size + $0))) })
    }

    private func step(_ index: Int, _ samples: [Float]) -> AudioStep {
        AudioStep(
            samples: samples, endSampleIndex: UInt64((index + 1) * size), blindSamples: 0,
            startsFromSilence: false)
    }

    /// Whether each of the steps was computed.
    private func computed(_ gate: inout SteadyGate, _ steps: [AudioStep]) -> [Bool] {
        steps.map { gate.pass($0) != .skip }
    }

    @Test func steadySoundIsComputedUntilNothingElseIsRememberedAndThenOnceInSeventeenSteps() {
        for steps in [(0..<100).map { noise($0) }, (0..<100).map { hum($0, hz: 100) }] {
            var gate = SteadyGate()
            let result = computed(&gate, steps)
            #expect(result.prefix(16).allSatisfy { $0 })
            #expect(result.indices.filter { $0 >= 16 && result[$0] } == [32, 49, 66, 83])
        }
    }

    @Test func aSoundIsLedInByTheStepBeforeIt() throws {
        var gate = SteadyGate()
        #expect(computed(&gate, (0..<20).map { noise($0) }).suffix(4) == [false, false, false, false])
        var knock = noise(20)
        for i in 0..<1_000 { knock.samples[6_000 + i] += i % 2 == 0 ? 0.02 : -0.02 }
        guard case .compute(let step, let leadIn?) = gate.pass(knock) else {
            Issue.record("the knock was left out")
            return
        }
        #expect(step == knock)
        #expect(leadIn.endSampleIndex + UInt64(size) == knock.endSampleIndex)
        #expect(leadIn.samples.suffix(size - 441) == noise(19).samples.suffix(size - 441))
        // After the knock, the network must have forgotten it before anything is left out again.
        let after = computed(&gate, (21..<60).map { noise($0) })
        #expect(after.prefix(16).allSatisfy { $0 })
        #expect(after[16] == false)
    }

    @Test func wherePartsAreLeftOutNoClickIsMade() {
        // 97 Hz: no two steps begin at the same phase.
        var gate = SteadyGate()
        var heard: [Float] = []
        for index in 0..<120 {
            let next = index == 100 ? noise(index, dBFS: -20) : hum(index, hz: 97)
            guard case .compute(let step, let leadIn) = gate.pass(next) else { continue }
            heard += leadIn?.samples ?? []
            if index < 100 { heard += step.samples }
        }
        let jumps = zip(heard, heard.dropFirst()).map { abs($0 - $1) }
        #expect(heard.count > 20 * size && heard.count < 30 * size)
        // The steepest slope of the tone, and what blending two of any phase adds.
        let slope: Float = 0.01 * 2 * Float.pi * 97 / 22_050
        let blending: Float = 0.02 / 441
        #expect((jumps.max() ?? 1) < slope + blending + 1e-5)
    }

    @Test(arguments: [-9.0, -3, 3, 9])
    func aChangeOfLevelOpens(decibels: Double) {
        var gate = SteadyGate()
        let result = computed(&gate, (0..<60).map { noise($0, dBFS: $0 < 30 ? -50 : -50 + decibels) })
        #expect(result[29] == false && result[30])
        // Until the network has forgotten the older level.
        #expect(result[30...46].allSatisfy { $0 })
        #expect(result[54...].contains(false))
    }

    @Test func whatRisesSlowlyIsFollowed() {
        var gate = SteadyGate()
        var heardDBFS = -60.0
        for index in 0..<600 {
            let level = -60 + 0.05 * Double(index)
            if gate.pass(noise(index, dBFS: level)) != .skip { heardDBFS = level }
            #expect(level - heardDBFS < 2.5)
        }
    }

    @Test func whatChangesAllTheTimeIsNeverLeftOut() {
        // A siren between 600 and 1,400 Hz, and a clock that ticks.
        var phase = 0.0
        func sirenSample(_ index: Int) -> Float {
            let swing = Elementary.sin(2 * .pi * 0.25 * Double(index) / 22_050)
            phase += 2 * .pi * (1_000 + 400 * swing) / 22_050
            return Float(0.05 * Elementary.sin(phase))
        }
        let siren = (0..<80).map { index in step(index, (0..<size).map { sirenSample(index * size + $0) }) }
        let clock = (0..<80).map { index -> AudioStep in
            var quiet = noise(index, dBFS: -66)
            if index % 3 == 0 { for i in 0..<60 { quiet.samples[3_000 + i] += i % 2 == 0 ? 0.01 : -0.01 } }
            return quiet
        }
        for steps in [siren, clock] {
            var gate = SteadyGate()
            #expect(computed(&gate, steps).allSatisfy { $0 })
        }
    }

    @Test func theCallerMayForbidAndMakeItForget() {
        var gate = SteadyGate()
        _ = computed(&gate, (0..<20).map { noise($0) })
        guard case .compute(_, let leadIn) = gate.pass(noise(20), maySkip: false) else {
            Issue.record("left out although forbidden")
            return
        }
        #expect(leadIn?.endSampleIndex == UInt64(20 * size))
        #expect(gate.pass(noise(21)) == .skip)
        gate.forget()
        #expect(computed(&gate, (22..<39).map { noise($0) }) == [Bool](repeating: true, count: 16) + [false])
    }

    @Test func digitalSilenceAndItsRoundingAreSteady() {
        var gate = SteadyGate()
        let steps = (0..<40).map { index -> AudioStep in
            var source = SeededNoise(seed: UInt64(index))
            // The last bit of 16 flickers now and then.
            return step(index, (0..<size).map { _ in source.uniform() < 0.01 ? 1 / 32_768 : 0 })
        }
        #expect(computed(&gate, steps).count { $0 } <= 18)
    }

    @Test func stepsOfHalfASecondAreRememberedByTheTen() {
        var gate = SteadyGate(stepSamples: AudioStepper.wholeWindowStepSamples)
        let steps = (0..<12).map { index -> AudioStep in
            var long = noise(index)
            long.samples += noise(index + 1_000).samples.prefix(AudioStepper.wholeWindowStepSamples - size)
            return long
        }
        #expect(computed(&gate, steps) == [Bool](repeating: true, count: 10) + [false, false])
    }
}
