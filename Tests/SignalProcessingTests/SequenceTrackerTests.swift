import SignalProcessing
import Testing

@Suite struct SequenceTrackerTests {
    @Test func followsChunks() {
        var tracker = SequenceTracker()
        let script: [(first: UInt64, count: UInt64, verdict: SequenceVerdict)] = [
            (100, 50, .accept),
            (150, 50, .accept),
            (150, 50, .duplicate),
            (180, 40, .skip(samples: 20)),
            (320, 10, .gap(samples: 100)),
            (250, 20, .late),
            (0, 10, .duplicate),
            (330, 0, .accept),
            (330, 5, .accept),
            (UInt64.max, 1, .invalid),
        ]
        for step in script {
            let verdict = tracker.receive(firstSampleIndex: step.first, count: step.count)
            #expect(verdict == step.verdict, "\(step.first) + \(step.count)")
        }
        #expect(tracker.gapCount == 1 && tracker.missingSamples == 100)
        #expect(tracker.duplicateCount == 3 && tracker.lateCount == 1)
        #expect(tracker.acceptedSamples == 135 && tracker.expectedIndex == 335)
    }

    @Test func aKnownStartMakesALateFirstChunkAGap() {
        var tracker = SequenceTracker(startingAt: 0)
        #expect(tracker.receive(firstSampleIndex: 480, count: 480) == .gap(samples: 480))
    }

    @Test func manyGapsStayBounded() {
        var tracker = SequenceTracker()
        for i in 0..<1_000 { _ = tracker.receive(firstSampleIndex: UInt64(i) * 20, count: 10) }
        #expect(tracker.gapCount == 999)
        #expect(tracker.receive(firstSampleIndex: 19_970, count: 10) == .late)
        #expect(tracker.receive(firstSampleIndex: 10, count: 10) == .duplicate)
    }
}
