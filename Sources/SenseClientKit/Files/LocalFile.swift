// The one file of this module that calls the file system. Invariant that makes the unsafe code safe: every pointer
// comes from an array or string that outlives the call it is handed to together with its length.

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Whole small files: read with a limit, written so that a crash leaves the old or the new content.
public enum LocalFile {
    /// Reads a whole file.
    ///
    /// - Parameter maxBytes: checked against the file's size before memory is taken, and again while reading.
    public static func read(_ path: String, maxBytes: Int) throws(LocalFileError) -> [UInt8] {
        guard !path.isEmpty, !path.utf8.contains(0) else { throw .notFound(path: path) }
        let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else {
            if errno == ENOENT || errno == ENOTDIR { throw .notFound(path: path) }
            throw .unreadable(path: path, reason: reason())
        }
        defer { close(file) }
        var status = stat()
        guard unsafe fstat(file, &status) == 0 else { throw .unreadable(path: path, reason: reason()) }
        if status.st_mode & S_IFMT == S_IFDIR { throw .isDirectory(path: path) }
        guard status.st_size <= maxBytes else { throw .tooLarge(path: path, maxBytes: maxBytes) }
        var content: [UInt8] = []
        var block = [UInt8](repeating: 0, count: 65_536)
        while true {
            #if canImport(Darwin)
                let count = unsafe Darwin.read(file, &block, block.count)
            #elseif canImport(Glibc)
                let count = unsafe Glibc.read(file, &block, block.count)
            #else
                let count = unsafe Musl.read(file, &block, block.count)
            #endif
            if count == 0 { return content }
            guard count > 0 else {
                if errno == EINTR { continue }
                throw .unreadable(path: path, reason: reason())
            }
            guard content.count + count <= maxBytes else { throw .tooLarge(path: path, maxBytes: maxBytes) }
            content.append(contentsOf: block[..<count])
        }
    }

    /// Writes a whole file that only its owner may read (mode 0600), through a neighbour that is renamed over it.
    public static func writePrivate(_ content: [UInt8], to path: String) throws(LocalFileError) {
        try write(content, to: path, mode: 0o600)
    }

    /// Writes a whole file that others may read.
    public static func write(_ content: [UInt8], to path: String, mode: UInt32 = 0o644) throws(LocalFileError)
    {
        guard !path.isEmpty, !path.utf8.contains(0) else {
            throw .unwritable(path: path, reason: "no such name")
        }
        let neighbour = "\(path).new-\(getpid())"
        let file = unsafe open(neighbour, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode_t(mode))
        guard file >= 0 else { throw .unwritable(path: path, reason: reason()) }
        var failure = writeAll(content, to: file)
        if failure == nil, fsync(file) != 0 { failure = reason() }
        close(file)
        if failure == nil, unsafe rename(neighbour, path) != 0 { failure = reason() }
        if let failure {
            unsafe unlink(neighbour)
            throw .unwritable(path: path, reason: failure)
        }
    }

    /// Makes a folder and those above it, for the owner alone; fine if it is there.
    public static func makeFolder(_ path: String) throws(LocalFileError) {
        var partial = path.hasPrefix("/") ? "" : "."
        for part in path.split(separator: "/") {
            partial += "/" + part
            if unsafe mkdir(partial, 0o700) != 0, errno != EEXIST {
                throw .unwritable(path: partial, reason: reason())
            }
        }
    }

    /// An environment variable; nil if unset or empty.
    public static func environment(_ name: String) -> String? {
        guard let text = unsafe getenv(name) else { return nil }
        let value = unsafe String(cString: text)
        return value.isEmpty ? nil : value
    }

    /// A file that grows as its text comes, for its owner alone (mode 0600).
    public struct Appending: ~Copyable {
        /// Where it stands.
        public let path: String
        private let file: Int32

        /// Begins the file anew.
        public init(path: String) throws(LocalFileError) {
            guard !path.isEmpty, !path.utf8.contains(0) else {
                throw .unwritable(path: path, reason: "no such name")
            }
            let opened = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode_t(0o600))
            guard opened >= 0 else { throw .unwritable(path: path, reason: LocalFile.reason()) }
            self.path = path
            file = opened
        }

        /// Adds text at the end.
        public func append(_ text: String) throws(LocalFileError) {
            if let failure = LocalFile.writeAll(Array(text.utf8), to: file) {
                throw .unwritable(path: path, reason: failure)
            }
        }

        deinit { close(file) }
    }

    private static func writeAll(_ content: [UInt8], to file: Int32) -> String? {
        unsafe content.withUnsafeBytes { bytes in
            var done = 0
            while done < bytes.count {
                let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[done...])
                #if canImport(Darwin)
                    let count = unsafe Darwin.write(file, rest.baseAddress, rest.count)
                #elseif canImport(Glibc)
                    let count = unsafe Glibc.write(file, rest.baseAddress, rest.count)
                #else
                    let count = unsafe Musl.write(file, rest.baseAddress, rest.count)
                #endif
                guard count > 0 else {
                    if errno == EINTR { continue }
                    return reason()
                }
                done += count
            }
            return nil
        }
    }

    private static func reason() -> String { unsafe String(cString: strerror(errno)) }
}
