import SenseClientKit
import SenseProtocol

/// From a command line to a session: which server, which certificate, which token.
struct Connector {
    let context: CommandContext
    private(set) var store: PinStore
    let address: ServerAddress

    init(_ context: CommandContext) throws {
        self.context = context
        store = try PinStore(path: context.arguments.text("--config") ?? PinStore.defaultPath)
        guard let named = context.arguments.text("--server") ?? store.defaultServer else {
            throw Failure(
                code: .usage, message: "no server is named and none is paired yet",
                advice: "Name it with --server HOST:PORT.")
        }
        address = try ServerAddress(named)
    }

    /// What is known of the server.
    var known: PinStore.Server { store[address] }

    /// The token to use.
    /// - Throws: if the device is not paired.
    func token() throws -> String {
        guard let token = context.arguments.text("--token") ?? known.token else {
            throw Failure(
                code: .notPaired, message: "this device is not paired with \(address.hostAndPort)",
                advice: "Pair it: sense-client pair --server \(address.hostAndPort) --code CODE")
        }
        return token
    }

    /// Connects with the token kept.
    /// - Parameter isBeside: false: it is the device's own connection and replaces an earlier one. A command that asks
    ///   or plays something runs beside it.
    func connect(
        watchesAlerts: Bool = false, sendsReceipts: Bool = true, isBeside: Bool = true,
        resumption: ClientResumption? = nil
    ) async throws -> SenseClient.Connected {
        var connector = self
        let greeting = ClientGreeting(
            credential: .token(try token()), deviceName: known.device_name ?? "terminal",
            appVersion: CommandContext.version, room: known.room ?? "", watchesAlerts: watchesAlerts,
            sendsReceipts: sendsReceipts, isBeside: isBeside)
        return try await connector.connect(greeting, resumption: resumption)
    }

    /// Connects; a certificate seen for the first time is shown, asked about and pinned.
    mutating func connect(
        _ greeting: ClientGreeting, resumption: ClientResumption? = nil
    ) async throws -> SenseClient.Connected {
        let address = address
        let loop = context.loop
        let connected = try await trusting { trust in
            try await SenseClient.connect(
                to: address, trust: trust, greeting: greeting, loop: loop, resumption: resumption)
        }
        try pin(connected.fingerprint)
        return connected
    }

    /// Asks for a page that needs no token.
    mutating func get(_ path: String) async throws -> HTTPProbe.Answer {
        let address = address
        let loop = context.loop
        let answer = try await trusting { trust in
            try await HTTPProbe.get(path, from: address, loop: loop, trust: trust)
        }
        try pin(answer.fingerprint)
        return answer
    }

    private func trusting<Value: Sendable>(
        _ attempt: (ServerTrust) async throws -> Value
    ) async throws -> Value {
        if let pinned = context.arguments.text("--accept-fingerprint") ?? known.fingerprint {
            return try await attempt(.pinned(pinned))
        }
        let acceptsAny = context.arguments.has("--yes")
        do {
            return try await attempt(.onFirstUse { _ in acceptsAny })
        } catch ClientError.certificateUnknown(let got) where StandardStreams.canAsk {
            let shown = stride(from: 0, to: got.count, by: 8).map { start in
                String(got.dropFirst(start).prefix(8))
            }.joined(separator: " ")
            let question = """
                First contact with \(address.hostAndPort). Its certificate's SHA-256 is
                  \(shown)
                The server prints the same at its start. Trust it from now on?
                """
            guard StandardStreams.ask(question) else { throw ClientError.certificateUnknown(got: got) }
            return try await attempt(.pinned(got))
        }
    }

    private mutating func pin(_ fingerprint: String?) throws {
        guard let fingerprint, fingerprint != known.fingerprint else { return }
        try remember { $0.fingerprint = fingerprint }
        let host = address.hostAndPort
        context.console.tell(
            "pinned", ["server": .text(host), "fingerprint": .text(fingerprint)],
            "pinned the certificate of \(host): \(fingerprint)")
    }

    /// Changes what is kept of the server. The file is read again first: another command may have written it.
    mutating func remember(_ change: (inout PinStore.Server) -> Void) throws {
        store = try PinStore(path: store.path)
        change(&store[address])
        try store.save()
    }

    /// Makes this the server that is used when none is named.
    mutating func makeDefault() throws {
        store = try PinStore(path: store.path)
        store.defaultServer = address.isSecure ? address.hostAndPort : "ws://" + address.hostAndPort
        try store.save()
    }

    /// Forgets the server.
    mutating func forget() throws {
        store.forget(address)
        try store.save()
    }
}
