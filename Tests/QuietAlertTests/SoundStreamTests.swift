import Numerics
import QuietAlert
import SignalProcessing
import TestSupport
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
    func extremeFormatsGiveSteps(rateHz: UInt64, channels: UInt64) throws {
        var stream = try SoundStream(format: format(rateHz, channels: channels), nowUs: 0)
        var steps: [AudioStep] = []
        let chunk = bytes(tone(Int(rateHz), count: Int(rateHz) / 2), channels: Int(channels))
        for i in 0..<3 as Range<UInt64> {
            steps += try stream.receive(
                chunk, firstSampleIndex: i * rateHz / 2, captureUs: 1 + i * 500_000, nowUs: i * 500_000
            ).steps
        }
        steps += stream.finish().steps
        #expect(steps.map(\.endSampleIndex) == (1...5).map { $0 * 7_056 })
        let rms = (steps[2].samples.reduce(0) { $0 + $1 * $1 } / 7_056).squareRoot()
        #expect(abs(rms - 0.212) < 0.01)
    }

    @Test func gapsDuplicatesAndOverlaps() throws {
        var stream = try SoundStream(format: format(22_050), nowUs: 0)
        let chunk = bytes(tone(22_050, count: 22_050))
        func send(_ first: UInt64) throws -> SoundStream.Output {
            try stream.receive(chunk, firstSampleIndex: first, captureUs: 0, nowUs: 0)
        }
        #expect(try send(0).steps.count == 3)
        #expect(try send(0).verdict == .duplicate)
        #expect(stream.endSampleIndex == 22_050)
        let overlap = try send(11_025)
        #expect(overlap.verdict == .skip(samples: 11_025) && overlap.steps.count == 1)
        let gap = try send(44_100)
        #expect(gap.verdict == .gap(samples: 11_025) && gap.steps.count == 5)
        #expect(gap.steps.map(\.blindSamples).reduce(0, +) == 11_025)
        #expect(stream.endSampleIndex == 66_150)
        #expect(stream.health.blindUs == 500_000)
        #expect(stream.sourceIndex(ofStream: 50_000) == 50_000)
        let far = try send(UInt64.max - 30_000)
        #expect(far.steps.count <= 8)
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
        var steps: [AudioStep] = []
        for (n, rate) in [48_000, 24_000, 16_000].enumerated() {
            if n > 0 { steps += try stream.change(to: format(UInt64(rate)), nowUs: 0).steps }
            steps += try stream.receive(
                bytes(tone(rate, count: rate)), firstSampleIndex: 0, captureUs: 0, nowUs: 0
            ).steps
        }
        steps += stream.finish().steps
        // Three seconds, and the rest of a step.
        #expect(stream.endSampleIndex == 70_560)
        #expect(steps.map(\.blindSamples).allSatisfy { $0 == 0 })
        let heard = steps.flatMap(\.samples)
        #expect(heard.count == 70_560 && heard[66_150...].allSatisfy { $0 == 0 })
        // A step of the tone is at most 0.3 · 2π · 1000 / 22,050 = 0.086.
        let jumps = zip(heard.dropFirst(100), heard[..<66_000].dropFirst(101)).map { abs($1 - $0) }
        #expect((jumps.max() ?? 9) < 0.1)
    }

    @Test func aWrongRateIsToldWithinThreeSeconds() throws {
        var stream = try SoundStream(format: format(16_000), nowUs: 0)
        let chunk = bytes(tone(48_000, count: 4_800))
        var toldUs: UInt64?
        for i in 0..<30 as Range<UInt64> {
            let now = i * 100_000
            let output = try stream.receive(
                chunk, firstSampleIndex: i * 4_800, captureUs: 1_000_000 + now, nowUs: now)
            if !output.steps.isEmpty { stream.noteInference(nowUs: now) }
            if let change = stream.tick(nowUs: now), change.to == [.rateMismatch] { toldUs = now }
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
