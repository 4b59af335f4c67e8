import SenseProtocol
import TestSupport
import Testing

@testable import SessionCore

@Suite struct ProfileDeadlineTests {
    /// What the state would say if it looked at everything.
    private func exactDueUs(_ state: ProfileState) -> UInt64? {
        let alerts = state.open.values.compactMap(\.dueUs)
        let deliveries = state.members.values.compactMap { $0.delivery?.dueUs }
        let rooms = state.drillBook.nextCheckUs(
            among: state.coverage.roomsWithMicrophone, at: Now(serverUs: 0, unixUs: 0))
        // The same rooms on the same clock: only whether some room can become overdue is compared.
        #expect((rooms == nil) == (state.drillCheckUs == nil))
        return (alerts + deliveries).min()
    }

    @Test("no deadline is missed, whatever comes in", arguments: 0..<20)
    func neverLate(seed: UInt64) {
        var random = SeededBytes(seed: seed)
        var script = ProfileScript()
        for step in 0..<200 {
            let session = UInt64.random(in: 1...8, using: &random)
            switch Int.random(in: 0..<12, using: &random) {
            case 0, 1:
                script.attach(
                    session, device: "d\(session)", room: "room \(session % 3)",
                    watches: Bool.random(using: &random))
            case 2: script.receive(.detached(isPlanned: Bool.random(using: &random)), from: session)
            case 3: script.listen(session)
            case 4, 5:
                script.sound(.confirmed, episode: UInt64(step / 8), from: session)
            case 6: script.sound(.ended, episode: UInt64(step / 8), from: session)
            case 7:
                script.receive(
                    .eventAck(UInt64.random(in: 0...UInt64(script.log.count), using: &random)), from: session)
            case 8:
                guard let alert = script.log.randomElement(using: &random) else { continue }
                script.receive(
                    .receipt(AlertReceipt(alertId: alert.alertId, kind: .ackedByHuman), seq: 1), from: session
                )
            case 9: script.readFails.toggle()
            case 10:
                script.receive(
                    .subscribe(
                        Subscribe(devices: Bool.random(using: &random), alerts: Bool.random(using: &random))),
                    from: session)
            default: script.run(Double.random(in: 0...40, using: &random))
            }
            if let exact = exactDueUs(script.state) {
                #expect((script.state.nextDeadlineUs ?? .max) <= exact)
            }
            let watching = script.state.members.filter { $0.value.delivery != nil }.map(\.key).sorted()
            #expect(script.state.alertWatchers.ids == watching)
        }
    }

    @Test("what was looked for is not looked for again at once")
    func settles() {
        var script = ProfileScript()
        script.attach(1, device: "mic")
        script.attach(2, device: "watch")
        script.sound(.confirmed)
        script.receive(.eventAck(script.log.last?.eventId ?? 0), from: 1)
        script.receive(.eventAck(script.log.last?.eventId ?? 0), from: 2)
        // The resend is not due any more, but was never taken back.
        script.run(2.5)
        let reminder = script.state.open.values.compactMap(\.dueUs).min()
        #expect(reminder != nil)
        #expect(script.state.nextDeadlineUs == reminder)
    }
}
