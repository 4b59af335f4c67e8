import SenseClientKit
import SenseProtocol
import Testing

/// A session and a server played by hand, on a manual clock.
private struct Script {
    var session: ClientSession
    var nowUs: UInt64 = 1_000_000
    var seq: UInt64 = 0
    var events: [ClientEvent] = []

    init(resumption: ClientResumption? = nil, watchesAlerts: Bool = true, sendsReceipts: Bool = true) {
        session = ClientSession(
            greeting: ClientGreeting(
                credential: .token("t"), deviceName: "test", appVersion: "1", room: "kitchen",
                watchesAlerts: watchesAlerts, sendsReceipts: sendsReceipts), resumption: resumption)
    }

    mutating func start() -> [Envelope] {
        session.start(atUs: nowUs)
        return sent()
    }

    /// What the session has to send, decoded.
    mutating func sent() -> [Envelope] {
        session.takeOutput().compactMap { try? Envelope.decode($0, limits: .media).message }
    }

    mutating func server(_ body: Envelope.Body) {
        seq += 1
        session.receive(
            Envelope(seq: seq, monoUs: nowUs, body: body).serialized(), atUs: nowUs, events: &events)
    }

    mutating func welcome(credit: UInt64 = 1000, heartbeat: UInt32 = 10) {
        _ = start()
        nowUs += 2000
        server(
            .welcome(
                Welcome(
                    sessionId: [1, 2], serverUs: 50_000_000, heartbeatSeconds: heartbeat, creditBytes: credit)
            ))
    }

    mutating func tick(afterUs step: UInt64) {
        nowUs += step
        session.tick(atUs: nowUs, events: &events)
    }
}

@Suite struct ClientSessionTests {
    @Test func saysHelloAndIsWelcomed() {
        var script = Script()
        let first = script.start()
        guard case .hello(let hello)? = first.first?.body else {
            Issue.record("no hello")
            return
        }
        #expect(first.count == 1)
        #expect(first[0].seq == 1)
        #expect(hello.credential == .token("t"))
        #expect(hello.room == "kitchen")
        #expect(hello.resume == nil)
        script.server(.welcome(Welcome(serverUs: 7, creditBytes: 5)))
        #expect(script.session.isActive)
        #expect(script.events == [.welcomed(Welcome(serverUs: 7, creditBytes: 5))])
    }

    @Test func sendsNothingBeforeTheWelcome() {
        var script = Script()
        #expect(throws: ClientError.notConnected) {
            try script.session.send(.heartbeat(Heartbeat()), atUs: 1)
        }
        _ = script.start()
        #expect(throws: ClientError.notConnected) {
            try script.session.send(.heartbeat(Heartbeat()), atUs: 1)
        }
    }

    @Test func acknowledgesWhatItReceivedAndCountsWhatIsMissing() throws {
        var script = Script()
        script.welcome()
        script.seq += 4
        script.server(.streamOpened(StreamOpened(streamId: 1)))
        #expect(script.session.missedMessages == 4)
        try script.session.send(.eventAck(EventAck(eventId: 1)), atUs: script.nowUs)
        #expect(script.sent().last?.ack == 6)
        #expect(script.sent().isEmpty)
    }

    @Test func numbersItsMessagesWithoutGaps() throws {
        var script = Script()
        script.welcome()
        for _ in 0..<3 { try script.session.send(.metricsRequest(MetricsRequest()), atUs: script.nowUs) }
        #expect(script.sent().map(\.seq) == [2, 3, 4])
    }

    @Test func ticksHeartbeatsAtTheNegotiatedInterval() {
        var script = Script()
        script.welcome(heartbeat: 5)
        var beats: [UInt64] = []
        for _ in 0..<200 {
            script.tick(afterUs: 100_000)
            for envelope in script.sent() {
                if case .heartbeat? = envelope.body { beats.append(script.nowUs) }
                if case .heartbeat? = envelope.body { script.server(.heartbeat(Heartbeat())) }
            }
        }
        #expect(beats.count == 4)
        #expect(zip(beats, beats.dropFirst()).allSatisfy { $1 - $0 == 5_000_000 })
    }

    @Test func endsWhenTheServerIsSilent() {
        var script = Script()
        script.welcome(heartbeat: 4)
        script.events = []
        script.tick(afterUs: 10_000_000)
        #expect(script.events.isEmpty)
        script.tick(afterUs: 1)
        #expect(script.events == [.ended(.heartbeatLost)])
        #expect(!script.session.isActive)
    }

    @Test func endsWithoutAWelcome() {
        var script = Script()
        _ = script.start()
        script.tick(afterUs: 9_999_999)
        #expect(script.events.isEmpty)
        script.tick(afterUs: 1)
        #expect(script.events == [.ended(.timedOut(waitingFor: "welcome"))])
    }

    @Test func measuresTheClockInABurst() {
        var script = Script()
        script.welcome(heartbeat: 60)
        var requests = 0
        for _ in 0..<20 {
            script.tick(afterUs: 100_000)
            for envelope in script.sent() {
                guard case .timeRequest(let request)? = envelope.body else { continue }
                requests += 1
                // The server's clock is 49 s ahead; 1 ms there, 1 ms back.
                let arrived = script.nowUs + 1000 + 49_000_000
                script.nowUs += 2000
                script.server(
                    .timeReply(
                        TimeReply(
                            clientMonoUs: request.clientMonoUs, receivedServerUs: arrived,
                            sentServerUs: arrived)))
            }
        }
        #expect(requests == 5)
        #expect(script.session.clock.serverUs(atLocalUs: script.nowUs) == script.nowUs + 49_000_000)
    }

    @Test func mediaWaitsForCredit() throws {
        var script = Script()
        script.welcome(credit: 10)
        let chunk = Envelope.Body.audioChunk(
            AudioChunk(streamId: 1, samples: [UInt8](repeating: 0, count: 8)))
        try script.session.send(chunk, atUs: script.nowUs)
        #expect(throws: ClientError.noCredit(needed: 8, left: 2)) {
            try script.session.send(chunk, atUs: script.nowUs)
        }
        script.server(.credit(Credit(mediaBytes: 6)))
        try script.session.send(chunk, atUs: script.nowUs)
        #expect(script.session.credit.leftBytes == 0)
        #expect(script.events.last == .creditGrown)
        // What is no media needs none.
        try script.session.send(.finish(Finish(streamId: 1)), atUs: script.nowUs)
    }

    @Test func streamIDsAreFreeOnes() throws {
        var script = Script()
        script.welcome()
        let first = try script.session.openStream(.music(MusicFormat()), atUs: script.nowUs)
        let second = try script.session.openStream(.hands(HandFormat()), atUs: script.nowUs)
        #expect(first == 1 && second == 2)
        guard case .openStream(let open)? = script.sent().last?.body else {
            Issue.record("no open_stream")
            return
        }
        #expect(open.kind == .hands)
        script.server(.finished(Finished(streamId: 1)))
        #expect(script.events.last == .message(.finished(Finished(streamId: 1))))
    }

    @Test func alertsAreToldOnceAndAcknowledgedEachTime() {
        var script = Script()
        script.welcome()
        _ = script.sent()
        script.events = []
        let alert = Alert(eventId: 4, alertId: "a", revision: 1, label: "dog")
        script.server(.alert(alert))
        script.server(.alert(alert))
        #expect(script.events == [.alert(alert)])
        let bodies = script.sent().compactMap(\.body)
        #expect(
            bodies == [
                .eventAck(EventAck(eventId: 4)), .alertReceipt(AlertReceipt(alertId: "a", kind: .received)),
                .eventAck(EventAck(eventId: 4)),
            ])
        let next = Alert(eventId: 5, alertId: "a", revision: 2, state: .ended, label: "dog")
        script.server(.alert(next))
        #expect(script.events.last == .alert(next))
    }

    @Test func resumesAfterTheLastEventAndKeepsWhatItKnows() {
        var script = Script()
        script.welcome()
        script.server(.alert(Alert(eventId: 9, alertId: "a", revision: 3)))
        let resumption = script.session.resumption
        #expect(resumption.sessionID == [1, 2])
        var second = Script(resumption: resumption)
        guard case .hello(let hello)? = second.start().first?.body else {
            Issue.record("no hello")
            return
        }
        #expect(hello.resume == Resume(sessionId: [1, 2], lastEventId: 9))
        second.server(.welcome(Welcome(creditBytes: 1)))
        second.events = []
        second.server(.alert(Alert(eventId: 9, alertId: "a", revision: 3, replayed: true)))
        #expect(second.events.isEmpty)
    }

    @Test func tellsRefusalsFromProblems() {
        var script = Script()
        script.welcome()
        script.events = []
        let small = ErrorMessage(code: .invalidValue, field: "finish.stream_id")
        script.server(.error(small))
        #expect(script.events == [.problem(small)])
        #expect(script.session.isActive)
        let fatal = ErrorMessage(code: .superseded, field: "hello.token", fatal: true)
        script.server(.error(fatal))
        #expect(script.events.last == .ended(.refused(fatal)))
        #expect(!script.session.isActive)
    }

    @Test func aRefusedHelloEndsIt() {
        var script = Script()
        _ = script.start()
        let refused = ErrorMessage(code: .unauthenticated, field: "hello.token", fatal: true)
        script.server(.error(refused))
        #expect(script.events == [.ended(.refused(refused))])
    }

    @Test func somethingBeforeTheWelcomeIsNoServerOfOurs() {
        var script = Script()
        _ = script.start()
        script.server(.credit(Credit(mediaBytes: 1)))
        guard case .ended(.notSense?) = script.events.last else {
            Issue.record("not ended")
            return
        }
    }

    @Test func unknownBodiesAreCounted() {
        var script = Script()
        script.welcome()
        script.events = []
        script.session.receive(Envelope(seq: 2).serialized(), atUs: script.nowUs, events: &script.events)
        #expect(script.events.isEmpty)
        #expect(script.session.unknownCount == 1)
    }

    @Test func arbitraryBytesNeverTrap() {
        var random = SeededRandom(state: 7)
        for length in 0..<300 {
            var script = Script()
            script.welcome()
            let bytes = (0..<length).map { _ in UInt8(truncatingIfNeeded: random.next() >> 32) }
            script.session.receive(bytes, atUs: script.nowUs, events: &script.events)
            script.session.tick(atUs: .max, events: &script.events)
            if let last = script.events.last, case .ended(let error) = last { #expect(error != nil) }
        }
    }

    @Test func goodbyeIsTheLastWord() {
        var script = Script()
        script.welcome()
        _ = script.sent()
        script.session.sayGoodbye(.sleep, atUs: script.nowUs)
        #expect(script.sent().map(\.body) == [.goodbye(Goodbye(reason: .sleep))])
        #expect(throws: ClientError.notConnected) { try script.session.send(.goodbye(Goodbye()), atUs: 1) }
        var events: [ClientEvent] = []
        script.session.transportEnded(nil, events: &events)
        #expect(events.isEmpty)
    }
}

/// A repeatable source of numbers for tests.
struct SeededRandom {
    var state: UInt64

    mutating func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return state
    }
}
