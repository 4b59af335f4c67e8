import QuietAlert
import SignalProcessing

/// A stream that goes the way of a device's microphone: 16-bit chunks through ``SoundStream``.
struct Listening {
    /// An event and the stream time at which its chunk was complete.
    struct Heard {
        var seconds: Double
        var event: AlarmEvent
    }

    /// All alarms in `samples` (22,050 Hz), sent as chunks of `chunkMs`.
    static func hear(_ samples: [Float], chunkMs: Int = 100) throws -> [Heard] {
        let format = try PCMFormat(encoding: .s16le, sampleRateHz: 22_050, channels: 1)
        var stream = try SoundStream(format: format, nowUs: 0)
        let size = 22_050 * chunkMs / 1_000
        var heard: [Heard] = []
        var bytes: [UInt8] = []
        var offset = 0
        while offset < samples.count {
            let end = min(samples.count, offset + size)
            bytes.removeAll(keepingCapacity: true)
            for x in samples[offset..<end] {
                let value = UInt16(bitPattern: Int16(max(-32_767, min(32_767, (x * 32_767).rounded()))))
                bytes.append(UInt8(truncatingIfNeeded: value))
                bytes.append(UInt8(truncatingIfNeeded: value >> 8))
            }
            let seconds = Double(end) / 22_050
            let output = try stream.receive(
                bytes, firstSampleIndex: UInt64(offset), captureUs: 0, nowUs: UInt64(seconds * 1e6))
            for event in output.alarms { heard.append(Heard(seconds: seconds, event: event)) }
            offset = end
        }
        return heard
    }
}
