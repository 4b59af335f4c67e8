import HTTPCore
import Net
import SenseProtocol
import SessionCore
import Storage
import Synchronization
import TLS
import WebSocketCore

/// What the server answers to HTTP: the health page, the metrics, and the WebSocket of `/v1`.
final class SenseApplication: TransportApplication {
    /// Binary protobuf.
    static let subprotocol = "sense.v1"
    /// Canonical protobuf JSON, for browsers and debugging.
    static let jsonSubprotocol = "sense.v1.json"

    private let services: ServerServices
    private let origins: OriginPolicy
    private let started: MonotonicInstant
    private let batchers = Mutex<[ObjectIdentifier: LoopConfined<LetterBatcher>]>([:])

    init(services: ServerServices, origins: OriginPolicy, started: MonotonicInstant) {
        self.services = services
        self.origins = origins
        self.started = started
    }

    func answer(_ request: HTTPRequest, on connection: ServerConnection) -> HTTPAnswer {
        switch (request.head.path, request.head.method) {
        case ("/health", .get), ("/health", .head): return .response(health())
        case ("/metrics", .get), ("/metrics", .head): return metrics(request, connection)
        case ("/v1", .get):
            let token = bearer(request.head)
            return .webSocket(
                ServerHandshake.Options(
                    subprotocols: [Self.subprotocol, Self.jsonSubprotocol], requiresSubprotocol: true,
                    compression: nil), origins
            ) { [self] connection, subprotocol in
                SessionHandler(
                    connection: connection, services: services, batcher: batcher(of: connection.shard.loop),
                    subprotocol: subprotocol, headerToken: token)
            }
        case ("/health", _), ("/metrics", _), ("/v1", _):
            var response = HTTPResponse.text(.methodNotAllowed, "only GET is answered here")
            response.fields.append("allow", "GET, HEAD")
            return .response(response)
        default:
            return .response(.text(.notFound, "there is nothing here; see /health and /v1"))
        }
    }

    private func batcher(of loop: EventLoop) -> LetterBatcher {
        batchers.withLock { batchers in
            let key = ObjectIdentifier(loop)
            if let known = batchers[key] { return known }
            let made = LoopConfined(
                LetterBatcher(
                    loop: loop, pool: services.letters, scorer: services.quickLetters.map { LetterScorer($0) }
                ))
            batchers[key] = made
            return made
        }.value
    }

    // MARK: Pages

    /// Says whether the server lives and how many rooms it hears; names nobody and nothing.
    private func health() -> HTTPResponse {
        let rooms = services.hubs.values.flatMap(\.protections)
        let heard = rooms.count { $0.state == .protected }
        let uptime = Int(Syscalls.monotonicNow().since(started).seconds)
        let models = services.context.models.map { "\"\($0.name)\"" }.joined(separator: ",")
        let status = services.context.unavailable.contains { $0.feature == "sounds" } ? "degraded" : "ok"
        let json = """
            {"status":"\(status)","version":"\(services.context.serverVersion)","uptime_seconds":\(uptime),\
            "models":[\(models)],"rooms_heard":\(heard),"rooms_not_heard":\(rooms.count - heard)}

            """
        return HTTPResponse(
            status: .ok,
            fields: HTTPFields([("content-type", "application/json"), ("cache-control", "no-store")]),
            body: Array(json.utf8))
    }

    private func metrics(_ request: HTTPRequest, _ connection: ServerConnection) -> HTTPAnswer {
        guard let token = bearer(request.head) else { return .response(Self.unauthorized) }
        let handle = connection.handle
        services.store.deviceByTokenHash(SHA256.digest(of: Array(token.utf8))) { [services] result in
            let response: HTTPResponse
            if case .success(let device?) = result, device.revokedUs == nil {
                response = HTTPResponse(
                    status: .ok, fields: HTTPFields([("content-type", "text/plain; version=0.0.4")]),
                    body: Array(services.metricsText().utf8))
            } else {
                response = Self.unauthorized
            }
            handle.post { $0.respond(response) }
        }
        return .later
    }

    private static var unauthorized: HTTPResponse {
        var response = HTTPResponse.text(
            .unauthorized, "a device token is needed: Authorization: Bearer TOKEN")
        response.fields.append("www-authenticate", "Bearer")
        return response
    }

    private func bearer(_ head: RequestHead) -> String? {
        guard let value = head.fields.single("authorization") else { return nil }
        let parts = value.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[0].lowercased() == "bearer", parts[1].utf8.count <= 256 else {
            return nil
        }
        return String(parts[1])
    }
}
