import Testing

@testable import SessionCore

@Suite struct FlapDamperTests {
    private func now(_ seconds: UInt64) -> Now { Now(serverUs: seconds * .secondUs, unixUs: 0) }

    private func source(_ number: Int) -> AlertSource {
        .hearing(.deaf, room: "room \(number)", deviceID: "d")
    }

    @Test func settlesWhenItHasBeenGoodForAMinute() {
        var damper = FlapDamper()
        for second in 1...3 { damper.raised(source(1), now: now(UInt64(second))) }
        #expect(damper.nextDeadlineUs == nil)
        let isTold = damper.recovered(source(1), now: now(10))
        #expect(!isTold)
        #expect(damper.nextDeadlineUs == 70 * .secondUs)
        #expect(damper.settled(now: now(69)).isEmpty)
        #expect(damper.settled(now: now(70)) == [source(1)])
        #expect(damper.nextDeadlineUs == nil)
    }

    @Test func aLossWhileSettlingStartsAnew() {
        var damper = FlapDamper()
        for second in 1...3 { damper.raised(source(1), now: now(UInt64(second))) }
        _ = damper.recovered(source(1), now: now(10))
        damper.raised(source(1), now: now(20))
        #expect(damper.settled(now: now(70)).isEmpty)
        _ = damper.recovered(source(1), now: now(80))
        #expect(damper.settled(now: now(140)) == [source(1)])
    }

    @Test func devicesThatCameAndWentLongAgoAreForgotten() {
        var damper = FlapDamper()
        for number in 0..<10_000 { damper.raised(source(number), now: now(UInt64(number))) }
        // 300 s of losses are remembered; as many again may wait to be looked for.
        #expect(damper.count <= 2 * 301)
        #expect(damper.count >= 300)
    }
}
