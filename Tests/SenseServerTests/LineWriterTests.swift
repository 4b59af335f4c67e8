import Glibc
import Testing

@testable import SenseServer

@Suite("Lines on standard error")
struct LineWriterTests {
    /// A pipe whose reading end the test empties.
    private final class Pipe {
        let read: Int32
        let write: Int32

        init() throws {
            var ends: [Int32] = [0, 0]
            try #require(unsafe Glibc.pipe(&ends) == 0)
            (read, write) = (ends[0], ends[1])
        }

        deinit {
            close(read)
            close(write)
        }

        func take() -> String {
            var bytes = [UInt8](repeating: 0, count: 1 << 17)
            let count = unsafe Glibc.read(read, &bytes, bytes.count)
            return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
        }
    }

    /// Before, a pipe that nobody read blocked the writing loop for ever.
    @Test("a full pipe loses lines, and the next line says how many")
    func full() throws {
        let pipe = try Pipe()
        let writer = LineWriter(descriptor: pipe.write)
        let line = String(repeating: "x", count: 3000)
        for _ in 0..<100 { writer.write(line) }
        let kept = pipe.take().split(separator: "\n").count
        #expect((1..<100).contains(kept))
        writer.write("after")
        writer.write("last")
        #expect(pipe.take() == "(\(100 - kept) lines were lost before this one) after\nlast\n")
    }

    @Test("a long line is cut at a character's end, so that a pipe takes it at once")
    func long() throws {
        let pipe = try Pipe()
        let writer = LineWriter(descriptor: pipe.write)
        writer.write("x" + String(repeating: "ü", count: 3000))
        let written = pipe.take()
        #expect(written.utf8.count <= LineWriter.maxLineBytes)
        #expect(written == "x" + String(repeating: "ü", count: 1999) + "\n")
    }
}
