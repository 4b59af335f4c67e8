import QuietAlert
import SignalProcessing
import TestSupport

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// CPU seconds for one second of a stream, and memory.
struct Cost: Sendable {
    var detectorSeconds: Double
    var silentSeconds: Double
    var streamSeconds: Double
    var stateKB: Double

    /// The detector by itself and in its stream, over ten minutes of what there is: every kind of stretch, and alarms.
    static func measure(_ trials: Trials) throws -> Cost {
        var samples: [Float] = []
        for (number, kind) in trials.medley.kinds.enumerated() {
            samples += trials.medley.stretch(kind, seconds: 120, seed: UInt64(number))
        }
        for number in 0..<10 { samples += AlarmCase(seed: 5, number: number).samples() }
        let seconds = Double(samples.count) / 22_050
        var start = CPUClock.thread
        _ = try Listening.hear(samples)
        let stream = (CPUClock.thread - start) / seconds
        let quiet = [Float](repeating: 0, count: 2_205)
        let before = CPUClock.thread
        var detector = AlarmPatternDetector()
        for _ in 0..<3_000 { _ = detector.push(quiet) }
        let silent = (CPUClock.thread - before) / 300
        let chunks = stride(from: 0, to: samples.count, by: 2_205).map {
            Array(samples[$0..<min(samples.count, $0 + 2_205)])
        }
        start = CPUClock.thread
        for chunk in chunks { _ = detector.push(chunk) }
        let detectorSeconds = (CPUClock.thread - start) / seconds
        let heap = residentBytes
        var many: [AlarmPatternDetector] = []
        for _ in 0..<500 {
            many.append(AlarmPatternDetector())
            for chunk in chunks.prefix(20) { _ = many[many.count - 1].push(chunk) }
        }
        let grown = Double(residentBytes - heap) / Double(many.count)
        return Cost(
            detectorSeconds: detectorSeconds, silentSeconds: silent, streamSeconds: stream,
            stateKB: grown / 1_024)
    }

    /// Resident memory of this process; 0 where the system does not tell.
    private static var residentBytes: Int {
        let fields = (try? String(contentsOf: URL(filePath: "/proc/self/statm"), encoding: .utf8))?
            .split(separator: " ")
        return (fields.flatMap { $0.count > 1 ? Int($0[1]) : nil } ?? 0) * 4_096
    }
}
