import Numerics
import SignalProcessing
import Testing

@Suite struct LevelMeterTests {
    @Test func aFullScaleSineReadsMinusThree() {
        var meter = LevelMeter(sampleRateHz: 8_000, channels: 1)
        meter.push(interleaved: Signals.sine(1_000, rateHz: 8_000, count: 16_000, amplitude: 0.99))
        let reading = meter.reading
        #expect(abs(reading.rmsDBFS + 3.1) < 0.05)
        #expect(abs(reading.peakDBFS + 0.09) < 0.05)
        #expect(reading.clippedShare == 0 && reading.digitalSilenceMs == 0)
    }

    @Test func theLoudestChannelCountsWithoutItsDC() {
        let tone = Signals.sine(1_000, rateHz: 8_000, count: 8_000, amplitude: 0.1)
        var meter = LevelMeter(sampleRateHz: 8_000, channels: 2)
        meter.push(interleaved: tone.flatMap { [Float(0.5), $0 + 0.25] })
        #expect(abs(meter.reading.rmsDBFS + 23.01) < 0.05)
    }

    @Test func onlyTheLastSecondCounts() {
        var meter = LevelMeter(sampleRateHz: 8_000, channels: 1)
        meter.push(interleaved: Signals.noise(count: 8_000, seed: 1, amplitude: 2))
        #expect(meter.reading.clippedShare > 0.3)
        meter.push(interleaved: Signals.sine(1_000, rateHz: 8_000, count: 9_000, amplitude: 0.01))
        #expect(meter.reading.clippedShare == 0)
        #expect(abs(meter.reading.rmsDBFS + 43.01) < 0.1)
    }

    @Test func digitalSilenceIsZerosOrAConstantButNotAQuietRoom() {
        var meter = LevelMeter(sampleRateHz: 8_000, channels: 2)
        meter.push(interleaved: [Float](repeating: 0, count: 32_000))
        #expect(meter.reading.digitalSilenceMs == 2_000)
        #expect(meter.reading.rmsDBFS == -120)
        meter.push(interleaved: [Float](repeating: 0.01, count: 16_000))
        #expect(meter.reading.digitalSilenceMs == 999)
        var noise = SeededNoise(seed: 4)
        meter.push(interleaved: (0..<16_000).map { _ in Float(Int(noise.next() % 3)) / 32_768 })
        #expect(meter.reading.digitalSilenceMs < 5)
    }

    @Test func readingOfNothing() {
        let meter = LevelMeter(sampleRateHz: 48_000, channels: 1)
        #expect(meter.reading.rmsDBFS == -120 && meter.reading.peakDBFS == -120)
    }
}
