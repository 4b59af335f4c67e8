import Synchronization

/// When each part of a stream was sent, to tell how long the answer to it took.
final class SendLog: Sendable {
    private struct State {
        var entries: [(end: UInt64, atUs: UInt64)] = []
        var answered: UInt64 = 0
    }

    private let state = Mutex(State())
    /// Entries kept: beyond any answer that is still to come.
    private static let capacity = 8192

    /// Everything up to (not including) item `end` has been sent.
    func sent(upTo end: UInt64, atUs: UInt64) {
        state.withLock { state in
            if state.entries.count == Self.capacity { state.entries.removeFirst(Self.capacity / 2) }
            state.entries.append((end, atUs))
        }
    }

    /// An answer to everything before `end` came; milliseconds since its last part was sent.
    func answered(_ end: UInt64, atUs: UInt64) -> Double? {
        state.withLock { state in
            state.answered = max(state.answered, end)
            guard let entry = state.entries.first(where: { $0.end >= end }) else { return nil }
            return Double(Int64(clamping: atUs) - Int64(clamping: entry.atUs)) / 1000
        }
    }

    /// How far answers have come.
    var answeredEnd: UInt64 { state.withLock { $0.answered } }
    /// How far sending has come.
    var sentEnd: UInt64 { state.withLock { $0.entries.last?.end ?? 0 } }
}
