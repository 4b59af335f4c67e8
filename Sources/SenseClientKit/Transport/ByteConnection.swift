#if canImport(Net)
    import ByteCodec
    import Net
    import TLS

    /// Who uses a `ByteConnection`; called on its loop.
    protocol ByteConnectionOwner: AnyObject {
        func bytesOpened(fingerprint: String?)
        func bytesReceived(_ bytes: Span<UInt8>)
        func bytesEnded(_ error: ClientError?)
    }

    /// A TCP connection to a server, with TLS where the address asks for it, and its failures in a client's words.
    ///
    /// Isolation: its loop.
    final class ByteConnection: StreamConnectionOwner {
        private let loop: EventLoop
        private let address: ServerAddress
        private let trust: ServerTrust
        /// Kept alive as long as the connection lives.
        private var owner: (any ByteConnectionOwner)?
        private var stream: StreamConnection?
        private var engine: TLSEngine?
        private var isDone = false

        init(loop: EventLoop, address: ServerAddress, trust: ServerTrust, owner: any ByteConnectionOwner) {
            self.loop = loop
            self.address = address
            self.trust = trust
            self.owner = owner
        }

        func start(addresses: [SocketAddress], timeout: Duration) {
            ConnectAttempt.start(loop: loop, addresses: addresses, timeout: timeout) { [self] outcome in
                switch consume outcome {
                case .connected(let socket, let peer): adopt(socket, peer)
                case .failed(let error):
                    end(.cannotConnect(address: address.hostAndPort, reason: Self.reason(error)))
                }
            }
        }

        private func adopt(_ socket: consuming FileDescriptor, _ peer: SocketAddress) {
            guard !isDone else { return }
            do {
                if address.isSecure { engine = try makeEngine() }
                let stream = StreamConnection(loop: loop, descriptor: socket, peer: peer, channel: engine)
                self.stream = stream
                try stream.start(owner: self)
            } catch let error as ClientError {
                end(error)
            } catch {
                end(.cannotConnect(address: address.hostAndPort, reason: "\(error)"))
            }
        }

        private func makeEngine() throws -> TLSEngine {
            let policy: TLSTrust
            switch trust {
            case .pinned(let hex):
                guard let fingerprint = CertificateFingerprint(hex) else {
                    throw ClientError.insecure(
                        reason: "\(hex) is no SHA-256 fingerprint; expected 64 hex digits")
                }
                policy = .pinned(fingerprint)
            case .onFirstUse(let accepts):
                policy = .onFirstUse { fingerprint in accepts(fingerprint.hex) }
            case .systemAuthorities: policy = .systemAuthorities(host: address.host)
            }
            do throws(TLSError) {
                return try TLSContext(client: policy).makeEngine()
            } catch {
                throw ClientError.insecure(reason: "\(error)")
            }
        }

        var unsentBytes: Int { stream?.unsentBytes ?? 0 }

        func write(_ body: (inout [UInt8]) -> Void) { stream?.write(body) }

        /// Sends what was written, then ends.
        func finish() { if let stream { stream.finish() } else { end(nil) } }

        /// Ends at once.
        func abort() { if let stream { stream.abort() } else { end(nil) } }

        private func end(_ error: ClientError?) {
            guard !isDone else { return }
            isDone = true
            stream = nil
            let owner = self.owner
            self.owner = nil
            owner?.bytesEnded(error)
        }

        // MARK: StreamConnectionOwner

        func streamOpened() { owner?.bytesOpened(fingerprint: engine?.peerFingerprint?.hex) }

        func streamReceived(_ bytes: Span<UInt8>) { owner?.bytesReceived(bytes) }

        func streamReceivedEnd() { stream?.finish() }

        func streamWritable() {}

        func streamClosed(_ reason: StreamCloseReason) {
            switch reason {
            case .finished, .aborted: end(nil)
            case .failed(let error): end(.lost(reason: "\(error)"))
            case .insecure(.untrustedPeer(let expected, let got)):
                if case .onFirstUse = trust {
                    end(.certificateUnknown(got: got))
                } else {
                    end(.certificateChanged(expected: expected, got: got))
                }
            case .insecure(.handshakeFailed(let reason)): end(.insecure(reason: reason))
            case .insecure(let error): end(.insecure(reason: "\(error)"))
            case .overflow: end(.lost(reason: "the network takes less than is sent"))
            case .loopStopped: end(nil)
            }
        }

        private static func reason(_ error: ConnectError) -> String {
            switch error {
            case .noAddress: "it has no address"
            case .failed(_, let system): "\(system)"
            case .timedOut: "no answer in time"
            }
        }
    }
#endif
