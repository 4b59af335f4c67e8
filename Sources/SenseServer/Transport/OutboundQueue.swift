import WebSocketCore

/// How much a message matters when the peer is slow.
public enum QueueClass: Equatable, Sendable {
    /// Must arrive, in order: alerts, letters, answers. If too many wait, the connection is closed instead.
    case must
    /// Only the newest are worth anything: visual frames, levels. If too many wait, the oldest are dropped.
    case latest
}

/// Messages that wait, not yet encoded, for a blocked peer. They are kept as messages because a compressed frame
/// depends on the frames before it and could not be dropped.
struct OutboundQueue {
    struct Message: Equatable {
        var kind: MessageKind
        var bytes: [UInt8]
        var queueClass: QueueClass
    }

    enum Outcome: Equatable {
        /// Queued; `dropped` older lossy messages made room.
        case queued(dropped: Int)
        /// Not queued: must-deliver messages exceed their limit, and the connection has to end.
        case overflow
    }

    /// What one waiting message costs besides its bytes; without it, endless empty messages would be free.
    static let messageOverheadBytes = 64

    private let limits: OutboundLimits
    /// In order; dropped and taken ones are nil.
    private var messages: [Message?] = []
    private var head = 0
    /// No lossy message is before this index.
    private var lossySearchStart = 0
    private(set) var mustBytes = 0
    private(set) var lossyBytes = 0
    private var waiting = 0

    init(limits: OutboundLimits) { self.limits = limits }

    var isEmpty: Bool { waiting == 0 }
    /// Whether so much must-deliver data waits that the peer should not be asked for more.
    var pausesReading: Bool { mustBytes > limits.pauseReadingBytes }

    mutating func append(_ message: consuming Message) -> Outcome {
        let cost = message.bytes.count + Self.messageOverheadBytes
        switch message.queueClass {
        case .must:
            // A single message above the limit may pass when nothing else waits, or it could never be sent.
            if mustBytes > 0, mustBytes + cost > limits.mustBytes { return .overflow }
            mustBytes += cost
        case .latest: lossyBytes += cost
        }
        messages.append(message)
        waiting += 1
        var dropped = 0
        while lossyBytes > limits.lossyBytes, dropOldestLossy() { dropped += 1 }
        return .queued(dropped: dropped)
    }

    /// The oldest waiting message.
    mutating func popFirst() -> Message? {
        while head < messages.count {
            let message = messages[head]
            messages[head] = nil
            head += 1
            compact()
            if let message {
                settle(message)
                return message
            }
        }
        return nil
    }

    mutating func removeAll() { self = OutboundQueue(limits: limits) }

    /// Drops the oldest lossy message, but never the newest one: that is the one worth sending.
    private mutating func dropOldestLossy() -> Bool {
        var index = max(head, lossySearchStart)
        while index < messages.count - 1 {
            if let message = messages[index], message.queueClass == .latest {
                messages[index] = nil
                lossySearchStart = index + 1
                settle(message)
                return true
            }
            index += 1
        }
        lossySearchStart = index
        return false
    }

    private mutating func settle(_ message: Message) {
        let cost = message.bytes.count + Self.messageOverheadBytes
        switch message.queueClass {
        case .must: mustBytes -= cost
        case .latest: lossyBytes -= cost
        }
        waiting -= 1
        if waiting == 0 { removeAll() }
    }

    private mutating func compact() {
        guard head >= 64, head > messages.count / 2 else { return }
        messages.removeSubrange(..<head)
        lossySearchStart = max(0, lossySearchStart - head)
        head = 0
    }
}
