import Net
import SessionCore
import Testing

@testable import SenseServer

@Suite("Tries at pairing codes")
struct PairingTriesTests {
    private var now = Now(serverUs: 1_000_000_000, unixUs: 0)

    private func peer(_ address: String) -> PairingTries.Peer {
        PairingTries.Peer(SocketAddress(address, port: 1))
    }

    @Test("after five wrong codes a peer waits for a minute")
    mutating func lockout() {
        var tries = PairingTries()
        let peer = peer("10.0.0.1")
        for _ in 0..<5 { #expect(tries.take(peer, at: now) != nil) }
        #expect(tries.take(peer, at: now) == nil)
        now.serverUs += 59_000_000
        #expect(tries.take(peer, at: now) == nil)
        now.serverUs += 2_000_000
        #expect(tries.take(peer, at: now) != nil)
    }

    /// Before, tries counted only after the store had answered: any number fitted in while it was asked.
    @Test("tries that wait for their answer count")
    func parallel() {
        var tries = PairingTries()
        let tickets = (0..<100).compactMap { _ in tries.take(peer("10.0.0.1"), at: now) }
        #expect(tickets.count == 5)
        if let ticket = tickets.first { tries.giveBack(ticket) }
        #expect(tries.take(peer("10.0.0.1"), at: now) != nil)
        #expect(tries.take(peer("10.0.0.1"), at: now) == nil)
    }

    /// Before, five wrong codes of one stranger stopped pairing for everybody.
    @Test("one peer does not lock out another, but all together are limited")
    func peers() {
        var tries = PairingTries()
        while tries.take(peer("10.0.0.1"), at: now) != nil {}
        #expect(tries.take(peer("10.0.0.2"), at: now) != nil)
        let others = (3...100).count { tries.take(peer("10.0.0.\($0)"), at: now) != nil }
        #expect(others == 24)
    }

    @Test(
        "addresses of one IPv6 network count as one, of two as two",
        arguments: [
            ("2001:db8::1", "2001:db8::ffff:1", true), ("2001:db8::1", "2001:db8:0:1::1", false),
            ("::ffff:10.0.0.1", "10.0.0.1", true), ("::ffff:10.0.0.1", "::ffff:10.0.0.2", false),
        ])
    func networks(_ first: String, _ second: String, _ isSame: Bool) {
        #expect((peer(first) == peer(second)) == isSame)
    }

    @Test("clocks at their ends do not trap")
    func extremes() {
        var tries = PairingTries()
        for serverUs: UInt64 in [.max, 0, .max] {
            #expect(tries.take(peer("::1"), at: Now(serverUs: serverUs, unixUs: 0)) != nil)
        }
    }
}
