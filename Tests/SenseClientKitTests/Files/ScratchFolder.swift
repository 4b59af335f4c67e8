// Invariant that makes the unsafe code safe: strings and locals outlive the calls they are handed to.
import Glibc
import SenseClientKit

/// A folder for one test, removed with it.
final class ScratchFolder {
    let path: String

    init() throws {
        path =
            "\(LocalFile.environment("TMPDIR") ?? "/tmp")/sense-client-test-\(getpid())-\(UInt64.random(in: 0 ... .max))"
        try LocalFile.makeFolder(path)
    }

    deinit {
        for name in names { unsafe unlink("\(path)/\(name)") }
        unsafe rmdir(path)
    }

    private var names: [String] = []

    func file(_ name: String, _ content: [UInt8] = []) throws -> String {
        names.append(name)
        let file = "\(path)/\(name)"
        try LocalFile.write(content, to: file)
        return file
    }

    func file(_ name: String, _ content: String) throws -> String { try file(name, Array(content.utf8)) }

    /// Permission bits of a file.
    func mode(of file: String) -> UInt32 {
        var status = stat()
        return unsafe stat(file, &status) == 0 ? status.st_mode & 0o777 : 0
    }
}
