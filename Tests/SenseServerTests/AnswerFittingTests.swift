import SenseProtocol
import Testing

@testable import SenseServer

@Suite("Answers for small devices")
struct AnswerFittingTests {
    private func fitting(_ maxBytes: Int, room: String = "kitchen") -> AnswerFitting {
        AnswerFitting(maxBytes: maxBytes, room: room) { $0.serialized() }
    }

    private func decoded(_ bytes: [UInt8]?) throws -> Envelope.Body? {
        try Envelope.decode(#require(bytes)).message.body
    }

    private func text(_ count: Int) -> String { String(repeating: "x", count: count) }

    /// Every field as large as the server lets it be.
    private var largestAlert: Alert {
        Alert(
            eventId: .max, alertId: text(37), revision: .max, kind: .cannotHear, state: .updated,
            urgency: .lifeSafety, label: text(64), confidence: 1, room: text(64), deviceId: text(16),
            streamId: .max, startedUnixUs: .max, updatedUnixUs: .max, durationMs: .max,
            haptic: HapticPattern(
                patternId: text(16), version: .max,
                steps: (0..<16).map { _ in HapticStep() }, repeats: .max),
            disposition: .exhausted, message: text(256), onsetServerUs: .max, sentServerUs: .max,
            replayed: true, acknowledgedBy: text(64), onsetSampleIndex: .max,
            verdict: .wrong, trueLabel: text(64))
    }

    @Test("an alert always fits 512 bytes and keeps what it is, where and how urgent")
    func alert() throws {
        let sent = largestAlert
        let bytes = fitting(512).fitted(Envelope(seq: .max, ack: .max, monoUs: .max, body: .alert(sent)))
        guard case .alert(let received)? = try decoded(bytes) else {
            Issue.record("no alert")
            return
        }
        #expect((bytes?.count ?? 0) <= 512)
        #expect(received.message == "")
        #expect(received.haptic?.patternId == sent.haptic?.patternId)
        #expect(received.alertId == sent.alertId)
        #expect(received.kind == sent.kind)
        #expect(received.label == sent.label)
        #expect(received.room == sent.room)
        #expect(received.urgency == sent.urgency)
        #expect(received.eventId == sent.eventId)
    }

    @Test("what fits is left as it is")
    func untouched() throws {
        let envelope = Envelope(seq: 1, body: .alert(largestAlert))
        #expect(fitting(65_536).fitted(envelope) == envelope.serialized())
        #expect(fitting(envelope.serialized().count).fitted(envelope) == envelope.serialized())
    }

    @Test("history sheds its receipts first")
    func history() throws {
        let receipts = (0..<20).map {
            Receipt(deviceId: "d\($0)", kind: .received, unixUs: 1, note: text(100))
        }
        let page = HistoryPage(
            queryId: 7, entries: [HistoryEntry(alert: largestAlert, receipts: receipts)], nextPageToken: "t")
        guard
            case .historyPage(let received)? = try decoded(fitting(1024).fitted(Envelope(.historyPage(page))))
        else {
            Issue.record("no page")
            return
        }
        #expect(received.entries.map(\.alert) == [largestAlert])
        #expect(received.entries.first?.receipts == [])
        #expect(received.nextPageToken == "t")
    }

    @Test("history sheds the rates of what is seldom wrong after that")
    func rates() throws {
        let rates = (0..<200).map { AlertRate(room: text(64), label: "l\($0)", wrong: UInt32(200 - $0)) }
        let page = HistoryPage(
            queryId: 7, entries: [HistoryEntry(alert: Alert(alertId: "a", message: "m"))], rates: rates)
        func received(_ maxBytes: Int) throws -> HistoryPage? {
            guard
                case .historyPage(let it)? = try decoded(
                    fitting(maxBytes).fitted(Envelope(.historyPage(page))))
            else { return nil }
            return it
        }
        let few = try #require(try received(1024))
        #expect(few.rates == Array(rates.prefix(8)) && few.entries == page.entries)
        #expect(try received(512)?.rates == [])
    }

    /// Before, such a device got an error in place of its Welcome and was active all the same.
    @Test("a Welcome sheds labels, then the rooms of others")
    func welcome() throws {
        let welcome = Welcome(
            sessionId: [UInt8](repeating: 1, count: 16),
            models: [ModelInfo(name: "m", version: "1", sha256: text(64), labels: (0..<20).map { "l\($0)" })],
            issuedToken: text(64), deviceId: text(16),
            rooms: (0..<30).map { RoomProtection(room: "room \($0)") } + [RoomProtection(room: "kitchen")])
        func received(_ maxBytes: Int) throws -> Welcome? {
            guard case .welcome(let it)? = try decoded(fitting(maxBytes).fitted(Envelope(.welcome(welcome))))
            else { return nil }
            return it
        }
        let labelsGone = try #require(try received(600))
        #expect(labelsGone.models.map(\.labels) == [[]])
        #expect(labelsGone.rooms.count == 31)
        let roomsGone = try #require(try received(512))
        #expect(roomsGone.rooms.map(\.room) == ["kitchen"])
        #expect(roomsGone.issuedToken == welcome.issuedToken)
        #expect(try received(150)?.models == [])
        #expect(fitting(64).fitted(Envelope(.welcome(welcome))) == nil)
    }

    @Test("an error fits 512 bytes")
    func error() throws {
        let error = ErrorMessage(
            code: .tooLarge, field: text(300), devMessage: text(700), userMessage: text(80), inReplyToSeq: 9)
        guard case .error(let received)? = try decoded(fitting(512).fitted(Envelope(.error(error)))) else {
            Issue.record("no error")
            return
        }
        #expect(received.code == .tooLarge)
        #expect(received.inReplyToSeq == 9)
    }
}
