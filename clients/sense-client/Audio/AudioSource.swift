import AudioFile
import SenseClientKit
import SenseProtocol

/// Where `listen` takes its samples from: an audio file, or raw PCM on standard input.
final class AudioSource {
    let format: AudioFormat
    /// Length in frames, if known.
    let frames: Int64?
    private var file: AudioFileReader?
    private var block: [Float] = []
    /// Bytes of standard input that are no whole frame yet.
    private var rest: [UInt8] = []

    var sampleRateHz: Int { Int(format.sampleRateHz) }
    var bytesPerFrame: Int { Int(format.channels) * (format.encoding == .pcmS16le ? 2 : 4) }

    /// Opens what the arguments name.
    init(_ path: String, _ arguments: Arguments) throws {
        let encoding: AudioEncoding =
            try arguments.choice("--format", ["s16le": .pcmS16le, "f32le": .pcmF32le]) ?? .pcmS16le
        let mode: CaptureMode = arguments.has("--voice-processed") ? .voiceProcessed : .raw
        guard path == "-" else {
            if arguments.has("--rate") || arguments.has("--channels") {
                throw UsageError(
                    message: "--rate and --channels are for raw PCM on standard input; \(path) says itself")
            }
            let opened = try AudioFileReader(path: path)
            format = AudioFormat(
                encoding: encoding, sampleRateHz: UInt32(opened.sampleRateHz),
                channels: UInt32(opened.channels),
                captureMode: mode)
            frames = opened.frames
            file = .some(consume opened)
            return
        }
        guard let rate = try arguments.number("--rate", in: 8_000...192_000) else {
            throw UsageError(message: "raw PCM on standard input needs --rate HZ")
        }
        let channels = try arguments.number("--channels", in: 1...32) ?? 1
        format = AudioFormat(
            encoding: encoding, sampleRateHz: UInt32(rate), channels: UInt32(channels), captureMode: mode)
        frames = nil
    }

    /// The next samples as they go to the server, whole frames, at most `maxFrames`; nil at the end.
    func next(maxFrames: Int, _ interrupt: Interrupt) async throws -> [UInt8]? {
        if file != nil {
            guard let count = try file?.read(into: &block, maxFrames: maxFrames), count > 0 else {
                return nil
            }
            return encode()
        }
        let wanted = maxFrames * bytesPerFrame
        while rest.count < wanted {
            switch StandardStreams.readAvailable(atMost: wanted - rest.count) {
            case .bytes(let bytes): rest += bytes
            case .nothing:
                if interrupt.isWished { return nil }
                try? await Task.sleep(for: .milliseconds(10))
            case .end:
                let whole = rest.count / bytesPerFrame * bytesPerFrame
                defer { rest = [] }
                return whole > 0 ? Array(rest[..<whole]) : nil
            }
        }
        defer { rest = [] }
        return rest
    }

    /// The samples of bytes that `next` gave, −1…1.
    func samples(_ bytes: [UInt8]) -> [Float] {
        if format.encoding == .pcmF32le {
            return stride(from: 0, to: bytes.count - 3, by: 4).map { at in
                Float(bitPattern: (0..<4).reduce(UInt32(0)) { $0 | UInt32(bytes[at + $1]) << UInt32(8 * $1) })
            }
        }
        return stride(from: 0, to: bytes.count - 1, by: 2).map { at in
            Float(Int16(bitPattern: UInt16(bytes[at]) | UInt16(bytes[at + 1]) << 8)) / 32_768
        }
    }

    private func encode() -> [UInt8] {
        var bytes: [UInt8] = []
        if format.encoding == .pcmF32le {
            bytes.reserveCapacity(block.count * 4)
            for sample in block {
                let bits = sample.bitPattern
                for shift in [0, 8, 16, 24] { bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(shift))) }
            }
        } else {
            bytes.reserveCapacity(block.count * 2)
            for sample in block {
                let value =
                    sample.isFinite ? Int16(max(-32_768, min(32_767, (sample * 32_768).rounded()))) : 0
                bytes.append(UInt8(truncatingIfNeeded: value))
                bytes.append(UInt8(truncatingIfNeeded: value >> 8))
            }
        }
        return bytes
    }
}
