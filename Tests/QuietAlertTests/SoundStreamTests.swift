import Numerics
import QuietAlert
import SignalProcessing
import Testing

@Suite struct SoundStreamTests {
    private func format(_ rateHz: UInt64, channels: UInt64 = 1) throws -> PCMFormat {
        try PCMFormat(encoding: .s16le, sampleRateHz: rateHz, channels: channels)
    }

    private func bytes(_ samples: [Float], channels: Int = 1) -> [UInt8] {
        samples.flatMap { x -> [UInt8] in
            let value = UInt16(bitPattern: Int16(max(-32_768, min(32_767, (x * 32_767).rounded()))))
            let pair = [UInt8(truncatingIfNeeded: value), UInt8(truncatingIfNeeded: value >> 8)]
            return (0..<channels).flatMap { _ in pair }
        }
    }

    private func tone(_ rateHz: Int, count: Int) -> [Float] {
        (0..<count).map { Float(0.3 * Elementary.sin(2 * .pi * 1_000 * Double($0) / Double(rateHz))) }
    }

    @Test(arguments: [(8_000, 1), (192_000, 2)] as [(UInt64, UInt64)])
    func extremeFormatsGiveWindows(rateHz: UInt64, channels: UInt64) throws {
        var stream = try SoundStream(format: format(rateHz, channels: channels), nowUs: 0)
        var windows: [AudioWindow] = []
        let chunk = bytes(tone(Int(rateHz), count: Int(rateHz) / 2), channels: Int(channels))
        for i in 0..<3 as Range<UInt64> {
            windows += try stream.receive(
                chunk, firstSampleIndex: i * rateHz / 2, captureUs: 1 + i * 500_000, nowUs: i * 500_000
            ).windows
        }
        windows += stream.finish().windows
        #expect(windows.map(\.endSampleIndex) == [22_050, 33_075])
        let rms = (windows[1].samples[90_000...].reduce(0) { $0 + $1 * $1 } / 20_250).squareRoot()
        #expect(abs(rms - 0.212) < 0.01)
    }

    @Test func gapsDuplicatesAndOverlaps() throws {
        var stream = try SoundStream(format: format(22_050), nowUs: 0)
        let chunk = bytes(tone(22_050, count: 22_050))
        func send(_ first: UInt64) throws -> SoundStream.Output {
            try stream.receive(chunk, firstSampleIndex: first, captureUs: 0, nowUs: 0)
        }
        #expect(try send(0).windows.count == 1)
        #expect(try send(0).verdict == .duplicate)
        #expect(stream.endSampleIndex == 22_050)
        let overlap = try send(11_025)
        #expect(overlap.verdict == .skip(samples: 11_025) && overlap.windows.count == 1)
        let gap = try send(44_100)
        #expect(gap.verdict == .gap(samples: 11_025) && gap.windows.count == 3)
        #expect(gap.windows.last?.blindSamples == 11_025)
        #expect(stream.endSampleIndex == 66_150)
        #expect(stream.health.blindUs == 500_000)
        #expect(stream.sourceIndex(ofStream: 50_000) == 50_000)
        let far = try send(UInt64.max - 30_000)
        #expect(far.windows.count < 12)
    }

    @Test func brokenChunksChangeNothing() throws {
        var stream = try SoundStream(format: format(48_000), nowUs: 0)
        #expect(throws: AudioError.partialFrame(gotBytes: 3, bytesPerFrame: 2)) {
            _ = try stream.receive([1, 2, 3], firstSampleIndex: 0, captureUs: 0, nowUs: 0)
        }
        #expect(stream.sequence.expectedIndex == nil)
    }

    @Test func formatChangesKeepTimeAndSound() throws {
        var stream = try SoundStream(format: format(48_000), nowUs: 0)
        var windows: [AudioWindow] = []
        for (n, rate) in [48_000, 24_000, 16_000].enumerated() {
            if n > 0 { windows += try stream.change(to: format(UInt64(rate)), nowUs: 0).windows }
            windows += try stream.receive(
                bytes(tone(rate, count: rate)), firstSampleIndex: 0, captureUs: 0, nowUs: 0
            ).windows
        }
        windows += stream.finish().windows
        #expect(stream.endSampleIndex == 66_150)
        #expect(windows.map(\.blindSamples).allSatisfy { $0 == 0 })
        let last = try #require(windows.last?.samples.suffix(66_150))
        // A step of the tone is at most 0.3 · 2π · 1000 / 22,050 = 0.086.
        let steps = zip(last.dropFirst(100), last.dropFirst(101)).map { abs($1 - $0) }
        #expect((steps.max() ?? 9) < 0.1)
    }

    @Test func aWrongRateIsToldWithinThreeSeconds() throws {
        var stream = try SoundStream(format: format(16_000), nowUs: 0)
        let chunk = bytes(tone(48_000, count: 4_800))
        var toldUs: UInt64?
        for i in 0..<30 as Range<UInt64> {
            let now = i * 100_000
            let output = try stream.receive(
                chunk, firstSampleIndex: i * 4_800, captureUs: 1_000_000 + now, nowUs: now)
            if !output.windows.isEmpty { stream.noteInference(nowUs: now) }
            if let change = stream.tick(nowUs: now), change.to == .rateMismatch { toldUs = now }
            if toldUs != nil { #expect(output.rateMismatch != nil) }
        }
        #expect(try #require(toldUs) <= 3_000_000)
    }

    @Test func anAlarmComesThroughFromTheRightChannelOnly() throws {
        var stream = try SoundStream(format: format(44_100, channels: 2), nowUs: 0)
        let low = AlarmSignals.beeps(.three(), frequencyHz: 3_100, seconds: 7, delay: 0.5)
        var confirmed = 0
        for i in 0..<14 {
            // 22,050 Hz samples sent twice each make 44,100 Hz; the image at 19 kHz is of no matter here.
            let part = low[(i * 11_025)..<((i + 1) * 11_025)]
            let interleaved = part.flatMap { [Float(0), $0 * 0.2, Float(0), $0 * 0.2] }
            let output = try stream.receive(
                bytes(interleaved), firstSampleIndex: UInt64(i) * 22_050, captureUs: 0, nowUs: 0)
            confirmed += output.alarms.filter { if case .confirmed = $0 { true } else { false } }.count
        }
        #expect(confirmed == 1)
    }
}
