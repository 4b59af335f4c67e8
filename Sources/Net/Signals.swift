// Invariant that makes the unsafe code safe: the record read from the signalfd is plain data of the size asked for.
import CLinux
import Glibc

/// A signal the process reacts to in an orderly way.
public enum ProcessSignal: Int32, Sendable, CaseIterable {
    /// SIGTERM: end, after draining.
    case terminate = 15
    /// SIGINT: Ctrl-C; end, after draining.
    case interrupt = 2
    /// SIGHUP: read certificates and configuration again.
    case reload = 1

    /// Keeps these signals from killing the process, and SIGPIPE too. Call at the start of `main`, before any
    /// thread exists: threads inherit the mask, and a thread without it would take the default action.
    public static func blockAll() {
        let numbers = allCases.map(\.rawValue)
        let status = unsafe clinux_block_signals(numbers, Int32(numbers.count))
        precondition(status == 0, "pthread_sigmask failed: \(status)")
        signal(SIGPIPE, SIG_IGN)
    }
}

/// Hands blocked signals to a loop as ordinary events.
///
/// Isolation: its loop.
public final class SignalSource: EventSource {
    private let loop: EventLoop
    private var descriptor: FileDescriptor?
    private let handler: (ProcessSignal) -> Void

    /// Begins to receive the signals blocked by `ProcessSignal.blockAll()`. The loop keeps the source alive.
    @discardableResult
    public init(loop: EventLoop, handler: @escaping (ProcessSignal) -> Void) throws(SystemError) {
        self.loop = loop
        self.handler = handler
        let socket = try Syscalls.signalDescriptor(ProcessSignal.allCases.map(\.rawValue))
        let raw = socket.raw
        descriptor = .some(consume socket)
        super.init()
        try loop.register(self, descriptor: raw, for: .readable)
    }

    /// Called by the loop.
    public override func ready(_ readiness: Readiness) {
        var record = signalfd_siginfo()
        while let raw = descriptor?.raw {
            let outcome = try? unsafe withUnsafeMutableBytes(of: &record) { bytes throws(SystemError) in
                try unsafe Syscalls.read(raw, into: bytes)
            }
            guard case .done(let count) = outcome, count == MemoryLayout<signalfd_siginfo>.size else {
                return
            }
            if let signal = ProcessSignal(rawValue: Int32(bitPattern: record.ssi_signo)) { handler(signal) }
        }
    }

    /// Called by the loop.
    public override func loopStopped() { descriptor = nil }
}
