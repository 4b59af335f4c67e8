import HarmoniAI
import Testing

@Suite struct PlaybackClockTests {
    @Test func runsFromItsAnchor() throws {
        var clock = PlaybackClock(songUs: 10_000_000)
        #expect(clock.positionUs(atUs: 5) == 0)
        try clock.play(positionUs: 1_000_000, startUs: 500_000)
        #expect(clock.positionUs(atUs: 0) == 1_000_000)
        #expect(clock.positionUs(atUs: 500_000) == 1_000_000)
        #expect(clock.positionUs(atUs: 2_500_000) == 3_000_000)
        #expect(clock.positionUs(atUs: 60_000_000) == 10_000_000)
        #expect(clock.dueUs(songTimeUs: 3_000_000) == 2_500_000)
    }

    @Test func pauseResumeSeekRateStop() throws {
        var clock = PlaybackClock(songUs: 10_000_000, firstID: 7)
        try clock.play(startUs: 0)
        #expect(clock.playbackID == 8)
        try clock.pause(nowUs: 2_000_000)
        #expect(clock.phase == .paused(positionUs: 2_000_000))
        let paused = clock.playbackID
        try clock.pause(nowUs: 9_000_000)
        #expect(clock.playbackID == paused)
        #expect(clock.positionUs(atUs: 9_000_000) == 2_000_000)
        try clock.play(startUs: 5_000_000)
        #expect(clock.phase == .playing(positionUs: 2_000_000, atUs: 5_000_000))
        try clock.setRate(2, startUs: 6_000_000)
        #expect(clock.phase == .playing(positionUs: 3_000_000, atUs: 6_000_000))
        #expect(clock.positionUs(atUs: 7_000_000) == 5_000_000)
        #expect(clock.dueUs(songTimeUs: 5_000_000) == 7_000_000)
        try clock.seek(toUs: 500_000, startUs: 8_000_000)
        #expect(clock.positionUs(atUs: 8_500_000) == 1_500_000)
        clock.stop()
        #expect(clock.phase == .idle)
        #expect(throws: HarmoniAIError.nothingLoaded) { try clock.pause(nowUs: 0) }
        #expect(throws: HarmoniAIError.nothingLoaded) { try clock.seek(toUs: 0, startUs: 0) }
    }

    /// Each of these makes frames sent before void.
    @Test func idChangesWhenSentFramesBecomeVoid() throws {
        var clock = PlaybackClock(songUs: 10_000_000)
        var ids = [clock.playbackID]
        try clock.play(startUs: 0)
        ids.append(clock.playbackID)
        try clock.seek(toUs: 5, startUs: 10)
        ids.append(clock.playbackID)
        try clock.setRate(1.5, startUs: 20)
        ids.append(clock.playbackID)
        try clock.pause(nowUs: 30)
        ids.append(clock.playbackID)
        try clock.play(startUs: 40)
        ids.append(clock.playbackID)
        clock.stop()
        ids.append(clock.playbackID)
        #expect(Set(ids).count == ids.count)
    }

    @Test func loopWraps() throws {
        var clock = PlaybackClock(songUs: 10_000_000)
        try clock.play(positionUs: 9_000_000, startUs: 0, loops: true)
        #expect(clock.positionUs(atUs: 1_500_000) == 500_000)
        #expect(clock.positionUs(atUs: 31_000_000) == 0)
    }

    @Test func playAtTheEndStartsOver() throws {
        var clock = PlaybackClock(songUs: 10_000_000)
        try clock.play(positionUs: 10_000_000, startUs: 0)
        #expect(clock.phase == .playing(positionUs: 0, atUs: 0))
    }

    @Test(arguments: [0.49, 2.01, 0, -1, .nan, .infinity]) func badRateIsRefused(_ rate: Double) {
        var clock = PlaybackClock(songUs: 10)
        let before = clock
        #expect(fault { try clock.play(startUs: 0, rate: rate) }?.field == "rate")
        #expect(fault { try clock.setRate(rate, startUs: 0) }?.field == "rate")
        #expect(clock == before)
    }

    @Test(arguments: [-1, 11, .max, .min] as [Int64]) func badPositionIsRefused(_ position: Int64) throws {
        var clock = PlaybackClock(songUs: 10)
        #expect(fault { try clock.play(positionUs: position, startUs: 0) }?.field == "position_seconds")
        try clock.play(startUs: 0)
        #expect(fault { try clock.seek(toUs: position, startUs: 0) }?.field == "position_seconds")
    }

    @Test func extremeTimesDoNotTrap() throws {
        for start in [Int64.min, 0, .max] {
            for now in [Int64.min, -1, .max] {
                var clock = PlaybackClock(songUs: .max)
                try clock.play(positionUs: 5, startUs: start, rate: 2, loops: true)
                #expect(clock.positionUs(atUs: now) >= 0)
                #expect(clock.dueUs(songTimeUs: now) != nil)
            }
        }
    }
}
