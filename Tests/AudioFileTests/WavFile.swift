import Glibc

/// A wav file put together by hand, for tests.
struct WavFile {
    var sampleRateHz: UInt32 = 8_000
    var channels: UInt16 = 1
    var samples: [Int16] = []
    /// Length of the data as the header states it, when it should lie.
    var statedBytes: UInt32?

    var bytes: [UInt8] {
        let body = samples.flatMap { Self.little(UInt16(bitPattern: $0)) }
        let stated = statedBytes ?? UInt32(body.count)
        var bytes = Array("RIFF".utf8) + Self.little(UInt32(truncatingIfNeeded: 36 &+ stated))
        bytes += Array("WAVEfmt ".utf8) + Self.little(UInt32(16)) + Self.little(UInt16(1))
        bytes += Self.little(channels) + Self.little(sampleRateHz)
        bytes += Self.little(sampleRateHz &* UInt32(channels) &* 2) + Self.little(channels &* 2)
        bytes += Self.little(UInt16(16)) + Array("data".utf8) + Self.little(stated)
        return bytes + body
    }

    private static func little<Number: FixedWidthInteger & UnsignedInteger>(_ number: Number) -> [UInt8] {
        (0..<Number.bitWidth / 8).map { UInt8(truncatingIfNeeded: number >> Number($0 * 8)) }
    }
}

/// A new directory under the system's temporary one, removed with everything in it when the value dies.
final class TemporaryFolder {
    let path: String

    init() {
        var template = Array("\(Self.base)/audio-file-XXXXXX".utf8CString)
        path = unsafe template.withUnsafeMutableBufferPointer { buffer in
            guard let base = buffer.baseAddress, unsafe mkdtemp(base) != nil else { return "" }
            return unsafe String(cString: base)
        }
        precondition(!path.isEmpty, "no temporary directory")
    }

    private static var base: String {
        unsafe getenv("TMPDIR").map { unsafe String(cString: $0) } ?? "/tmp"
    }

    private var names: [String] = []

    func write(_ name: String, _ bytes: [UInt8]) -> String {
        let file = "\(path)/\(name)"
        guard let handle = unsafe fopen(file, "wb") else { preconditionFailure("cannot write \(file)") }
        let written = unsafe fwrite(bytes, 1, bytes.count, handle)
        precondition(unsafe fclose(handle) == 0 && written == bytes.count)
        names.append(file)
        return file
    }

    /// Makes a pipe with a name.
    func pipe(_ name: String) -> String {
        let file = "\(path)/\(name)"
        precondition(unsafe mkfifo(file, 0o600) == 0)
        names.append(file)
        return file
    }

    deinit {
        for name in names { _ = unsafe unlink(name) }
        _ = unsafe rmdir(path)
    }
}
