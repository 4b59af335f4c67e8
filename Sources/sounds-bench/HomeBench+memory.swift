import Numerics
import QuietAlert
import SenseServer
import SessionCore

extension HomeBench {
    /// Sessions whose memory is taken together.
    private static let sessions = 200

    /// What a stream keeps, by kind. The rest of what a server needs for it is its connection.
    func memoryFigures() -> [Figure] {
        let quiet = chunks(amplitude: 0.002)
        let before = Self.residentBytes
        var detectors: [AlarmPatternDetector] = []
        for _ in 0..<Self.sessions {
            var detector = AlarmPatternDetector()
            for chunk in quiet { _ = detector.push(chunk) }
            detectors.append(detector)
        }
        let withDetectors = Self.residentBytes
        let detectorKB = kilobytes(withDetectors - before)
        detectors = []
        // What they leave is used again: the sessions are counted from the same mark.
        let context = SessionContext(serverVersion: "bench", sound: settings)
        var microphones: [HomeMicrophone] = []
        for _ in 0..<Self.sessions {
            let microphone = HomeMicrophone(context)
            for chunk in quiet {
                microphone.hear(chunk)
                for job in microphone.takeJobs() {
                    microphone.answer(
                        job, classLogits: [Float](repeating: 0, count: 9), presenceLogit: -9, point: [],
                        state: [])
                }
            }
            microphones.append(microphone)
        }
        let sessionKB = kilobytes(Self.residentBytes - before)
        return [
            Figure(name: "memory: network's state", value: stateKB, unit: "KB"),
            Figure(name: "memory: alarm patterns", value: detectorKB, unit: "KB"),
            Figure(name: "memory: session, samples and alarm patterns", value: sessionKB, unit: "KB"),
        ]
    }

    private func kilobytes(_ bytes: Int) -> Double { Double(bytes) / 1_024 / Double(Self.sessions) }

    /// Twelve seconds of a quiet room: the gate has closed by then.
    private func chunks(amplitude: Double) -> [[Float]] {
        var noise = SeededNoise(seed: 9)
        return (0..<120).map { _ in
            (0..<HomeMicrophone.chunkSamples).map { _ in Float(noise.uniform(-amplitude...amplitude)) }
        }
    }

    /// Resident memory of this process; 0 where the system does not tell.
    private static var residentBytes: Int {
        let fields = (try? bytes("/proc/self/statm")).map { String(decoding: $0, as: UTF8.self) }?.split(
            separator: " ")
        return (fields.flatMap { $0.count > 1 ? Int($0[1]) : nil } ?? 0) * 4_096
    }
}
