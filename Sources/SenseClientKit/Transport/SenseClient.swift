#if canImport(Net)
    public import SenseProtocol

    /// One connection for programs that wait: connect, open streams, send, take the next event.
    ///
    /// Any task may call it. Events come in order; one that nobody takes waits in a bounded queue.
    ///
    /// `@unchecked Sendable`: all mutable state is confined to the loop's thread, which every method hops to.
    public final class SenseClient: @unchecked Sendable {
        /// An event and when it came.
        public struct Received: Sendable {
            /// What came.
            public let event: ClientEvent
            /// Local monotonic time, µs, when it was read from the network.
            public let atUs: UInt64
        }

        private struct Waiter {
            let id: Int
            let accepts: @Sendable (ClientEvent) -> Bool
            let resume: @Sendable (Result<Received?, ClientError>) -> Void
        }

        private let loop: ClientLoop
        private let limits: ClientLimits
        private var link: SessionLink?
        private var queue: [Received] = []
        private var waiters: [Waiter] = []
        private var waiterIDs = 0
        private var endedWith: ClientError??
        private var dropped: UInt64 = 0

        private init(loop: ClientLoop, limits: ClientLimits) {
            self.loop = loop
            self.limits = limits
        }

        /// A connected and welcomed client.
        public struct Connected: Sendable {
            /// The client.
            public let client: SenseClient
            /// What the server said.
            public let welcome: Welcome
            /// SHA-256 of its certificate; nil without TLS.
            public let fingerprint: String?
        }

        /// Connects and waits for the welcome. Blocks the calling thread while the name is looked up.
        public static func connect(
            to address: ServerAddress, trust: ServerTrust, greeting: ClientGreeting, loop: ClientLoop,
            resumption: ClientResumption? = nil, timeout: Duration = .seconds(10),
            limits: ClientLimits = ClientLimits()
        ) async throws(ClientError) -> Connected {
            let addresses = try ResolvedAddresses.resolve(address)
            let client = SenseClient(loop: loop, limits: limits)
            loop.run {
                let session = ClientSession(greeting: greeting, resumption: resumption, limits: limits)
                let link = SessionLink(loop: loop, session: session) { client.take($0) }
                client.link = link
                link.start(address: address, addresses: addresses, trust: trust, timeout: timeout)
            }
            let event = try await client.first(within: timeout + .seconds(5)) {
                if case .welcomed = $0 { true } else { false }
            }
            guard case .welcomed(let welcome)? = event?.event else {
                await client.leave()
                throw .timedOut(waitingFor: "welcome")
            }
            return Connected(
                client: client, welcome: welcome, fingerprint: await client.onLoop { $0?.fingerprint ?? nil })
        }

        // MARK: Events

        /// The next event, or nil if none comes within `timeout`.
        /// - Throws: why the session ended, once all events before that are taken.
        public func next(within timeout: Duration) async throws(ClientError) -> Received? {
            try await first(within: timeout) { _ in true }
        }

        /// The first event that `accepts` takes; others keep their place in the queue.
        public func first(
            within timeout: Duration, where accepts: @escaping @Sendable (ClientEvent) -> Bool
        ) async throws(ClientError) -> Received? {
            try await withCheckedContinuation { continuation in
                let isRunning = loop.run { [self] in
                    wait(accepts, timeout) { continuation.resume(returning: $0) }
                }
                if !isRunning { continuation.resume(returning: .failure(ClientError.notConnected)) }
            }.get()
        }

        private func wait(
            _ accepts: @escaping @Sendable (ClientEvent) -> Bool, _ timeout: Duration,
            _ resume: @escaping @Sendable (Result<Received?, ClientError>) -> Void
        ) {
            if let place = queue.firstIndex(where: { accepts($0.event) }) {
                resume(.success(queue.remove(at: place)))
            } else if let endedWith {
                resume(.failure(endedWith ?? .notConnected))
            } else {
                waiterIDs += 1
                let id = waiterIDs
                waiters.append(Waiter(id: id, accepts: accepts, resume: resume))
                loop.schedule(after: timeout) { [self] in
                    guard let place = waiters.firstIndex(where: { $0.id == id }) else { return }
                    waiters.remove(at: place).resume(.success(nil))
                }
            }
        }

        private func take(_ event: ClientEvent) {
            let received = Received(event: event, atUs: ClientLoop.nowUs)
            if case .ended(let error) = event {
                endedWith = .some(error)
                let waiting = waiters
                waiters = []
                for waiter in waiting { waiter.resume(.failure(error ?? .notConnected)) }
                return
            }
            if let place = waiters.firstIndex(where: { $0.accepts(event) }) {
                waiters.remove(at: place).resume(.success(received))
                return
            }
            if queue.count >= limits.maxQueuedEvents {
                dropped += 1
                guard let lossy = queue.firstIndex(where: { $0.event.isLossy }) else { return }
                queue.remove(at: lossy)
            }
            queue.append(received)
        }

        // MARK: Sending

        /// Sends a message; media waits for the server's credit.
        /// - Returns: its seq.
        @discardableResult
        public func send(
            _ body: Envelope.Body, creditTimeout: Duration = .seconds(30)
        ) async throws(ClientError) -> UInt64 {
            var waited = Duration.zero
            while true {
                let outcome: Result<UInt64, ClientError> = await attempt { session, now throws(ClientError) in
                    try session.send(body, atUs: now)
                }
                guard case .failure(.noCredit(let needed, let left)) = outcome else {
                    return try outcome.get()
                }
                guard waited < creditTimeout else { throw .noCredit(needed: needed, left: left) }
                let pause = Duration.milliseconds(20)
                try? await Task.sleep(for: pause)
                waited += pause
            }
        }

        /// Opens a stream and waits for the server's word.
        public func openStream(
            _ format: OpenStream.Format, name: String = "", timeout: Duration = .seconds(10)
        ) async throws(ClientError) -> UInt32 {
            let opening: Result<UInt32, ClientError> = await attempt { session, now throws(ClientError) in
                try session.openStream(format, name: name, atUs: now)
            }
            let id = try opening.get()
            let answer = try await first(within: timeout) { event in
                switch event {
                case .message(.streamOpened(let opened)): opened.streamId == id
                case .problem(let error): error.streamId == id
                default: false
                }
            }
            switch answer?.event {
            case .problem(let error)?: throw .refused(error)
            case nil: throw .timedOut(waitingFor: "stream_opened")
            default: return id
            }
        }

        /// Sends a request and waits for the answer that `accepts` takes.
        public func request(
            _ body: Envelope.Body, timeout: Duration = .seconds(10),
            accepts: @escaping @Sendable (Envelope.Body) -> Bool
        ) async throws(ClientError) -> Envelope.Body {
            let seq = try await send(body)
            let answer = try await first(within: timeout) { event in
                switch event {
                case .message(let body): accepts(body)
                case .problem(let error): error.inReplyToSeq == seq
                default: false
                }
            }
            switch answer?.event {
            case .message(let body)?: return body
            case .problem(let error)?: throw .refused(error)
            default: throw .timedOut(waitingFor: "an answer")
            }
        }

        /// Confirms how far an alert has come on this device.
        public func sendReceipt(
            _ alertID: String, _ kind: ReceiptKind, note: String = ""
        ) async throws(ClientError) {
            let outcome: Result<Void, ClientError> = await attempt { session, now throws(ClientError) in
                try session.sendReceipt(alertID, kind, note: note, atUs: now)
            }
            try outcome.get()
        }

        /// Takes a planned leave. Safe to call at any time.
        public func leave(_ reason: GoodbyeReason = .userLeft) async {
            await onLoop { $0?.leave(reason) }
        }

        /// Cuts the connection as a crash would; for tests of what happens then.
        public func cut() async {
            await onLoop { $0?.cut() }
        }

        // MARK: State

        /// Server time that belongs to a local monotonic time, and how far off it may be, µs; nil before the welcome.
        public func serverTime(
            atLocalUs local: UInt64
        ) async -> (serverUs: UInt64, uncertaintyUs: UInt64)? {
            await onLoop { link in
                guard let clock = link?.session.clock, let time = clock.serverUs(atLocalUs: local) else {
                    return nil
                }
                return (time, clock.uncertaintyUs(atLocalUs: local) ?? 0)
            }
        }

        /// What the next connection needs to miss nothing.
        public func resumption() async -> ClientResumption? { await onLoop { $0?.session.resumption } }

        /// Messages dropped on the way for lack of room: by the server, and here.
        public func missedMessages() async -> UInt64 {
            await onLoop { [self] in ($0?.session.missedMessages ?? 0) + dropped }
        }

        private func attempt<Value: Sendable>(
            _ change: @escaping @Sendable (inout ClientSession, UInt64) throws(ClientError) -> Value
        ) async -> Result<Value, ClientError> {
            await onLoop { link in
                guard let link else { return .failure(.notConnected) }
                do throws(ClientError) {
                    return .success(try link.perform(change))
                } catch {
                    return .failure(error)
                }
            }
        }

        private func onLoop<Value: Sendable>(
            _ body: @escaping @Sendable (SessionLink?) -> Value
        ) async -> Value {
            await withCheckedContinuation { continuation in
                let isRunning = loop.run { [self] in continuation.resume(returning: body(link)) }
                // A stopped loop touches nothing any more, so neither does this.
                if !isRunning { continuation.resume(returning: body(nil)) }
            }
        }
    }
#endif
