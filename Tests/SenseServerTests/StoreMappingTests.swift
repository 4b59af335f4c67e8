import SenseProtocol
import Storage
import Testing

@testable import SenseServer

@Suite("Stored alerts")
struct StoreMappingTests {
    /// Before, the store refused the end of an episode during which the wall clock had been set back.
    @Test("a wall clock that steps back does not end an episode before its start")
    func clockStepsBack() throws {
        let alert = Alert(
            alertId: "a", state: .ended, label: "siren", startedUnixUs: 5_000, updatedUnixUs: 3_000)
        let update = StoreMapping.update(alert, profileID: "p")
        #expect(update.startedUs == 5_000)
        #expect(update.updatedUs == 5_000)
        #expect(update.endedUs == 5_000)
        #expect(try Alert.decode(update.payload).message.updatedUnixUs == 5_000)
    }

    @Test(
        "what is only suspected, only its end or held back was not told to a person",
        arguments: [
            (AlertState.suspected, "", false), (.confirmed, "", true), (.updated, "", true),
            (.ended, "", false),
            (.confirmed, "quiet hours", false),
        ])
    func told(_ state: AlertState, _ heldBack: String, _ isTold: Bool) {
        let alert = Alert(alertId: "a", state: state, label: "siren", heldBack: heldBack)
        #expect(StoreMapping.update(alert, profileID: "p").isTold == isTold)
    }
}
