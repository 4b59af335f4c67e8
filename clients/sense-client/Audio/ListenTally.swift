import Synchronization

/// What `listen` has heard so far, over all its connections.
final class ListenTally: Sendable {
    struct State {
        /// Seconds of sound after which each label was told.
        var heard: [String: Double] = [:]
        var latencies = Percentiles()
        var windows = 0
        var gaps = 0
        var health = ""
        var samples: UInt64 = 0
        var lostSamples: UInt64 = 0
        var finals: UInt64 = 0
    }

    private let state = Mutex(State())

    func read<Value: Sendable>(_ body: (State) -> Value) -> Value { state.withLock { body($0) } }
    func update(_ change: (inout State) -> Void) { state.withLock { change(&$0) } }
    func hasHeard(_ labels: [String]) -> Bool {
        read { state in labels.allSatisfy { state.heard[$0] != nil } }
    }
}
