import Testing
import WebSocketCore

@Suite struct KeepaliveTests {
    static let second: UInt64 = 1_000_000_000

    static func keepalive() -> Keepalive {
        Keepalive(nowNs: 0, interval: .seconds(20), timeout: .seconds(10))
    }

    @Test func asksAfterSilenceAndGivesUpWithoutAnAnswer() {
        var keepalive = Self.keepalive()
        #expect(keepalive.action(nowNs: 0) == .wait(untilNs: 20 * Self.second))
        #expect(keepalive.action(nowNs: 20 * Self.second) == .sendPing)
        keepalive.pingQueued(nowNs: 20 * Self.second)
        keepalive.bytesLeft(nowNs: 20 * Self.second, hasUnsentBytes: false)
        #expect(keepalive.action(nowNs: 29 * Self.second) == .wait(untilNs: 30 * Self.second))
        #expect(keepalive.action(nowNs: 30 * Self.second) == .giveUp)
    }

    @Test func anyByteReceivedIsASignOfLife() {
        var keepalive = Self.keepalive()
        keepalive.bytesReceived(nowNs: 15 * Self.second)
        #expect(keepalive.action(nowNs: 20 * Self.second) == .wait(untilNs: 35 * Self.second))
        keepalive.pingQueued(nowNs: 35 * Self.second)
        keepalive.bytesLeft(nowNs: 35 * Self.second, hasUnsentBytes: false)
        keepalive.bytesReceived(nowNs: 44 * Self.second)
        #expect(keepalive.action(nowNs: 46 * Self.second) == .wait(untilNs: 64 * Self.second))
    }

    /// 5 MB to a reader of 10 KB/s takes 500 s, far longer than the timeout; bytes leave all the time.
    @Test func fault18_aSlowReaderIsNotCutWhileBytesFlow() {
        var keepalive = Self.keepalive()
        keepalive.pingQueued(nowNs: 0)
        for second in 1...500 as ClosedRange<UInt64> {
            keepalive.bytesLeft(nowNs: second * Self.second, hasUnsentBytes: second < 500)
            #expect(keepalive.action(nowNs: second * Self.second) != .giveUp)
        }
        // The ping has left now, and its deadline runs from here.
        #expect(keepalive.action(nowNs: 509 * Self.second) == .wait(untilNs: 510 * Self.second))
        #expect(keepalive.action(nowNs: 510 * Self.second) == .giveUp)
    }

    @Test func fault18_aPingThatCannotLeaveDoesNotHideADeadPeer() {
        var keepalive = Self.keepalive()
        keepalive.pingQueued(nowNs: 20 * Self.second)
        #expect(keepalive.action(nowNs: 30 * Self.second) == .giveUp)
    }

    @Test func instantsNearTheEndOfTheClockDoNotTrap() {
        var keepalive = Keepalive(nowNs: .max - 5, interval: .seconds(Int64.max), timeout: .seconds(-1))
        #expect(keepalive.action(nowNs: .max - 1) == .wait(untilNs: .max))
        keepalive.pingQueued(nowNs: .max)
        #expect(keepalive.action(nowNs: .max) == .giveUp)
    }
}
