import SenseProtocol

extension ClientSession {
    /// Takes one WebSocket message. What cannot be read ends the session; nothing traps.
    public mutating func receive(_ message: [UInt8], atUs now: UInt64, events: inout [ClientEvent]) {
        guard phase != .ended, phase != .idle else { return }
        let decoded: Decoded<Envelope>
        do throws(WireError) {
            decoded = try Envelope.decode(message, limits: .media)
        } catch {
            end(.malformed(error), &events)
            return
        }
        lastHeardUs = now
        unknownCount += decoded.unknownFields
        let envelope = decoded.message
        if envelope.seq > seqIn {
            if seqIn > 0 { missedMessages &+= envelope.seq - seqIn - 1 }
            seqIn = envelope.seq
        }
        guard let body = envelope.body else {
            unknownCount += 1
            return
        }
        if case .greeting(let sentUs) = phase {
            greeted(body, helloSentUs: sentUs, now, &events)
        } else {
            handle(body, now, &events)
        }
    }

    private mutating func greeted(
        _ body: Envelope.Body, helloSentUs: UInt64, _ now: UInt64, _ events: inout [ClientEvent]
    ) {
        switch body {
        case .welcome(let welcome):
            self.welcome = welcome
            phase = .active
            credit = MediaCredit(bytes: welcome.creditBytes)
            clock.add(
                sentUs: helloSentUs, serverReceivedUs: welcome.serverUs, serverSentUs: welcome.serverUs,
                receivedUs: now)
            nextBeatUs = now + heartbeatUs
            nextClockUs = now
            events.append(.welcomed(welcome))
        case .error(let error): end(.refused(error), &events)
        default:
            // Nothing else may come before the welcome; a server that does so is not ours.
            end(.notSense(reason: "a message came before the welcome"), &events)
        }
    }

    private mutating func handle(_ body: Envelope.Body, _ now: UInt64, _ events: inout [ClientEvent]) {
        switch body {
        case .alert(let alert): take(alert, now, &events)
        case .error(let error):
            if error.fatal || error.code.isAlwaysFatal {
                end(.refused(error), &events)
            } else {
                events.append(.problem(error))
            }
        case .credit(let more):
            credit.grow(more.mediaBytes)
            events.append(.creditGrown)
        case .timeReply(let reply):
            clock.add(
                sentUs: reply.clientMonoUs, serverReceivedUs: reply.receivedServerUs,
                serverSentUs: reply.sentServerUs, receivedUs: now)
        case .heartbeat: break
        case .finished(let finished):
            closed(stream: finished.streamId)
            events.append(.message(body))
        default: events.append(.message(body))
        }
    }

    private mutating func take(_ alert: Alert, _ now: UInt64, _ events: inout [ClientEvent]) {
        let isNews = inbox.take(alert)
        // A repeat is acknowledged again: it came because the server had not heard of it.
        if alert.eventId > 0 { append(.eventAck(EventAck(eventId: inbox.lastEventID)), at: now) }
        guard isNews else { return }
        if greeting.sendsReceipts, !alert.alertId.isEmpty {
            append(.alertReceipt(AlertReceipt(alertId: alert.alertId, kind: .received)), at: now)
        }
        events.append(.alert(alert))
    }
}
