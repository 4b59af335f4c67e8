#if canImport(Net)
    import ByteCodec
    import HTTPCore
    import Net
    import TLS
    import WebSocketCore

    /// WebSocket over TLS on an event loop.
    ///
    /// Isolation: its loop.
    public final class LinuxTransport: ClientTransport, ByteConnectionOwner {
        private enum Phase {
            case connecting
            case upgrading
            case open
            case closed
        }

        /// Path of the WebSocket endpoint.
        public static let path = "/v1"
        /// The protocol spoken.
        public static let subprotocol = "sense.v1"

        private let handshake: ClientHandshake
        private var parser = ResponseHeadParser()
        private var socket = WebSocketConnection(role: .client(maskKeys: { .random(in: .min ... .max) }))
        private var connection: ByteConnection?
        private weak var owner: (any ClientTransportOwner)?
        private var phase = Phase.connecting
        private var fingerprint: String?
        private var closedByUs = false
        private var failure: ClientError?

        private init(host: String, owner: any ClientTransportOwner) {
            handshake = ClientHandshake(
                host: host, target: Self.path, nonce: SecureRandom.bytes(16), subprotocols: [Self.subprotocol]
            )
            self.owner = owner
        }

        /// Connects; the owner hears `transportOpened` or `transportClosed`. The owner is not retained.
        ///
        /// - Parameters:
        ///   - addresses: where to try, as `resolve` gave them.
        ///   - timeout: for TCP.
        public static func connect(
            loop: ClientLoop, address: ServerAddress, addresses: ResolvedAddresses, trust: ServerTrust,
            timeout: Duration = .seconds(10), owner: any ClientTransportOwner
        ) -> LinuxTransport {
            let transport = LinuxTransport(host: address.hostAndPort, owner: owner)
            let connection = ByteConnection(
                loop: loop.eventLoop, address: address, trust: trust, owner: transport)
            transport.connection = connection
            connection.start(addresses: addresses.list, timeout: timeout)
            return transport
        }

        /// Bytes sent here that the network has not taken.
        public var unsentBytes: Int { connection?.unsentBytes ?? 0 }

        /// See `ClientTransport`.
        public func send(_ message: [UInt8]) {
            guard phase == .open else { return }
            connection?.write { output in _ = socket.send(.binary, message, output: &output) }
        }

        /// See `ClientTransport`.
        public func close(code: UInt16, reason: String) {
            guard phase != .closed, !closedByUs else { return }
            closedByUs = true
            guard phase == .open else {
                connection?.abort()
                return
            }
            connection?.write { output in
                _ = socket.close(CloseCode(rawValue: code), reason: reason, output: &output)
            }
            // The close frame leaves, then our direction ends; the server's answer is not waited for.
            connection?.finish()
        }

        // MARK: ByteConnectionOwner

        func bytesOpened(fingerprint: String?) {
            self.fingerprint = fingerprint
            phase = .upgrading
            connection?.write { $0.append(contentsOf: handshake.request) }
        }

        func bytesReceived(_ bytes: Span<UInt8>) {
            var position = 0
            if phase == .upgrading, !upgrade(bytes, at: &position) { return }
            guard phase == .open else { return }
            var answers: [UInt8] = []
            while let event = socket.nextEvent(bytes, at: &position, output: &answers) {
                if !answers.isEmpty {
                    connection?.write { $0.append(contentsOf: answers) }
                    answers.removeAll()
                }
                handle(event)
            }
        }

        /// Reads the server's answer; true once messages flow.
        private func upgrade(_ bytes: Span<UInt8>, at position: inout Int) -> Bool {
            do {
                guard let head = try parser.next(bytes, at: &position) else { return false }
                let agreement = try handshake.confirm(head)
                guard agreement.subprotocol == Self.subprotocol else {
                    fail(.notSense(reason: "it does not speak \(Self.subprotocol)"))
                    return false
                }
            } catch let error as HandshakeError {
                fail(.notSense(reason: "\(error)"))
                return false
            } catch {
                fail(.notSense(reason: "\(error)"))
                return false
            }
            phase = .open
            owner?.transportOpened(fingerprint: fingerprint)
            return true
        }

        private func handle(_ event: WebSocketEvent) {
            switch event {
            case .binary(let message): owner?.transportReceived(message)
            case .text: fail(.notSense(reason: "it sends text on \(Self.subprotocol)"))
            case .ping, .pong: break
            case .close(let frame):
                if !closedByUs {
                    failure = .closed(code: frame.code?.rawValue ?? 1005, reason: frame.reason)
                }
                connection?.finish()
            case .failed(let error):
                failure = .lost(reason: "\(error)")
                connection?.finish()
            }
        }

        private func fail(_ error: ClientError) {
            failure = failure ?? error
            connection?.abort()
        }

        func bytesEnded(_ error: ClientError?) {
            guard phase != .closed else { return }
            let wasOpen = phase == .open
            phase = .closed
            connection = nil
            var reason = failure ?? error
            if reason == nil, !closedByUs {
                reason = wasOpen ? .lost(reason: "the server went away") : .notSense(reason: "it hung up")
            }
            owner?.transportClosed(closedByUs ? nil : reason)
        }
    }

    /// Addresses of a server's name.
    public struct ResolvedAddresses: Sendable {
        let list: [SocketAddress]

        /// Looks a server's name up. Blocks on the network: never call it on a loop.
        public static func resolve(_ address: ServerAddress) throws(ClientError) -> ResolvedAddresses {
            do throws(ResolveError) {
                return ResolvedAddresses(list: try Resolver.resolve(host: address.host, port: address.port))
            } catch {
                throw .cannotResolve(host: address.host, reason: error.reason)
            }
        }
    }
#endif
