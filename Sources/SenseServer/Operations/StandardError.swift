// Writing to standard error.
//
// Invariant that makes it safe: the pointer is that of a Swift array for the length of one call.
import Glibc

/// Standard error, a whole line at a time.
enum StandardError {
    /// Writes a line. A full pipe loses it rather than blocking a loop for ever.
    static func write(_ line: String) {
        var bytes = Array(line.utf8)
        bytes.append(10)
        unsafe bytes.withUnsafeBytes { buffer in
            _ = unsafe Glibc.write(STDERR_FILENO, buffer.baseAddress, buffer.count)
        }
    }
}
