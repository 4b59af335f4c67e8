import SenseClientKit
import SenseProtocol
import Testing

@Suite struct ReconnectTests {
    @Test(
        arguments: [
            (4400, false), (4401, false), (4403, false), (4406, false), (4409, false), (4404, true),
            (4408, true),
            (4413, true), (4429, true), (4500, true), (4502, true), (4503, true), (4504, true), (1000, true),
            (1001, true), (1006, true), (1011, true), (1012, true),
        ] as [(UInt16, Bool)])
    func closeCodes(code: UInt16, mayRetry: Bool) {
        #expect(ClientError.closed(code: code, reason: "").mayRetry == mayRetry)
        var reconnect = Reconnect()
        let decision = reconnect.failed(.closed(code: code, reason: ""), random: 0)
        #expect((decision == .giveUp) != mayRetry)
    }

    @Test func refusalsCountByTheirCode() {
        var reconnect = Reconnect()
        let no = ClientError.refused(ErrorMessage(code: .unauthenticated, fatal: true))
        #expect(reconnect.failed(no, random: 0) == .giveUp)
        let later = ClientError.refused(ErrorMessage(code: .draining, fatal: true, retryAfterMs: 2000))
        #expect(reconnect.failed(later, random: 0) == .wait(milliseconds: 2500))
    }

    @Test func aChangedCertificateNeedsAPerson() {
        var reconnect = Reconnect()
        #expect(reconnect.failed(.certificateChanged(expected: "a", got: "b"), random: 1) == .giveUp)
        #expect(reconnect.failed(.certificateUnknown(got: "b"), random: 1) == .giveUp)
    }

    @Test func pausesDoubleUpToTheLongest() {
        var reconnect = Reconnect(firstMs: 1000, maxMs: 30_000)
        var ceilings: [UInt64] = []
        for _ in 0..<40 {
            // random % (half + 1) == half gives the upper end.
            var probe = reconnect
            var largest: UInt64 = 0
            for random in 0..<40_000 as Range<UInt64> where random % 500 == 0 {
                var copy = probe
                if case .wait(let ms) = copy.failed(.heartbeatLost, random: random) {
                    largest = max(largest, ms)
                }
            }
            ceilings.append(largest)
            _ = probe.failed(.heartbeatLost, random: 0)
            reconnect = probe
        }
        #expect(ceilings[0] == 1000)
        #expect(ceilings[1] == 2000)
        #expect(ceilings.allSatisfy { $0 <= 30_000 })
        #expect(ceilings.last ?? 0 > 29_000)
        reconnect.succeeded()
        #expect(reconnect.failed(.heartbeatLost, random: 0) == .wait(milliseconds: 500))
    }

    @Test func jitterSpreadsOverHalfThePause() {
        var random = SeededRandom(state: 3)
        var waits: [UInt64] = []
        for _ in 0..<1000 {
            var reconnect = Reconnect(firstMs: 1000)
            if case .wait(let ms) = reconnect.failed(.lost(reason: ""), random: random.next() >> 16) {
                waits.append(ms)
            }
        }
        #expect(waits.allSatisfy { (500...1000).contains($0) })
        let mean = Double(waits.reduce(0, +)) / 1000
        #expect((730...770).contains(mean))
    }
}
