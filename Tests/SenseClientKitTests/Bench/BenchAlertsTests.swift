import SenseProtocol
import Testing

@testable import sense_client

@Suite struct BenchAlertsTests {
    private let room = BenchAlerts.room(3)

    @Test func aLossIsMeasuredOnceFromItsCut() {
        var alerts = BenchAlerts()
        alerts.cutUs[room] = 10_000
        #expect(alerts.take(Alert(eventId: 7, room: room), atUs: 14_500) == 4.5)
        #expect(alerts.take(Alert(eventId: 9, room: room), atUs: 15_000) == nil)
        #expect(alerts.take(Alert(eventId: 8, room: BenchAlerts.room(4)), atUs: 16_000) == nil)
        #expect(alerts.events == 3)
        #expect(alerts.lastEventID == 9)
        #expect(alerts.seen == [room])
    }

    @Test func anAlertFromBeforeTheCutIsNotTheLoss() {
        var alerts = BenchAlerts()
        alerts.cutUs[room] = 10_000
        #expect(alerts.take(Alert(eventId: 1, room: room), atUs: 9_999) == nil)
        #expect(alerts.seen.isEmpty)
        #expect(alerts.take(Alert(eventId: 2, room: room), atUs: 10_000) == 0)
    }
}
