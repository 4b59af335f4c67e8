import SenseProtocol
import Testing

/// PRODUCT rule: what is missing or unknown is read in the direction that cannot hide something.
struct FailSafeTests {
    @Test(arguments: [
        (Urgency.unspecified, Urgency.urgent), (.unrecognized(9), .urgent), (.unrecognized(-1), .urgent),
        (.info, .info), (.normal, .normal), (.urgent, .urgent), (.lifeSafety, .lifeSafety),
    ])
    func urgency(given: Urgency, effective: Urgency) { #expect(given.effective == effective) }

    @Test
    func anAlertWithoutUrgencyOnTheWireIsUrgent() throws {
        #expect(try Alert.decode([]).message.urgency.effective == .urgent)
        let later = Alert(urgency: .unrecognized(17))
        #expect(try Alert.decode(later.serialized()).message.urgency == .unrecognized(17))
        #expect(later.urgency.rank == Urgency.urgent.rank)
    }

    @Test
    func unknownIsNeverTheComfortableReading() {
        #expect(AlertState.unrecognized(9).isOngoing && AlertState.unspecified.isOngoing)
        #expect(!AlertState.ended.isOngoing)
        #expect(Disposition.unrecognized(9).needsAnswer && !Disposition.resolved.needsAnswer)
        #expect(!ProtectionState.unspecified.isProtected && !ProtectionState.reduced.isProtected)
        #expect(!HealthState.unrecognized(9).isHealthy && HealthState.ok.isHealthy)
        #expect(Role.unrecognized(9).effective == .unspecified && Role.admin.effective == .admin)
        #expect(CaptureMode.unspecified.mayHideAlarms && !CaptureMode.raw.mayHideAlarms)
    }

    @Test
    func everyErrorCodeHasItsCloseCode() {
        for code in ErrorCode.knownValues where code != .unspecified {
            #expect(Int32(code.closeCode) == code.rawValue)
        }
        #expect(ErrorCode.unspecified.closeCode == 4500)
        #expect(ErrorCode.unrecognized(1_000).closeCode == 4500)
        #expect(ErrorCode.superseded.isAlwaysFatal && !ErrorCode.invalidValue.isAlwaysFatal)
    }

    @Test
    func rawValuesRoundTrip() {
        for raw in [Int32.min, -1, 0, 1, 5, 4_400, 4_405, .max] {
            #expect(Urgency(rawValue: raw).rawValue == raw)
            #expect(ErrorCode(rawValue: raw).rawValue == raw)
        }
    }
}
