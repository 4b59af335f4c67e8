// Writing lines to a descriptor.
//
// Invariant that makes it safe: pointers are those of a Swift array or variable for the length of one call.
import Glibc
import Synchronization

/// Writes whole lines to a descriptor that others read, without ever waiting for them.
///
/// A paused terminal or a full pipe must not hold up a loop: a line is written only where the descriptor says it
/// takes one, and is lost otherwise. How many were lost stands before the next line that is written.
final class LineWriter: Sendable {
    /// Longest line with what is put before it; what `PIPE_BUF` (4,096) bytes take at once is never split, and a
    /// pipe that is writable takes that much without blocking.
    static let maxLineBytes = 4000

    private let descriptor: Int32
    /// Lines lost since the last one written. The lock also keeps a second thread from filling the pipe between
    /// asking and writing.
    private let lost = Mutex<UInt64>(0)

    /// - Parameter descriptor: stays the caller's.
    init(descriptor: Int32) { self.descriptor = descriptor }

    /// Writes a line, or counts it as lost. Any thread.
    func write(_ line: String) {
        lost.withLock { lost in
            guard isWritable else {
                lost &+= 1
                return
            }
            let note = lost == 0 ? "" : "(\(lost) lines were lost before this one) "
            if send(Self.cut(note + line)) { lost = 0 } else { lost &+= 1 }
        }
    }

    private var isWritable: Bool {
        var request = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        let ready = unsafe poll(&request, 1, 0)
        return ready == 1 && request.revents & Int16(POLLOUT) != 0
    }

    private func send(_ bytes: [UInt8]) -> Bool {
        unsafe bytes.withUnsafeBytes { buffer in
            unsafe Glibc.write(descriptor, buffer.baseAddress, buffer.count) == buffer.count
        }
    }

    /// The line's bytes with its end, cut at a character's end.
    private static func cut(_ line: String) -> [UInt8] {
        var bytes = Array(line.utf8)
        if bytes.count >= maxLineBytes {
            var end = maxLineBytes - 1
            while end > 0, bytes[end] & 0xC0 == 0x80 { end -= 1 }
            bytes.removeSubrange(end...)
        }
        bytes.append(10)
        return bytes
    }
}
