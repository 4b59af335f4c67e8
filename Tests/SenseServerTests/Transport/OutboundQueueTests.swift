import TestSupport
import Testing
import WebSocketCore

@testable import SenseServer

@Suite struct OutboundQueueTests {
    private func message(_ tag: UInt8, _ count: Int, _ queueClass: QueueClass) -> OutboundQueue.Message {
        OutboundQueue.Message(
            kind: .binary, bytes: [UInt8](repeating: tag, count: count), queueClass: queueClass)
    }

    private var limits: OutboundLimits {
        var limits = OutboundLimits()
        limits.lossyBytes = 1000
        limits.mustBytes = 2000
        limits.pauseReadingBytes = 500
        return limits
    }

    @Test func dropsTheOldestLossyMessageAndKeepsOrder() {
        var queue = OutboundQueue(limits: limits)
        // Each costs 400 + 64: two fit, three do not.
        #expect(queue.append(message(1, 400, .latest)) == .queued(dropped: 0))
        #expect(queue.append(message(2, 10, .must)) == .queued(dropped: 0))
        #expect(queue.append(message(3, 400, .latest)) == .queued(dropped: 0))
        #expect(queue.append(message(4, 400, .latest)) == .queued(dropped: 1))
        var order: [UInt8] = []
        while let next = queue.popFirst() { order.append(next.bytes[0]) }
        #expect(order == [2, 3, 4])
        #expect(queue.isEmpty && queue.mustBytes == 0 && queue.lossyBytes == 0)
    }

    @Test func theNewestLossyMessageStaysHoweverLarge() {
        var queue = OutboundQueue(limits: limits)
        _ = queue.append(message(1, 100, .latest))
        #expect(queue.append(message(2, 5000, .latest)) == .queued(dropped: 1))
        #expect(queue.popFirst()?.bytes.count == 5000)
    }

    @Test func mustMessagesPauseReadingAndThenOverflow() {
        var queue = OutboundQueue(limits: limits)
        #expect(queue.append(message(1, 400, .must)) == .queued(dropped: 0))
        #expect(!queue.pausesReading)
        #expect(queue.append(message(2, 400, .must)) == .queued(dropped: 0))
        #expect(queue.pausesReading)
        #expect(queue.append(message(3, 2000, .must)) == .overflow)
        #expect(queue.append(message(4, 900, .must)) == .queued(dropped: 0))
        #expect(queue.append(message(5, 1, .must)) == .queued(dropped: 0))
    }

    @Test func oneMessageAboveTheLimitPassesAlone() {
        var queue = OutboundQueue(limits: limits)
        #expect(queue.append(message(1, 5000, .must)) == .queued(dropped: 0))
        #expect(queue.append(message(2, 1, .must)) == .overflow)
    }

    @Test func emptyMessagesAreNotFree() {
        var queue = OutboundQueue(limits: limits)
        var count = 0
        while queue.append(message(0, 0, .must)) != .overflow { count += 1 }
        #expect(count == limits.mustBytes / OutboundQueue.messageOverheadBytes)
    }

    @Test func randomScriptsKeepOrderBoundsAndSums() {
        var seeded = SeededBytes(seed: 21)
        for _ in 0..<100 {
            var queue = OutboundQueue(limits: limits)
            var expected: [OutboundQueue.Message] = []
            for step in 0..<300 {
                if seeded.int(in: 0...2) < 2 {
                    let kind: QueueClass = seeded.int(in: 0...1) == 0 ? .must : .latest
                    let new = message(UInt8(step % 256), seeded.int(in: 0...400), kind)
                    switch queue.append(new) {
                    case .queued(let dropped):
                        expected.append(new)
                        for _ in 0..<dropped {
                            let index = expected.firstIndex { $0.queueClass == .latest }
                            if let index { expected.remove(at: index) }
                        }
                    case .overflow: #expect(kind == .must)
                    }
                } else {
                    let next = queue.popFirst()
                    #expect(next == expected.first)
                    if !expected.isEmpty { expected.removeFirst() }
                }
                #expect(queue.lossyBytes <= limits.lossyBytes)
                #expect(queue.mustBytes <= limits.mustBytes)
                #expect(queue.isEmpty == expected.isEmpty)
            }
        }
    }
}
