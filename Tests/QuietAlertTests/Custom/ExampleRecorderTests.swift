import QuietAlert
import Testing

@Suite struct ExampleRecorderTests {
    /// A step of 32 blocks: the first `sounding` at one level, the others at another.
    private func levels(_ sounding: Int, _ loud: Float = -20, quiet: Float = -70) -> [Float] {
        (0..<32).map { $0 < sounding ? loud : quiet }
    }

    private func record(_ steps: [(levels: [Float], novelty: [Float]?)]) throws(CustomSoundProblem)
        -> CustomSoundExample
    {
        var recorder = ExampleRecorder()
        for step in steps { recorder.take(levels: step.levels, novelty: step.novelty) }
        return try recorder.finish()
    }

    @Test func keepsWhatIsNewWhileItSounds() throws {
        let example = try record([
            (levels(0), [0, 0.001, 0]), (levels(32), [3, 0, 0]), (levels(20), [0, 4, 0]),
            (levels(0), [0, 3, 0.1]), (levels(0), [0, 0, 1]), (levels(0), [0, 0, 5]), (levels(0), [9, 9, 9]),
        ])
        // Two steps after its end still tell of it; what is less than half of the longest is its edge.
        #expect(example.magnitude == 4)
        #expect(example.vectors.count == 3)
        #expect(example.vectors.allSatisfy { abs($0.reduce(0) { $0 + $1 * $1 } - 1) < 1e-5 })
        #expect(example.vectors.first == [1, 0, 0])
    }

    @Test func keepsFourVectorsThatDiffer() throws {
        let axes: [[Float]] = [
            [1, 0, 0], [1, 0.01, 0], [0, 1, 0], [0, 1, 0.01], [0, 0, 1], [0, 0, 1], [-1, 0, 0],
        ]
        let example = try record(axes.map { (levels(32), $0) })
        #expect(example.vectors.count == CustomSoundLimits.maxVectors)
        for axis in [[0, 1], [1, 1], [2, 1], [0, -1]] as [[Int]] {
            #expect(example.vectors.contains { $0[axis[0]] * Float(axis[1]) > 0.9 })
        }
    }

    @Test func refusesWhatIsNoSound() {
        #expect(throws: CustomSoundProblem.silent) { try record([]) }
        #expect(throws: CustomSoundProblem.silent) { try record([([], nil), ([], nil)]) }
        #expect(throws: CustomSoundProblem.tooQuiet(peakDecibels: -65)) {
            try record([(levels(32, -65, quiet: -90), [1, 0, 0])])
        }
        #expect(throws: CustomSoundProblem.tooShort(soundingMs: 90)) {
            try record([(levels(9), [1, 0, 0]), (levels(0), [1, 0, 0])])
        }
        #expect(throws: CustomSoundProblem.nothingNew) {
            try record([(levels(32), [0, 0, 0]), (levels(32), nil)])
        }
    }

    @Test func aGapSpoilsIt() {
        var recorder = ExampleRecorder()
        recorder.take(levels: levels(32), novelty: [1, 0, 0])
        recorder.interrupt()
        #expect(throws: CustomSoundProblem.interrupted) { try recorder.finish() }
    }

    @Test func takesTenSecondsAtMost() {
        var recorder = ExampleRecorder()
        for _ in 0..<1000 { recorder.take(levels: levels(32), novelty: [1, 0, 0]) }
        #expect(recorder.isFull && recorder.stepCount == 31)
        var slow = ExampleRecorder(stepSamples: 11_025)
        for _ in 0..<1000 { slow.take(levels: levels(32), novelty: [1, 0, 0]) }
        #expect(slow.stepCount == 20)
    }

    @Test func levelsAreThoseOfTenMilliseconds() {
        let samples = [Float](repeating: 0.1, count: 440) + [Float](repeating: 0, count: 110)
        let levels = ExampleRecorder.levels(samples)
        #expect(levels.count == 3)
        #expect(abs(levels[0] + 20) < 0.01 && abs(levels[1] + 20) < 0.01 && levels[2] <= -120)
    }
}
