import Net
public import WebSocketCore

extension ServerConnection {
    /// Runs every frame of one read, then lets the loop send all answers at once.
    func receiveWebSocket(_ bytes: Span<UInt8>, at position: inout Int) {
        // Pongs and close frames; not allocated unless there are some.
        var control: [UInt8] = []
        var messages: UInt64 = 0
        receiving: while let event = webSocket?.nextEvent(bytes, at: &position, output: &control) ?? nil {
            if case .failed(let error) = event { sayLastWords(.protocolError(error)) }
            if !control.isEmpty {
                stream.write { $0.append(contentsOf: control) }
                control.removeAll(keepingCapacity: true)
            }
            switch event {
            case .binary(let message):
                messages += 1
                handler?.received(.binary, message)
            case .text(let message):
                messages += 1
                handler?.received(.text, message)
            case .ping, .pong: break
            case .close(let frame):
                endWebSocket(endReason ?? .clean(frame))
            case .failed(let error):
                shard.counters.protocolErrors.add()
                endWebSocket(endReason ?? .protocolError(error))
            }
            if phase == .ended || stream.isClosed { break receiving }
        }
        if messages > 0 { shard.counters.messagesIn.add(messages) }
        if webSocket?.disconnectsAfterFlush ?? false { stream.finish() }
    }

    // MARK: sending

    /// Whether a message would be encoded at once rather than wait.
    public var isWritable: Bool {
        queue == nil && phase == .webSocket && stream.unsentBytes <= shard.limits.outbound.streamBytes
    }

    /// Sends a message, or lets it wait if the peer is slow. Ignored after the connection began to close.
    public func send(_ kind: MessageKind, _ message: [UInt8], _ queueClass: QueueClass = .must) {
        guard phase == .webSocket else { return }
        shard.counters.messagesOut.add()
        if queue == nil, stream.unsentBytes <= shard.limits.outbound.streamBytes {
            encode(kind, message)
            return
        }
        if queue == nil {
            queue = OutboundQueue(limits: shard.limits.outbound)
            stream.notifyWhenWritable()
        }
        let waiting = OutboundQueue.Message(kind: kind, bytes: message, queueClass: queueClass)
        switch queue?.append(waiting) {
        case nil: break
        case .queued(let dropped):
            if dropped > 0 { shard.counters.droppedLossy.add(UInt64(dropped)) }
            if queue?.pausesReading ?? false { stream.setReading(paused: true) }
        case .overflow:
            shard.counters.tooSlow.add()
            endReason = .tooSlow
            queue = nil
            sayLastWords(.tooSlow)
            close(.tryAgainLater, reason: "messages are not taken fast enough")
        }
    }

    /// Says close; later messages are ignored, the peer's answer is awaited for `TransportLimits.close`.
    /// Messages that still wait go out before the close frame.
    public func close(_ code: CloseCode, reason: String = "") {
        guard phase == .webSocket else { return }
        while let message = queue?.popFirst() ?? nil { encode(message.kind, message.bytes) }
        queue = nil
        stream.setReading(paused: false)
        stream.write { output in _ = webSocket?.close(code, reason: reason, output: &output) }
        phase = .closing
        schedule(after: shard.limits.close)
    }

    /// Sets the largest message taken from the peer from now on; `TransportLimits.webSocket` holds until then.
    public func setMaxMessageBytes(_ bytes: Int) { webSocket?.setMaxMessageBytes(bytes) }

    /// What the handler has to say before a close that it did not ask for. Encoded apart from the WebSocket, which
    /// after a failure of the peer takes no more messages; its close frame has not left yet.
    private func sayLastWords(_ end: WebSocketEnd) {
        guard phase == .webSocket, let last = handler?.closing(end) else { return }
        shard.counters.messagesOut.add()
        stream.write { output in
            FrameEncoder(role: .server).append(
                last.kind == .text ? .text : .binary, last.message.span, to: &output)
        }
    }

    private func encode(_ kind: MessageKind, _ message: [UInt8]) {
        stream.write { output in _ = webSocket?.send(kind, message, output: &output) }
    }

    func drainQueue() {
        guard phase == .webSocket, queue != nil else { return }
        while stream.unsentBytes <= shard.limits.outbound.streamBytes {
            guard let message = queue?.popFirst() ?? nil else { break }
            encode(message.kind, message.bytes)
        }
        if !(queue?.pausesReading ?? false) { stream.setReading(paused: false) }
        if queue?.isEmpty ?? true {
            queue = nil
            handler?.writable()
        } else {
            stream.notifyWhenWritable()
        }
    }

    /// Tells the handler, once, that its WebSocket is over.
    func endWebSocket(_ end: WebSocketEnd) {
        guard let handler else { return }
        self.handler = nil
        queue = nil
        shard.counters.webSockets.subtract()
        if phase == .webSocket {
            phase = .closing
            schedule(after: shard.limits.close)
        }
        handler.closed(end)
    }

    // MARK: keepalive

    func startKeepalive() {
        let limits = shard.limits
        keepalive = Keepalive(
            nowNs: shard.loop.now.nanoseconds, interval: limits.pingInterval, timeout: limits.pingTimeout)
        schedule(after: limits.pingInterval)
    }

    /// Runs when the keepalive asked to be asked. Signs of life are collected here, from what the stream counts,
    /// so that a message costs nothing.
    func checkKeepalive() {
        let now = shard.loop.now.nanoseconds
        let acknowledged = stream.acknowledgedBytes
        if acknowledged != seenAcknowledgedBytes {
            seenAcknowledgedBytes = acknowledged
            let isBehind = stream.unsentBytes > 0 || acknowledged != stream.sentBytes
            keepalive?.bytesLeft(nowNs: now, hasUnsentBytes: isBehind)
        }
        if stream.receivedBytes != seenReceivedBytes {
            seenReceivedBytes = stream.receivedBytes
            keepalive?.bytesReceived(nowNs: stream.lastReceived.nanoseconds)
        }
        switch keepalive?.action(nowNs: now) {
        case nil: break
        case .wait(let until):
            schedule(after: .nanoseconds(Int64(clamping: until > now ? until - now : 0)))
        case .sendPing:
            stream.write { output in _ = webSocket?.ping(output: &output) }
            webSocket?.releaseIdle()
            keepalive?.pingQueued(nowNs: now)
            seenAcknowledgedBytes = acknowledged
            seenReceivedBytes = stream.receivedBytes
            schedule(after: shard.limits.pingTimeout)
        case .giveUp:
            shard.counters.silent.add()
            endReason = .silent
            stream.abort()
        }
    }
}
