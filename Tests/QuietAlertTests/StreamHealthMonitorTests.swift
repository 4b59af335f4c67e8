import QuietAlert
import SignalProcessing
import Testing

@Suite struct StreamHealthMonitorTests {
    private static let second: UInt64 = 1_000_000

    /// A stream of chunks of 0.5 s, each with what the meter shows.
    private struct Bench {
        var monitor: StreamHealthMonitor
        var now: UInt64 = 0
        var changes: [(at: Double, change: StreamHealthChange)] = []

        init(voiceProcessed: Bool = false) {
            monitor = StreamHealthMonitor(openedUs: 0, voiceProcessed: voiceProcessed)
        }

        mutating func run(
            seconds: Double, chunks: Bool = true, inference: Bool = true, level: Float = -60,
            clipped: Float = 0,
            silent: Bool = false, mismatch: Double? = nil
        ) {
            var silenceMs: UInt64 = 0
            for _ in 0..<Int(seconds * 2) {
                now += 500_000
                if silent { silenceMs += 500 }
                if chunks {
                    let reading = LevelMeter.Reading(
                        rmsDBFS: silent ? -120 : level, peakDBFS: level + 10, clippedShare: clipped,
                        digitalSilenceMs: silenceMs)
                    monitor.noteChunk(reading, mismatchRatio: mismatch, nowUs: now)
                    if inference { monitor.noteInference(nowUs: now) }
                }
                if let change = monitor.evaluate(nowUs: now) { changes.append((Double(now) / 1e6, change)) }
            }
        }

        var states: [StreamHealthState] { changes.map { $0.change.to.first ?? .ok } }
    }

    @Test func aQuietRoomIsWell() {
        var bench = Bench()
        bench.run(seconds: 600, level: -101)
        #expect(bench.changes.isEmpty && bench.monitor.state == .ok)
    }

    @Test func silenceIsToldWithinFifteenSecondsAndItsEndToo() {
        var bench = Bench()
        bench.run(seconds: 20)
        bench.run(seconds: 30, silent: true)
        bench.run(seconds: 10)
        #expect(bench.states == [.silent, .ok])
        #expect(bench.changes[0].at <= 35 && bench.changes[1].at <= 53)
    }

    @Test func aStreamThatStopsIsToldWithinFifteenSeconds() {
        var bench = Bench()
        bench.run(seconds: 5)
        bench.run(seconds: 30, chunks: false)
        bench.run(seconds: 5)
        #expect(bench.states == [.stalled, .ok])
        #expect(bench.changes[0].at <= 20)
    }

    @Test func aStreamThatNeverStartsIsToldToo() {
        var bench = Bench()
        bench.run(seconds: 10, chunks: false)
        #expect(bench.states == [.stalled])
    }

    @Test func theOtherFaults() {
        var rate = Bench()
        rate.run(seconds: 1, mismatch: 3)
        #expect(rate.states == [.rateMismatch])
        var behind = Bench()
        behind.run(seconds: 7, inference: false)
        #expect(behind.states == [.detectorBehind])
        var clipped = Bench()
        clipped.run(seconds: 3, clipped: 0.2)
        #expect(clipped.changes.isEmpty)
        clipped.run(seconds: 4, clipped: 0.2)
        #expect(clipped.states == [.clipped])
        var quiet = Bench()
        quiet.run(seconds: 15, level: -106)
        #expect(quiet.states == [.tooQuiet])
        var processed = Bench(voiceProcessed: true)
        processed.run(seconds: 10)
        #expect(processed.states == [.voiceProcessed])
    }

    @Test func allThatHoldsIsToldWorstFirstAndEndsByItself() {
        var bench = Bench(voiceProcessed: true)
        bench.run(seconds: 6, clipped: 0.2)
        bench.run(seconds: 4, clipped: 0.2, mismatch: 1.1)
        bench.run(seconds: 4, mismatch: 1.1)
        #expect(
            bench.changes.map(\.change.to) == [
                [.voiceProcessed], [.clipped, .voiceProcessed], [.rateMismatch, .clipped, .voiceProcessed],
                [.rateMismatch, .voiceProcessed],
            ])
        #expect(bench.monitor.state == .rateMismatch)
    }

    @Test func whileNothingArrivesWhatWasKnownStands() {
        var bench = Bench()
        bench.run(seconds: 6, clipped: 0.2)
        bench.run(seconds: 20, chunks: false)
        #expect(bench.changes.map(\.change.to) == [[.clipped], [.stalled, .clipped]])
        bench.run(seconds: 5)
        #expect(bench.monitor.faults.isEmpty)
        // Short of the time that counts, a pause adds nothing.
        bench.run(seconds: 3, clipped: 0.2)
        bench.run(seconds: 4, chunks: false)
        #expect(bench.monitor.faults.isEmpty)
    }

    @Test func flappingIsDampedButTold() {
        var bench = Bench()
        for _ in 0..<20 {
            bench.run(seconds: 7, chunks: false)
            bench.run(seconds: 7)
        }
        // Without damping there would be 40 changes.
        #expect((3...20).contains(bench.changes.count))
        #expect(bench.changes.map(\.change.flapCount).max() ?? 0 >= 3)
        bench.run(seconds: 90)
        #expect(bench.monitor.state == .ok)
    }

    @Test func aClockThatRunsBackChangesNothing() {
        var bench = Bench()
        bench.run(seconds: 10)
        bench.now = 0
        bench.run(seconds: 5)
        #expect(bench.changes.isEmpty)
        #expect(bench.monitor.inferenceAgeUs(nowUs: 0) == 0)
    }
}
