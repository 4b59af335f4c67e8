#if os(Linux)
    // Invariant that makes the unsafe code safe: every pointer comes from an array or local that outlives the call
    // it is handed to together with its length.
    import Glibc

    /// A plain blocking TCP client on loopback: the peer that tests play by hand. Every wait ends after 10 s,
    /// so a missing answer fails a test instead of hanging it.
    public struct BlockingSocket: ~Copyable {
        /// A call that failed or gave up.
        public struct Failure: Error, Equatable {
            /// What was tried.
            public let call: String
            /// The errno it left; EAGAIN when the wait ended.
            public let code: Int32
        }

        private let descriptor: Int32

        /// Connects to 127.0.0.1.
        ///
        /// - Parameters:
        ///   - port: where the server under test listens.
        ///   - receiveBufferBytes: a small kernel buffer, for slow-reader tests; nil keeps the default.
        public init(port: UInt16, receiveBufferBytes: Int32? = nil) throws(Failure) {
            descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            guard descriptor >= 0 else { throw Failure(call: "socket", code: errno) }
            if var bytes = receiveBufferBytes {
                unsafe setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &bytes, 4)
            }
            var limit = timeval(tv_sec: 10, tv_usec: 0)
            let size = socklen_t(MemoryLayout<timeval>.size)
            unsafe setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, size)
            unsafe setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, size)
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = port.bigEndian
            address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
            let status = unsafe withUnsafePointer(to: address) { pointer in
                unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    unsafe connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
            // Every property is set by now, so a throw runs deinit, which closes the descriptor.
            guard status == 0 else { throw Failure(call: "connect", code: errno) }
        }

        deinit {
            if Glibc.close(descriptor) != 0 {
                precondition(errno != EBADF, "closed a descriptor that was not open: \(descriptor)")
            }
        }

        /// Sends all bytes.
        public func send(_ bytes: [UInt8]) throws(Failure) {
            var sent = 0
            while sent < bytes.count {
                let count = unsafe bytes.withUnsafeBytes {
                    unsafe Glibc.send(
                        descriptor, $0.baseAddress?.advanced(by: sent), $0.count - sent, Int32(MSG_NOSIGNAL))
                }
                guard count > 0 else { throw Failure(call: "send", code: errno) }
                sent += count
            }
        }

        /// Sends the UTF-8 bytes of `text`.
        public func send(_ text: String) throws(Failure) { try send(Array(text.utf8)) }

        /// Sends what the kernel takes at once; nil if that is nothing.
        public func sendWithoutWaiting(_ bytes: ArraySlice<UInt8>) -> Int? {
            let count = unsafe bytes.withUnsafeBytes {
                unsafe Glibc.send(
                    descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
            }
            return count > 0 ? count : nil
        }

        /// What has arrived, at least one byte; empty at the end of the stream.
        public func receive(atMost limit: Int = 65536) throws(Failure) -> [UInt8] {
            var bytes = [UInt8](repeating: 0, count: limit)
            let count = unsafe recv(descriptor, &bytes, limit, 0)
            guard count >= 0 else { throw Failure(call: "recv", code: errno) }
            return Array(bytes[..<count])
        }

        /// Exactly `count` bytes, fewer only at the end of the stream.
        public func receive(exactly count: Int) throws(Failure) -> [UInt8] {
            var bytes: [UInt8] = []
            while bytes.count < count {
                let more = try receive(atMost: min(65536, count - bytes.count))
                if more.isEmpty { return bytes }
                bytes += more
            }
            return bytes
        }

        /// Everything until the end of the stream.
        public func receiveAll() throws(Failure) -> [UInt8] {
            var bytes: [UInt8] = []
            while true {
                let more = try receive()
                if more.isEmpty { return bytes }
                bytes += more
            }
        }

        /// Everything up to and with `marker`; more may follow in what is returned.
        public func receive(until marker: String) throws(Failure) -> String {
            var bytes: [UInt8] = []
            while true {
                let more = try receive()
                bytes += more
                let text = String(decoding: bytes, as: UTF8.self)
                if text.contains(marker) || more.isEmpty { return text }
            }
        }

        /// Ends our direction (FIN).
        public func endWriting() { _ = shutdown(descriptor, Int32(SHUT_WR)) }

        /// Makes closing send a reset instead of FIN.
        public func resetOnClose() {
            var option = linger(l_onoff: 1, l_linger: 0)
            unsafe setsockopt(
                descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
        }
    }
#endif
