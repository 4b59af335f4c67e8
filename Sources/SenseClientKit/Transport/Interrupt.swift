#if canImport(Net)
    import Net
    import Synchronization

    /// Ctrl-C and SIGTERM as a wish to end, so that a program can say goodbye first.
    public final class Interrupt: Sendable {
        private let wished = Atomic<Bool>(false)

        /// Takes the signals over. Call it before any thread exists.
        public init() { ProcessSignal.blockAll() }

        /// Whether somebody wants the program to end.
        public var isWished: Bool { wished.load(ordering: .relaxed) }

        /// Begins to listen on a loop. A second Ctrl-C ends the process at once, through `force`.
        public func listen(on loop: ClientLoop, force: @escaping @Sendable () -> Void) {
            loop.run { [self] in
                // Without a descriptor for signals Ctrl-C does nothing; SIGKILL still works.
                _ = try? SignalSource(loop: loop.eventLoop) { [self] signal in
                    guard signal != .reload else { return }
                    if wished.exchange(true, ordering: .relaxed) { force() }
                }
            }
        }
    }
#endif
