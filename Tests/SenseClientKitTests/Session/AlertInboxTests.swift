import SenseClientKit
import SenseProtocol
import Testing

@Suite struct AlertInboxTests {
    private func take(_ alert: Alert, _ inbox: inout AlertInbox) -> Bool { inbox.take(alert) }

    @Test func revisionsAreNewsOnce() {
        var inbox = AlertInbox()
        #expect(take(Alert(eventId: 1, alertId: "a", revision: 1), &inbox))
        #expect(!take(Alert(eventId: 1, alertId: "a", revision: 1), &inbox))
        #expect(take(Alert(eventId: 2, alertId: "a", revision: 2), &inbox))
        // An older revision that comes late would take the newer one back.
        #expect(!take(Alert(eventId: 1, alertId: "a", revision: 1), &inbox))
        #expect(take(Alert(eventId: 3, alertId: "b", revision: 1), &inbox))
        #expect(inbox.lastEventID == 3)
    }

    @Test func anUnstoredAlertIsShownAndMovesNothing() {
        var inbox = AlertInbox(lastEventID: 8)
        #expect(take(Alert(eventId: 0, alertId: "x", revision: 1), &inbox))
        #expect(inbox.lastEventID == 8)
    }

    @Test func memoryIsBounded() {
        var inbox = AlertInbox(maxAlerts: 3)
        for (index, id) in ["a", "b", "c", "d"].enumerated() {
            #expect(take(Alert(eventId: UInt64(index), alertId: id, revision: 1), &inbox))
        }
        #expect(!take(Alert(alertId: "d", revision: 1), &inbox))
        #expect(take(Alert(alertId: "a", revision: 1), &inbox))
    }
}
