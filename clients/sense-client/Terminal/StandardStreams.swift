// The one file of this program that calls the file system. Invariant that makes the unsafe code safe: every buffer is
// an array that outlives the call it is handed to together with its length.
import Glibc

/// Standard input, output and error, unbuffered, so that lines of several tasks never mix.
enum StandardStreams {
    /// Whether a person sits before standard output.
    static var outputIsTerminal: Bool { isatty(STDOUT_FILENO) == 1 }

    /// Characters of a line of the terminal; 80 where it is not known.
    static var columns: Int {
        var size = winsize()
        guard unsafe ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
        return Int(size.ws_col)
    }

    /// Whether a person can be asked.
    static var canAsk: Bool { isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1 }

    /// Writes to standard output; a reader that went away (`| head`) ends the program quietly.
    static func write(_ text: String) {
        if !write(text, to: STDOUT_FILENO) { ExitCode.ok.endProcess() }
    }

    /// Writes to standard error.
    static func complain(_ text: String) { _ = write(text, to: STDERR_FILENO) }

    private static func write(_ text: String, to file: Int32) -> Bool {
        let bytes = Array(text.utf8)
        return unsafe bytes.withUnsafeBytes { buffer in
            var done = 0
            while done < buffer.count {
                let rest = unsafe UnsafeRawBufferPointer(rebasing: buffer[done...])
                let count = unsafe Glibc.write(file, rest.baseAddress, rest.count)
                guard count > 0 else {
                    if errno == EINTR { continue }
                    return false
                }
                done += count
            }
            return true
        }
    }

    /// What came of reading standard input.
    enum Input {
        /// Bytes, at least one.
        case bytes([UInt8])
        /// Nothing yet.
        case nothing
        /// The end, or an error.
        case end
    }

    /// What standard input holds now; never waits.
    static func readAvailable(atMost limit: Int) -> Input {
        var request = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
        guard unsafe poll(&request, 1, 0) > 0 else { return .nothing }
        var bytes = [UInt8](repeating: 0, count: limit)
        let count = unsafe Glibc.read(STDIN_FILENO, &bytes, limit)
        if count > 0 { return .bytes(Array(bytes[..<count])) }
        return count < 0 && (errno == EINTR || errno == EAGAIN) ? .nothing : .end
    }

    /// Asks a question on standard error; true for y or yes.
    static func ask(_ question: String) -> Bool {
        complain(question + " [y/N] ")
        let answer = readLine() ?? ""
        return ["y", "yes"].contains(answer.lowercased())
    }
}
