#if canImport(Net)
    public import SenseProtocol

    /// A session and its transport on one loop: drives the one, feeds the other, hands events on.
    ///
    /// Isolation: its loop.
    public final class SessionLink: ClientTransportOwner {
        /// The state machine. Change it only through `perform`.
        public private(set) var session: ClientSession
        /// SHA-256 of the server's certificate, once connected over TLS.
        public private(set) var fingerprint: String?
        private let loop: ClientLoop
        private var transport: LinuxTransport?
        private let deliver: (ClientEvent) -> Void
        private var isOver = false

        /// - Parameter deliver: receives every event, on the loop, in order.
        public init(loop: ClientLoop, session: ClientSession, deliver: @escaping (ClientEvent) -> Void) {
            self.loop = loop
            self.session = session
            self.deliver = deliver
        }

        /// Connects and says hello.
        public func start(
            address: ServerAddress, addresses: ResolvedAddresses, trust: ServerTrust,
            timeout: Duration = .seconds(10)
        ) {
            transport = LinuxTransport.connect(
                loop: loop, address: address, addresses: addresses, trust: trust, timeout: timeout,
                owner: self)
        }

        /// Changes the session and sends what came of it.
        @discardableResult
        public func perform<Result>(
            _ change: (inout ClientSession, UInt64) throws(ClientError) -> Result
        ) throws(ClientError) -> Result {
            defer { flush() }
            return try change(&session, ClientLoop.nowUs)
        }

        /// Bytes that the network has not taken yet.
        public var unsentBytes: Int { transport?.unsentBytes ?? 0 }

        /// Says goodbye and closes.
        public func leave(_ reason: GoodbyeReason = .userLeft) {
            session.sayGoodbye(reason, atUs: ClientLoop.nowUs)
            flush()
            transport?.close(code: 1000, reason: "")
        }

        /// Cuts the connection without a word, as a crash or a dead battery would.
        public func cut() {
            transport?.close(code: 1001, reason: "")
        }

        private func flush() {
            guard let transport else { return }
            for message in session.takeOutput() { transport.send(message) }
        }

        private func handle(_ events: [ClientEvent]) {
            flush()
            for event in events {
                deliver(event)
                if case .ended = event { close() }
            }
        }

        private func close() {
            isOver = true
            transport?.close(code: 1000, reason: "")
        }

        private func tick() {
            guard !isOver else { return }
            var events: [ClientEvent] = []
            session.tick(atUs: ClientLoop.nowUs, events: &events)
            handle(events)
            // The link lives as long as it ticks.
            loop.schedule(after: .milliseconds(250)) { self.tick() }
        }

        // MARK: ClientTransportOwner

        /// See `ClientTransportOwner`.
        public func transportOpened(fingerprint: String?) {
            self.fingerprint = fingerprint
            session.start(atUs: ClientLoop.nowUs)
            flush()
            tick()
        }

        /// See `ClientTransportOwner`.
        public func transportReceived(_ message: [UInt8]) {
            var events: [ClientEvent] = []
            session.receive(message, atUs: ClientLoop.nowUs, events: &events)
            handle(events)
        }

        /// See `ClientTransportOwner`.
        public func transportClosed(_ error: ClientError?) {
            isOver = true
            transport = nil
            var events: [ClientEvent] = []
            session.transportEnded(error, events: &events)
            for event in events { deliver(event) }
        }
    }
#endif
