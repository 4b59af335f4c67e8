import BridgeAI
import Testing

@Suite struct FrameRateGuardTests {
    /// Frames admitted of `seconds` at `framesPerSecond`.
    static func admitted(framesPerSecond: UInt64, seconds: UInt64) -> UInt64 {
        var rate = FrameRateGuard()
        var count: UInt64 = 0
        for index in 0..<framesPerSecond * seconds
        where rate.admit(index: index, monoUs: index * 1_000_000 / framesPerSecond) == .admitted {
            count += 1
        }
        #expect(rate.droppedFrames == framesPerSecond * seconds - count)
        return count
    }

    @Test(arguments: [1, 15, 30, 60, 119, 120] as [UInt64]) func steadyStreamsPassWhole(_ rate: UInt64) {
        #expect(Self.admitted(framesPerSecond: rate, seconds: 20) == rate * 20)
    }

    @Test(arguments: [240, 1_000, 100_000] as [UInt64]) func fasterOnesAreThinnedTo120(_ rate: UInt64) {
        let admitted = Self.admitted(framesPerSecond: rate, seconds: 10)
        #expect((1_200...1_232).contains(admitted))
    }

    /// A clock that stands still admits one burst; one that goes back and forth earns nothing.
    @Test func brokenClocksEarnNothing() {
        var still = FrameRateGuard()
        var verdicts: [FrameRateGuard.Verdict] = []
        for index: UInt64 in 0..<100 { verdicts.append(still.admit(index: index, monoUs: 5)) }
        #expect(verdicts.count { $0 == .admitted } == 32)
        #expect(still.droppedFrames == 68)
        var wild = FrameRateGuard()
        var used = 0
        for index: UInt64 in 0..<1_000 {
            switch wild.admit(index: index, monoUs: index % 2 == 0 ? 0 : .max) {
            case .admitted, .clockJumped: used += 1
            case .tooFast, .duplicate, .outOfOrder: break
            }
        }
        #expect(used == 32)
    }

    @Test func jumpsDoublesAndLateFramesAreTold() {
        var rate = FrameRateGuard()
        let hour: UInt64 = 3_600_000_000
        let script: [(UInt64, UInt64, FrameRateGuard.Verdict)] = [
            (10, 1_000_000, .admitted),
            (10, 1_000_000, .duplicate),
            (9, 1_010_000, .outOfOrder),
            (11, 900_000, .clockJumped(fromUs: 1_000_000, toUs: 900_000)),
            (12, 930_000, .admitted),
            (13, hour, .clockJumped(fromUs: 930_000, toUs: hour)),
            (20, hour + 100_000, .admitted),
        ]
        for (index, monoUs, expected) in script {
            let verdict = rate.admit(index: index, monoUs: monoUs)
            #expect(verdict == expected)
        }
        #expect(rate.missingFrames == 6)
        #expect(rate.droppedFrames == 0)
    }
}
