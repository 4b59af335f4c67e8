import Numerics
import SignalProcessing
import Testing

@Suite struct RateEstimatorTests {
    /// Feeds chunks of a stream whose true rate is `trueHz` and returns when a mismatch was first seen.
    private func run(
        declaredHz: Int, trueHz: Double, chunkSamples: Int, jitterUs: Double, seconds: Double,
        seed: UInt64 = 1
    ) -> (estimator: RateEstimator, mismatchAt: Double?) {
        var estimator = RateEstimator(declaredRateHz: declaredHz)
        var noise = SeededNoise(seed: seed)
        var mismatchAt: Double?
        var index: UInt64 = 0
        while Double(index) / trueHz < seconds {
            let time = Double(index) / trueHz
            let stamp = 1e9 + time * 1e6 + jitterUs * noise.uniform()
            estimator.note(firstSampleIndex: index, captureUs: UInt64(stamp))
            if mismatchAt == nil, estimator.mismatchRatio != nil { mismatchAt = time }
            index += UInt64(chunkSamples)
        }
        return (estimator, mismatchAt)
    }

    @Test(arguments: [320, 1_600, 4_800, 32_000])
    func aWrongRateIsSeenWithinThreeSeconds(chunkSamples: Int) throws {
        let result = run(
            declaredHz: 16_000, trueHz: 48_000, chunkSamples: chunkSamples, jitterUs: 20_000, seconds: 4)
        #expect(try #require(result.mismatchAt) <= 3)
        #expect(abs(try #require(result.estimator.mismatchRatio) - 3) < 0.1)
    }

    @Test func halfTheRateIsSeenToo() throws {
        let result = run(
            declaredHz: 44_100, trueHz: 22_050, chunkSamples: 4_410, jitterUs: 10_000, seconds: 4)
        #expect(try #require(result.mismatchAt) <= 3)
    }

    @Test func aSourceMuchSlowerThanDeclaredIsNoPause() throws {
        let result = run(
            declaredHz: 44_100, trueHz: 16_000, chunkSamples: 13_230, jitterUs: 10_000, seconds: 4)
        #expect(try #require(result.mismatchAt) <= 3)
    }

    /// Before, a source that fell silent within its first second and came back seemed to have a rate near 0.
    @Test(arguments: 1...12 as ClosedRange<UInt64>)
    func aPauseBeforeTheFirstEstimateIsNoMismatch(after chunks: UInt64) {
        var estimator = RateEstimator(declaredRateHz: 16_000)
        for i in 0..<100 as Range<UInt64> {
            let pauseUs: UInt64 = i < chunks ? 0 : 15_000_000
            estimator.note(firstSampleIndex: i * 1_600, captureUs: 1 + pauseUs + i * 100_000)
            #expect(estimator.mismatchRatio == nil)
        }
    }

    @Test(arguments: 1...8 as ClosedRange<UInt64>)
    func jitterIsNoMismatch(seed: UInt64) throws {
        let result = run(
            declaredHz: 48_000, trueHz: 48_010, chunkSamples: 4_800, jitterUs: 60_000, seconds: 30, seed: seed
        )
        #expect(result.mismatchAt == nil)
        let estimate = try #require(result.estimator.estimate)
        #expect(abs(estimate.rateHz - 48_010) < 300)
        #expect(estimate.uncertaintyHz < 300)
    }

    @Test func aPauseOrAClockThatRunsBackIsNoMismatch() {
        var estimator = RateEstimator(declaredRateHz: 16_000)
        var offset: UInt64 = 5_000_000
        for i in 0..<100 as Range<UInt64> {
            if i == 40 { offset += 30_000_000 }
            if i == 70 { offset -= 4_000_000 }
            estimator.note(firstSampleIndex: i * 1_600, captureUs: offset + i * 100_000)
            #expect(estimator.mismatchRatio == nil)
        }
        #expect(estimator.clockJumps == 2)
    }

    @Test func extremeNumbersNeverTrap() {
        var noise = SeededNoise(seed: 9)
        var estimator = RateEstimator(declaredRateHz: 8_000)
        for _ in 0..<5_000 {
            estimator.note(
                firstSampleIndex: noise.next() >> (noise.next() % 64),
                captureUs: noise.next() >> (noise.next() % 64))
        }
        #expect(estimator.estimate?.rateHz.isFinite ?? true)
    }
}
