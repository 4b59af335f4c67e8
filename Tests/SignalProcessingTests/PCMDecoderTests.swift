import Numerics
import SignalProcessing
import Testing

@Suite struct PCMDecoderTests {
    private func format(_ encoding: PCMFormat.Encoding, channels: UInt64 = 1) throws -> PCMFormat {
        try PCMFormat(encoding: encoding, sampleRateHz: 8_000, channels: channels)
    }

    @Test func sixteenBitIsScaledToOne() throws {
        let bytes: [UInt8] = [0, 0, 0, 0x40, 0, 0x80, 0xFF, 0x7F, 0xFF, 0xFF]
        let chunk = try PCMDecoder.decode(bytes, format: format(.s16le))
        #expect(chunk.samples == [0, 0.5, -1, 32_767 / 32_768, -1 / 32_768])
        #expect(chunk.frames == 5 && chunk.replacedSamples == 0)
    }

    @Test func unusableFloatsAreReplacedAndCounted() throws {
        let values: [Float] = [0.25, .nan, .infinity, -.infinity, 1e30, -0.5, .signalingNaN, -1.0]
        var bytes: [UInt8] = []
        for value in values {
            for shift in 0..<4 {
                bytes.append(UInt8(truncatingIfNeeded: value.bitPattern >> (8 * UInt32(shift))))
            }
        }
        let chunk = try PCMDecoder.decode(bytes, format: format(.f32le, channels: 2))
        #expect(chunk.samples == [0.25, 0, 0, 0, 16, -0.5, 0, -1])
        #expect(chunk.frames == 4 && chunk.replacedSamples == 5)
    }

    @Test func brokenFramesAndLongChunksAreRefused() throws {
        let stereo = try format(.s16le, channels: 2)
        #expect(throws: AudioError.partialFrame(gotBytes: 6, bytesPerFrame: 4)) {
            try PCMDecoder.decode([UInt8](repeating: 0, count: 6), format: stereo)
        }
        #expect(throws: AudioError.chunkTooLong(gotFrames: 16_001, maxFrames: 16_000)) {
            try PCMDecoder.decode([UInt8](repeating: 0, count: 64_004), format: stereo)
        }
        #expect(try PCMDecoder.decode([], format: stereo).frames == 0)
    }

    @Test(arguments: [0, 1, 7_999, 192_001, 10_000_000_000, UInt64.max] as [UInt64])
    func ratesOutsideTheRange(rate: UInt64) {
        #expect(throws: AudioError.sampleRateOutOfRange(gotHz: rate)) {
            try PCMFormat(encoding: .s16le, sampleRateHz: rate, channels: 1)
        }
    }

    @Test(arguments: [0, 33, UInt64.max] as [UInt64])
    func channelsOutsideTheRange(channels: UInt64) {
        #expect(throws: AudioError.channelsOutOfRange(got: channels)) {
            try PCMFormat(encoding: .s16le, sampleRateHz: 48_000, channels: channels)
        }
    }

    @Test func errorsNameTheField() {
        #expect(AudioError.partialFrame(gotBytes: 3, bytesPerFrame: 2).field == "samples")
        #expect(AudioError.sampleRateOutOfRange(gotHz: 0).message.contains("8000 to 192000"))
    }

    @Test func arbitraryBytesNeverTrap() throws {
        var noise = SeededNoise(seed: 3)
        for _ in 0..<200 {
            let bytes = (0..<Int(noise.next() % 300)).map { _ in UInt8(truncatingIfNeeded: noise.next()) }
            let format = try PCMFormat(
                encoding: noise.next() % 2 == 0 ? .s16le : .f32le,
                sampleRateHz: 8_000 + noise.next() % 184_001,
                channels: 1 + noise.next() % 32)
            let chunk = try? PCMDecoder.decode(bytes, format: format)
            #expect((chunk != nil) == (bytes.count % format.bytesPerFrame == 0))
            #expect(chunk?.samples.allSatisfy { $0.isFinite && abs($0) <= 16 } ?? true)
        }
    }
}
