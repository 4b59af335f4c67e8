import SenseClientKit
import Synchronization

/// Collects the measurements of all devices of a load test.
final class BenchRecorder: Sendable {
    /// What was measured.
    struct Result: Sendable {
        var sent = 0
        var alerts = 0
        var problems = 0
        var latencies = Percentiles()
        var music = BenchMusic()
        var alertsOfRooms = BenchAlerts()
        var failures: [ClientError] = []
        var deviceIDs: [String] = []
    }

    private let result = Mutex(Result())
    private let measuring = Atomic<Bool>(false)
    private let sending = Atomic<Bool>(true)
    private let opened = Atomic<Int>(0)

    var openStreams: Int { opened.load(ordering: .relaxed) }
    var isSending: Bool { sending.load(ordering: .relaxed) }
    var firstFailure: ClientError? { result.withLock { $0.failures.first } }

    func paired(deviceID: String) { result.withLock { $0.deviceIDs.append(deviceID) } }

    func streamOpened() { opened.add(1, ordering: .relaxed) }

    func begin() { measuring.store(true, ordering: .relaxed) }

    func end() -> Result {
        measuring.store(false, ordering: .relaxed)
        return result.withLock { $0 }
    }

    func stopSending() { sending.store(false, ordering: .relaxed) }

    func countSent(_ items: Int) { note { $0.sent += items } }
    func countAlert() { note { $0.alerts += 1 } }
    func countProblem() { note { $0.problems += 1 } }
    func note(latencyMs: Double) { note { $0.latencies.add(latencyMs) } }

    func failed(_ error: ClientError) {
        guard isSending else { return }
        result.withLock { $0.failures.append(error) }
    }

    func note(_ change: (inout Result) -> Void) {
        guard measuring.load(ordering: .relaxed) else { return }
        result.withLock { change(&$0) }
    }
}
