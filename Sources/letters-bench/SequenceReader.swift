#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// One frame of a sequence; no points when no hand is seen.
struct SequenceFrame {
    let timeUs: UInt64
    let points: [Float]?
}

struct LandmarkSequence {
    let hasZ: Bool
    let frames: [SequenceFrame]
}

enum BenchError: Error {
    case truncated(offset: Int)
    case unknownTuning(String)
    case noOutput(String)
    case unreadable(String)
}

/// Reads the sequences of standard input.
struct SequenceReader {
    private let bytes: [UInt8]
    private var offset = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    mutating func next() throws -> LandmarkSequence? {
        guard offset < bytes.count else { return nil }
        let count = Int(try number(4))
        let hasZ = try number(1) != 0
        var frames: [SequenceFrame] = []
        for _ in 0..<count {
            let timeUs = try number(8)
            guard try number(1) != 0 else {
                frames.append(SequenceFrame(timeUs: timeUs, points: nil))
                continue
            }
            var points: [Float] = []
            points.reserveCapacity(63)
            for _ in 0..<63 { points.append(Float(bitPattern: UInt32(try number(4)))) }
            frames.append(SequenceFrame(timeUs: timeUs, points: points))
        }
        return LandmarkSequence(hasZ: hasZ, frames: frames)
    }

    private mutating func number(_ size: Int) throws -> UInt64 {
        guard size <= bytes.count - offset else { throw BenchError.truncated(offset: offset) }
        defer { offset += size }
        return (0..<size).reduce(UInt64(0)) { $0 | UInt64(bytes[offset + $1]) << UInt64(8 * $1) }
    }
}

/// All of a file or pipe.
func readAll(descriptor: Int32) -> [UInt8] {
    var all: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 20)
    while true {
        let count = unsafe buffer.withUnsafeMutableBytes { unsafe read(descriptor, $0.baseAddress, $0.count) }
        guard count > 0 else { return all }
        all += buffer[..<count]
    }
}

func readAll(path: String) throws -> [UInt8] {
    let descriptor = unsafe open(path, O_RDONLY)
    guard descriptor >= 0 else { throw BenchError.unreadable(path) }
    defer { close(descriptor) }
    return readAll(descriptor: descriptor)
}
