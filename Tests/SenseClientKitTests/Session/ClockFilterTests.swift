import SenseClientKit
import Testing

@Suite struct ClockFilterTests {
    /// An exchange with a server whose clock is `offset` ahead and gains `ppm`.
    private func exchange(
        _ filter: inout ClockFilter, at sent: UInt64, offset: Int64, ppm: Double = 0, there: UInt64,
        back: UInt64
    ) {
        func server(_ local: UInt64) -> UInt64 {
            UInt64(Double(Int64(local) + offset) + Double(local) * ppm / 1e6)
        }
        let arrived = sent + there
        filter.add(
            sentUs: sent, serverReceivedUs: server(arrived), serverSentUs: server(arrived),
            receivedUs: arrived + back)
    }

    @Test func nothingMeasuredNothingKnown() {
        #expect(ClockFilter().serverUs(atLocalUs: 5) == nil)
        #expect(ClockFilter().uncertaintyUs(atLocalUs: 5) == nil)
    }

    @Test func trustsTheShortestRoundTrip() {
        var filter = ClockFilter()
        // A delayed way there shifts the offset by half the difference.
        exchange(&filter, at: 1_000_000, offset: 500_000, there: 80_000, back: 1000)
        exchange(&filter, at: 1_200_000, offset: 500_000, there: 900, back: 900)
        exchange(&filter, at: 1_400_000, offset: 500_000, there: 1000, back: 60_000)
        #expect(filter.serverUs(atLocalUs: 1_500_000) == 2_000_000)
        let doubt = filter.uncertaintyUs(atLocalUs: 1_500_000) ?? 0
        #expect((900...950).contains(doubt))
    }

    @Test func seesDrift() {
        var filter = ClockFilter()
        for step in 0..<10 {
            exchange(
                &filter, at: 1_000_000 + UInt64(step) * 30_000_000, offset: -400_000, ppm: 80, there: 500,
                back: 500)
        }
        #expect(abs(filter.driftPPM - 80) < 5)
        let local: UInt64 = 400_000_000
        let truth = Double(Int64(local) - 400_000) + Double(local) * 80 / 1e6
        #expect(abs(Double(filter.serverUs(atLocalUs: local) ?? 0) - truth) < 700)
    }

    @Test func impossibleExchangesAreLeftOut() {
        var filter = ClockFilter()
        filter.add(sentUs: 10, serverReceivedUs: 5, serverSentUs: 6, receivedUs: 9)
        filter.add(sentUs: 10, serverReceivedUs: 8, serverSentUs: 7, receivedUs: 20)
        filter.add(sentUs: 10, serverReceivedUs: 0, serverSentUs: 100, receivedUs: 20)
        filter.add(sentUs: 0, serverReceivedUs: 1, serverSentUs: .max, receivedUs: .max)
        #expect(!filter.isSet)
    }

    @Test func uncertaintyGrowsWithAge() {
        var filter = ClockFilter()
        exchange(&filter, at: 1_000_000, offset: 0, there: 100, back: 100)
        let young = filter.uncertaintyUs(atLocalUs: 1_000_000) ?? 0
        let old = filter.uncertaintyUs(atLocalUs: 101_000_000) ?? 0
        // 50 ppm of 100 s are 5 ms.
        #expect((4900...5200).contains(old - young))
    }

    @Test func keepsTheNewest() {
        var filter = ClockFilter(capacity: 2)
        exchange(&filter, at: 1_000_000, offset: 0, there: 10, back: 10)
        exchange(&filter, at: 2_000_000, offset: 900, there: 500, back: 500)
        exchange(&filter, at: 3_000_000, offset: 900, there: 500, back: 500)
        #expect(filter.serverUs(atLocalUs: 3_000_000) == 3_000_900)
    }
}
