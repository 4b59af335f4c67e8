import QuietAlert
import SignalProcessing
import TestSupport
import Testing

/// A smoke alarm must be heard, once, however badly its samples arrive.
@Suite struct AlarmInputTests {
    /// A T3 alarm at 3.1 kHz from 0.5 s on, over faint noise, at `rateHz`.
    private static func alarm(rateHz: Int = 22_050, seconds: Double = 6.6) throws -> [Float] {
        let beeps = AlarmSignals.beeps(
            .three(), frequencyHz: 3_100, tone: .sine, seconds: seconds, delay: 0.5)
        let noise = AlarmBackground.pink.samples(seconds: seconds, seed: 9)
        let samples = zip(beeps, noise).map { 0.2 * $0 + 0.01 * $1 }
        if rateHz == 22_050 { return samples }
        var resampler = Resampler(design: try ResamplerDesign(inputRateHz: 22_050, outputRateHz: rateHz))
        return resampler.process(samples) + resampler.finish()
    }

    private static func bytes(_ samples: [Float]) -> [UInt8] {
        samples.flatMap { x in (0..<4).map { UInt8(truncatingIfNeeded: x.bitPattern >> UInt32(8 * $0)) } }
    }

    private static func format(_ rateHz: Int, channels: UInt64 = 1) throws -> PCMFormat {
        try PCMFormat(encoding: .f32le, sampleRateHz: UInt64(rateHz), channels: channels)
    }

    /// Sends interleaved samples in chunks and returns the patterns that were confirmed.
    private static func confirmed(
        _ samples: [Float], rateHz: Int = 22_050, channels: Int = 1, chunkFrames: Int? = nil
    ) throws -> [AlarmPattern] {
        var stream = try SoundStream(format: format(rateHz, channels: UInt64(channels)), nowUs: 0)
        return try send(samples, to: &stream, rateHz: rateHz, channels: channels, chunkFrames: chunkFrames)
    }

    private static func send(
        _ samples: [Float], to stream: inout SoundStream, rateHz: Int, channels: Int = 1,
        chunkFrames: Int? = nil
    ) throws -> [AlarmPattern] {
        let frames = chunkFrames ?? rateHz / 10
        var patterns: [AlarmPattern] = []
        for start in stride(from: 0, to: samples.count / channels, by: frames) {
            let end = min(samples.count / channels, start + frames)
            let output = try stream.receive(
                bytes(Array(samples[(start * channels)..<(end * channels)])), firstSampleIndex: UInt64(start),
                captureUs: 0, nowUs: UInt64(end) * 1_000_000 / UInt64(rateHz))
            patterns += Self.confirmed(output.alarms)
        }
        return patterns
    }

    private static func confirmed(_ events: [AlarmEvent]) -> [AlarmPattern] {
        events.compactMap { if case .confirmed(let episode) = $0 { episode.pattern } else { nil } }
    }

    @Test(arguments: [8_000, 16_000, 48_000, 192_000])
    func anyRate(rateHz: Int) throws {
        #expect(try Self.confirmed(Self.alarm(rateHz: rateHz), rateHz: rateHz) == [.three])
    }

    @Test func channelsInOppositePhase() throws {
        let stereo = try Self.alarm().flatMap { [$0, -$0] }
        #expect(try Self.confirmed(stereo, channels: 2) == [.three])
    }

    @Test func theRightChannelWhileTheLeftOneIsLoud() throws {
        let noise = AlarmBackground.speech.samples(seconds: 6.6, seed: 4)
        let stereo = zip(noise, try Self.alarm()).flatMap { [0.15 * $0, $1] }
        #expect(try Self.confirmed(stereo, channels: 2) == [.three])
    }

    @Test func anOffset() throws {
        #expect(try Self.confirmed(Self.alarm().map { $0 + 0.6 }) == [.three])
    }

    @Test func samplesThatAreNoNumbers() throws {
        var samples = try Self.alarm()
        for i in stride(from: 0, to: samples.count, by: 997) { samples[i] = i % 2 == 0 ? .nan : .infinity }
        #expect(try Self.confirmed(samples) == [.three])
    }

    @Test(arguments: [1, 16_000])
    func chunksOfOneSampleAndOfTwoSeconds(chunkFrames: Int) throws {
        let samples = try Self.alarm(rateHz: 8_000)
        #expect(try Self.confirmed(samples, rateHz: 8_000, chunkFrames: chunkFrames) == [.three])
    }

    @Test func formatsThatChangeWhileItSounds() throws {
        var stream = try SoundStream(format: Self.format(48_000), nowUs: 0)
        var patterns: [AlarmPattern] = []
        for (part, rateHz) in [48_000, 24_000, 16_000].enumerated() {
            if part > 0 {
                patterns += Self.confirmed(try stream.change(to: Self.format(rateHz), nowUs: 0).alarms)
            }
            let all = try Self.alarm(rateHz: rateHz)
            let third = all[(part * all.count / 3)..<((part + 1) * all.count / 3)]
            patterns += try Self.send(Array(third), to: &stream, rateHz: rateHz)
        }
        #expect(patterns == [.three])
    }

    @Test func gapsAndDuplicates() throws {
        let samples = try Self.alarm()
        var stream = try SoundStream(format: Self.format(22_050), nowUs: 0)
        var patterns: [AlarmPattern] = []
        for (number, start) in stride(from: 0, to: samples.count, by: 1_000).enumerated() {
            // Every twentieth chunk is lost, every seventh comes twice, every eleventh overlaps the one before.
            if number % 20 == 19 { continue }
            let from = number % 11 == 10 ? start - 300 : start
            let chunk = Self.bytes(Array(samples[from..<min(samples.count, start + 1_000)]))
            for _ in 0..<(number % 7 == 6 ? 2 : 1) {
                let output = try stream.receive(
                    chunk, firstSampleIndex: UInt64(from), captureUs: 0, nowUs: UInt64(start) * 45)
                patterns += Self.confirmed(output.alarms)
            }
        }
        #expect(patterns == [.three])
    }
}
