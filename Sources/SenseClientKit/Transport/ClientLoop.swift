#if canImport(Net)
    import Net

    /// The thread on which connections live. One serves many.
    public final class ClientLoop: Sendable {
        let eventLoop: EventLoop

        /// Starts the thread.
        public init(name: String = "client") throws(ClientError) {
            do throws(SystemError) {
                eventLoop = try EventLoop(name: name)
                try eventLoop.start()
            } catch {
                throw .cannotConnect(address: "this machine", reason: "no thread could be started (\(error))")
            }
        }

        /// Runs `job` on the loop; false if it has stopped.
        @discardableResult
        public func run(_ job: @escaping @Sendable () -> Void) -> Bool { eventLoop.post(job) }

        /// Runs `job` once after `delay`. Isolation: the loop.
        public func schedule(after delay: Duration, _ job: @escaping () -> Void) {
            eventLoop.schedule(after: delay, job)
        }

        /// Microseconds of the monotonic clock.
        public static var nowUs: UInt64 { Syscalls.monotonicNow().nanoseconds / 1000 }

        /// Ends the thread and, unless called on it, waits for its end; connections still open are cut.
        public func stop() {
            eventLoop.stop()
            if !eventLoop.isOnLoop { eventLoop.join() }
        }
    }
#endif
