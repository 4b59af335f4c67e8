// File-system calls of the server's start: folders, small files, their rights.
//
// Invariant that makes it safe: descriptors are closed in the function that opened them, and pointers are those of
// Swift arrays for the length of one call.
import Glibc

/// Reads and makes the few files that the server itself keeps; the store has its own.
enum FileSystem {
    /// Reads a whole file of at most `maxBytes`.
    static func read(_ path: String, maxBytes: Int) throws(ServerError) -> [UInt8] {
        let advice = "Check that the file exists and may be read."
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw ServerError(what: path, reason: reason(), advice: advice) }
        defer { close(descriptor) }
        var about = stat()
        guard unsafe fstat(descriptor, &about) == 0 else {
            throw ServerError(what: path, reason: reason(), advice: advice)
        }
        guard about.st_mode & S_IFMT == S_IFREG else {
            throw ServerError(what: path, reason: "not a file", advice: advice)
        }
        guard about.st_size <= maxBytes else {
            throw ServerError(
                what: path, reason: "\(about.st_size) bytes, more than \(maxBytes)",
                advice: "Is it the right file?")
        }
        var bytes = [UInt8](repeating: 0, count: Int(about.st_size))
        var filled = 0
        while filled < bytes.count {
            let count = unsafe bytes.withUnsafeMutableBytes { buffer in
                unsafe Glibc.read(
                    descriptor, buffer.baseAddress.map { unsafe $0 + filled }, buffer.count - filled)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                throw ServerError(
                    what: path, reason: count == 0 ? "it shrank while read" : reason(), advice: advice)
            }
            filled += count
        }
        return bytes
    }

    /// Makes a folder that only its owner may enter, unless it is there.
    static func makeFolder(_ path: String) throws(ServerError) {
        var made = ""
        for part in path.split(separator: "/", omittingEmptySubsequences: false) {
            made += made.isEmpty && !path.hasPrefix("/") ? String(part) : "/" + part
            guard !made.isEmpty, made != "/" else { continue }
            if unsafe mkdir(made, 0o700) != 0, errno != EEXIST {
                throw ServerError(
                    what: path, reason: reason(), advice: "Choose a folder that may be written, with --data.")
            }
        }
        guard unsafe access(path, W_OK | X_OK) == 0 else {
            throw ServerError(
                what: path, reason: reason(), advice: "Choose a folder that may be written, with --data.")
        }
    }

    /// Whether something is at `path`.
    static func exists(_ path: String) -> Bool { unsafe access(path, F_OK) == 0 }

    /// The machine's name, for its certificate.
    static func hostName() -> String {
        var buffer = [CChar](repeating: 0, count: 256)
        guard unsafe gethostname(&buffer, buffer.count - 1) == 0 else { return "localhost" }
        return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    private static func reason() -> String { unsafe String(cString: strerror(errno)) }
}
