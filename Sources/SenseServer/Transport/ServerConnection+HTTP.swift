public import HTTPCore
import Net
import WebSocketCore

extension ServerConnection {
    /// Reads requests out of `bytes` until they are used up or the connection is something else.
    func receiveHTTP(_ bytes: Span<UInt8>, at position: inout Int) {
        while phase == .http, position < bytes.count {
            guard var exchange = http, !exchange.awaitsAnswer else {
                position = bytes.count
                return
            }
            // Taken out while it changes, so that the parser's buffers are not copied.
            http = nil
            let request: HTTPRequest?
            do throws(HTTPError) {
                request = try next(&exchange, bytes, at: &position)
                http = exchange
            } catch {
                http = exchange
                position = bytes.count
                shard.counters.badRequests.add()
                send(error.response, omitsBody: false)
                return
            }
            guard let request else { return }
            answer(request)
        }
    }

    private func next(
        _ exchange: inout HTTPExchange, _ bytes: Span<UInt8>, at position: inout Int
    ) throws(HTTPError) -> HTTPRequest? {
        if exchange.head == nil {
            guard let head = try exchange.parser.next(bytes, at: &position) else { return nil }
            exchange.head = head
            exchange.omitsBody = head.method == .head
            exchange.closesAfterAnswer =
                exchange.closesAfterAnswer || !head.keepsAlive
                || exchange.answered + 1 >= shard.limits.maxRequests
        }
        guard let head = exchange.head else { return nil }
        let missing = head.contentLength - exchange.body.count
        if missing > 0 {
            let taken = min(missing, bytes.count - position)
            exchange.body.reserveCapacity(exchange.body.count + taken)
            for index in position..<(position + taken) { exchange.body.append(bytes[index]) }
            position += taken
            if taken < missing { return nil }
        }
        let request = HTTPRequest(head: head, body: exchange.body, peer: peer, isSecure: isSecure)
        exchange.head = nil
        exchange.body = []
        return request
    }

    private func answer(_ request: HTTPRequest) {
        if shard.isDraining {
            var response = HTTPResponse.text(.unavailable, "the server is going down")
            response.closesConnection = true
            send(response, omitsBody: request.head.method == .head)
            return
        }
        switch shard.application.answer(request, on: self) {
        case .response(let response): send(response, omitsBody: request.head.method == .head)
        case .later:
            http?.awaitsAnswer = true
            http?.closesAfterAnswer = true
        case .webSocket(let options, let origins, let makeHandler):
            upgrade(request, options, origins, makeHandler)
        }
    }

    /// Sends the answer to a request for which the application said `.later`. Ignored if none is owed.
    public func respond(_ response: HTTPResponse) {
        guard phase == .http, let exchange = http, exchange.awaitsAnswer else { return }
        http?.awaitsAnswer = false
        send(response, omitsBody: exchange.omitsBody)
    }

    private func send(_ response: HTTPResponse, omitsBody: Bool) {
        guard let exchange = http else { return }
        shard.counters.requests.add()
        var response = response
        response.closesConnection = response.closesConnection || exchange.closesAfterAnswer
        stream.write { response.serialize(into: &$0, includesBody: !omitsBody) }
        http?.answered += 1
        if response.closesConnection {
            phase = .ended
            http = nil
            timer?.cancel()
            stream.finish()
        } else {
            schedule(after: shard.limits.idleHTTP)
        }
    }

    private func upgrade(
        _ request: HTTPRequest, _ options: ServerHandshake.Options, _ origins: OriginPolicy,
        _ makeHandler: (ServerConnection, String?) -> any WebSocketHandler
    ) {
        if case .denied(let reason) = origins.verdict(request.head.fields) {
            refuse(.text(.forbidden, reason))
            return
        }
        let handshake: ServerHandshake
        do throws(HandshakeError) {
            handshake = try ServerHandshake(request.head, options)
        } catch {
            refuse(error.response)
            return
        }
        stream.write { handshake.response.serialize(into: &$0) }
        phase = .webSocket
        http = nil
        webSocket = WebSocketConnection(
            role: .server, limits: shard.limits.webSocket, compression: handshake.compression,
            configuration: options.compression ?? DeflateConfiguration(), pool: shard.deflatePool)
        shard.counters.webSockets.add()
        startKeepalive()
        let handler = makeHandler(self, handshake.subprotocol)
        self.handler = handler
        handler.opened()
    }

    /// A refused upgrade always ends the connection: what follows it may be frames (fault 24).
    private func refuse(_ response: HTTPResponse) {
        var response = response
        response.closesConnection = true
        shard.counters.badRequests.add()
        send(response, omitsBody: false)
    }
}
