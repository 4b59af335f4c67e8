#if canImport(Net)
    import ByteCodec
    import HTTPCore
    import Net

    /// One plain GET, such as `/health`, which needs no token.
    ///
    /// Isolation: its loop, apart from `get`.
    public final class HTTPProbe: ByteConnectionOwner {
        /// What came back.
        public struct Answer: Sendable, Equatable {
            /// Status code.
            public var status: Int
            /// The body as text.
            public var body: String
            /// SHA-256 of the server's certificate; nil without TLS.
            public var fingerprint: String?
        }

        private let request: [UInt8]
        private let maxBodyBytes: Int
        private var parser = ResponseHeadParser()
        private var head: ResponseHead?
        private var body: [UInt8] = []
        private var fingerprint: String?
        private var connection: ByteConnection?
        private var done: ((Result<Answer, ClientError>) -> Void)?

        private init(
            request: [UInt8], maxBodyBytes: Int, done: @escaping (Result<Answer, ClientError>) -> Void
        ) {
            self.request = request
            self.maxBodyBytes = maxBodyBytes
            self.done = done
        }

        /// Asks for `path`. Blocks the calling thread while the name is looked up.
        public static func get(
            _ path: String, from address: ServerAddress, loop: ClientLoop, trust: ServerTrust,
            timeout: Duration = .seconds(10), limits: ClientLimits = ClientLimits()
        ) async throws(ClientError) -> Answer {
            let addresses = try ResolvedAddresses.resolve(address)
            let head = RequestHead(
                method: .get, target: path, host: address.hostAndPort,
                fields: HTTPFields([("host", address.hostAndPort), ("connection", "close")]))
            let request = head.serialized()
            return try await withCheckedContinuation { continuation in
                let isRunning = loop.run {
                    let probe = HTTPProbe(request: request, maxBodyBytes: limits.maxHTTPBodyBytes) {
                        continuation.resume(returning: $0)
                    }
                    let connection = ByteConnection(
                        loop: loop.eventLoop, address: address, trust: trust, owner: probe)
                    probe.connection = connection
                    connection.start(addresses: addresses.list, timeout: timeout)
                    loop.schedule(after: timeout) { probe.finish(.failure(.timedOut(waitingFor: path))) }
                }
                if !isRunning { continuation.resume(returning: .failure(ClientError.notConnected)) }
            }.get()
        }

        private func finish(_ result: Result<Answer, ClientError>) {
            guard let done else { return }
            self.done = nil
            connection?.abort()
            connection = nil
            done(result)
        }

        private func answer() {
            guard let head else {
                finish(.failure(.notSense(reason: "it hung up without an answer")))
                return
            }
            finish(
                .success(
                    Answer(
                        status: head.statusCode, body: String(decoding: body, as: UTF8.self),
                        fingerprint: fingerprint)))
        }

        // MARK: ByteConnectionOwner

        func bytesOpened(fingerprint: String?) {
            self.fingerprint = fingerprint
            connection?.write { $0.append(contentsOf: request) }
        }

        func bytesReceived(_ bytes: Span<UInt8>) {
            var position = 0
            if head == nil {
                do throws(HTTPError) {
                    head = try parser.next(bytes, at: &position)
                } catch {
                    finish(.failure(.notSense(reason: error.reason)))
                    return
                }
            }
            guard let head else { return }
            guard body.count + bytes.count - position <= maxBodyBytes else {
                finish(.failure(.notSense(reason: "its answer is larger than \(maxBodyBytes) bytes")))
                return
            }
            for index in position..<bytes.count { body.append(bytes[index]) }
            if let text = head.fields.single("content-length"), let length = Int(text), body.count >= length {
                body.removeLast(body.count - max(0, length))
                answer()
            }
        }

        func bytesEnded(_ error: ClientError?) {
            if let error { finish(.failure(error)) } else { answer() }
        }
    }
#endif
