import HTTPCore

/// Where the HTTP side of a connection stands; freed when it becomes a WebSocket.
struct HTTPExchange {
    var parser: RequestHeadParser
    /// The request whose body is being read.
    var head: RequestHead?
    var body: [UInt8] = []
    /// Requests answered so far.
    var answered = 0
    /// The answer being made is the last one.
    var closesAfterAnswer = false
    /// The application will answer later; nothing is read meanwhile.
    var awaitsAnswer = false
    /// The request that is being answered is HEAD.
    var omitsBody = false

    init(limits: HTTPLimits) {
        let methods: Set<HTTPMethod> = limits.maxBodyBytes > 0 ? [.get, .head, .post] : [.get, .head]
        parser = RequestHeadParser(limits: limits, methods: methods)
    }

    /// Between two requests.
    var isIdle: Bool { head == nil && !awaitsAnswer && parser.isEmpty }
}
