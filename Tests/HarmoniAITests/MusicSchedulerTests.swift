import HarmoniAI
import TestSupport
import Testing

@Suite struct MusicSchedulerTests {
    static let minLeadUs: Int64 = 300_000

    /// Ticks as its owner would, `lateUs` after each wake, until it has nothing more to do or `untilUs`.
    static func run(
        _ scheduler: inout MusicScheduler, fromUs: Int64, untilUs: Int64, lateUs: Int64 = 0
    ) -> [(nowUs: Int64, batch: MusicBatch)] {
        var sent: [(Int64, MusicBatch)] = []
        var now = fromUs
        while let wake = scheduler.nextWakeUs {
            now = max(now, wake + lateUs)
            guard now <= untilUs else { break }
            for batch in scheduler.advance(nowUs: now) { sent.append((now, batch)) }
        }
        return sent
    }

    static func song(frames: Int, fps: Double = 43) throws -> StemData {
        var document = SongDocument(frames: frames, fps: fps)
        document.metadata["beat_frames"] = SongDocument.list(
            stride(from: 0, to: frames, by: 20).map { "\($0)" })
        return try document.decoded()
    }

    /// Every frame once, in order, at least 300 ms ahead, at the microsecond that its index says.
    @Test(arguments: [0.5, 1, 1.37, 2], [0, 1_000, 99_000] as [Int64])
    func everyFrameOnceAndInTime(_ rate: Double, _ lateUs: Int64) throws {
        var scheduler = MusicScheduler(song: try Self.song(frames: 4_300))
        let start = try scheduler.play(rate: rate, nowUs: 1_000_000)
        #expect(start == 1_500_000)
        let sent = Self.run(&scheduler, fromUs: 1_000_000, untilUs: .max, lateUs: lateUs)
        let frames = sent.flatMap { $0.batch.frames }
        #expect(frames.map(\.frame) == Array(0..<4_300))
        #expect(
            sent.allSatisfy { sent in
                sent.batch.frames.allSatisfy { $0.playAtUs - sent.nowUs >= Self.minLeadUs }
            })
        // No drift: the last frame is where its index puts it, within a microsecond of rounding.
        for frame in frames {
            let exact = 1_500_000 + Double(frame.frame) / 43 * 1_000_000 / rate
            #expect(abs(Double(frame.playAtUs) - exact) <= 3)
            #expect(Double(frame.playAtUs) >= exact - 0.001)
        }
        #expect(scheduler.clock.phase == .ended)
        #expect(scheduler.skippedFrames == 0)
        #expect(scheduler.nextWakeUs == nil)
    }

    /// floor(time × fps) at a frame's time is that frame.
    @Test func gridMatchesTheOriginalRule() throws {
        let song = try Self.song(frames: 4_300)
        for frame in 0..<4_300 {
            let seconds = Double(song.startUs(ofFrame: Int64(frame))) / 1_000_000
            #expect(Int(seconds * 43) == frame)
        }
    }

    @Test func tapsFollowTheRuleOnTheirFrames() throws {
        let song = try Self.song(frames: 860)
        var scheduler = MusicScheduler(song: song)
        try scheduler.play(nowUs: 0)
        let sent = Self.run(&scheduler, fromUs: 0, untilUs: .max)
        let taps = sent.flatMap { $0.batch.haptics }
        #expect(taps.map { HapticCue(frame: $0.frame, strength: $0.strength) } == HapticRule.cues(of: song))
        let times = Dictionary(
            uniqueKeysWithValues: sent.flatMap { $0.batch.frames }.map { ($0.frame, $0.playAtUs) })
        #expect(taps.allSatisfy { times[$0.frame] == $0.playAtUs })
    }

    @Test func batchesAreBundled() throws {
        var scheduler = MusicScheduler(song: try Self.song(frames: 860))
        try scheduler.play(nowUs: 0)
        let sent = Self.run(&scheduler, fromUs: 0, untilUs: .max)
        #expect(sent.dropLast().allSatisfy { (10...12).contains($0.batch.frames.count) })
    }

    /// After a seek only frames from the new place come, none of them late, none as a burst.
    @Test func seekSkipsThePast() throws {
        var scheduler = MusicScheduler(song: try Self.song(frames: 4_300))
        try scheduler.play(nowUs: 0)
        _ = Self.run(&scheduler, fromUs: 0, untilUs: 3_000_000)
        let before = scheduler.clock.playbackID
        try scheduler.seek(toUs: 50_000_000, nowUs: 3_000_000)
        let first = scheduler.advance(nowUs: 3_000_000)
        #expect(first.count == 1)
        #expect(first[0].playbackID != before)
        #expect(first[0].frames[0].frame == 2_150)
        #expect(first[0].frames[0].playAtUs == 3_500_000)
        try scheduler.seek(toUs: 0, nowUs: 4_000_000)
        let back = scheduler.advance(nowUs: 4_000_000)
        #expect(back.flatMap(\.frames).first?.frame == 0)
        #expect(back.flatMap(\.haptics).allSatisfy { $0.playAtUs >= 4_300_000 })
    }

    /// A stalled server leaves out what is late instead of sending it at once.
    @Test func stallLeavesOutWhatIsLate() throws {
        var scheduler = MusicScheduler(song: try Self.song(frames: 4_300))
        try scheduler.play(nowUs: 0)
        _ = scheduler.advance(nowUs: 0)
        let batches = scheduler.advance(nowUs: 20_000_000)
        let frames = batches.flatMap(\.frames)
        #expect(frames.count <= 14)
        #expect(frames.allSatisfy { $0.playAtUs >= 20_400_000 })
        #expect(frames.first.map { $0.playAtUs < 20_424_000 } == true)
        #expect(scheduler.skippedFrames > 800)
        // Time that runs backwards changes nothing.
        #expect(scheduler.advance(nowUs: 5).isEmpty)
    }

    @Test func pauseSendsNothingAndResumeGoesOn() throws {
        var scheduler = MusicScheduler(song: try Self.song(frames: 4_300))
        try scheduler.play(nowUs: 0)
        _ = Self.run(&scheduler, fromUs: 0, untilUs: 2_000_000)
        try scheduler.pause(nowUs: 2_000_000)
        #expect(scheduler.nextWakeUs == nil)
        #expect(scheduler.advance(nowUs: 9_000_000).isEmpty)
        try scheduler.play(nowUs: 10_000_000)
        // It stood at 1.5 s of the song: frame 64.5, so 65 is the first to come, 12 ms after the start.
        #expect(scheduler.nextWakeUs == 10_011_628)
        let frames = scheduler.advance(nowUs: 10_011_628).flatMap(\.frames)
        #expect(frames.first?.frame == 65)
        #expect(frames.first.map { $0.playAtUs >= 10_500_000 } == true)
    }

    @Test func loopGoesOnWithoutAGap() throws {
        let song = try Self.song(frames: 430)
        var scheduler = MusicScheduler(song: song)
        try scheduler.play(loops: true, nowUs: 0)
        let sent = Self.run(&scheduler, fromUs: 0, untilUs: 35_000_000)
        let frames = sent.flatMap { $0.batch.frames }
        for (place, frame) in frames.enumerated() {
            #expect(frame.frame == place % 430)
            #expect(abs(Double(frame.playAtUs) - (500_000 + Double(place) / 43 * 1_000_000)) <= 2)
        }
        #expect(frames.count > 1_290)
        #expect(
            sent.allSatisfy { sent in
                zip(sent.batch.frames, sent.batch.frames.dropFirst()).allSatisfy { $0.frame + 1 == $1.frame }
            })
        #expect(Set(sent.map(\.batch.playbackID)).count == 1)
    }

    /// A device's own latency moves every one of its outputs by the same amount.
    @Test(arguments: [180, -40, 0, 5_000]) func outputOffsetMovesEverything(_ offsetMs: Int) throws {
        var scheduler = MusicScheduler(song: try Self.song(frames: 430))
        try scheduler.play(nowUs: 0)
        let batch = try #require(scheduler.advance(nowUs: 0).first)
        let shifted = batch.shifted(outputOffsetMs: offsetMs)
        let shift = Int64(min(offsetMs, 1_000)) * 1_000
        #expect(zip(batch.frames, shifted.frames).allSatisfy { $0.playAtUs - shift == $1.playAtUs })
        #expect(zip(batch.haptics, shifted.haptics).allSatisfy { $0.playAtUs - shift == $1.playAtUs })
        #expect(shifted.haptics.count == batch.haptics.count && !batch.haptics.isEmpty)
    }

    @Test(arguments: [(0, 300), (299, 300), (2_000, 2_000), (60_000, 5_000)])
    func leadIsKeptInBounds(_ asked: Int, _ got: Int) throws {
        var scheduler = MusicScheduler(song: try Self.song(frames: 430), leadMs: asked)
        #expect(scheduler.leadMs == got)
        let start = try scheduler.play(nowUs: 0)
        #expect(start == Int64(got + 100) * 1_000)
        #expect(scheduler.advance(nowUs: 0).first?.frames.first?.playAtUs == start)
    }

    @Test func badCommandsChangeNothing() throws {
        var scheduler = MusicScheduler(song: try Self.song(frames: 430))
        #expect(fault { try scheduler.pause(nowUs: 0) } == .nothingLoaded)
        #expect(fault { try scheduler.seek(toUs: 0, nowUs: 0) } == .nothingLoaded)
        try scheduler.play(nowUs: 0)
        let before = scheduler.clock
        #expect(fault { try scheduler.seek(toUs: 10_000_001, nowUs: 0) }?.field == "position_seconds")
        #expect(fault { try scheduler.play(positionUs: -1, nowUs: 0) }?.field == "position_seconds")
        #expect(fault { try scheduler.setRate(.nan, nowUs: 0) }?.field == "rate")
        #expect(scheduler.clock == before)
    }

    /// Commands in any order at any time: no trap, no frame too near, no frame twice within one playback.
    @Test func anyScriptKeepsThePromises() throws {
        let song = try Self.song(frames: 430)
        var random = SeededBytes(seed: 5)
        func next(_ bound: UInt64) -> Int64 {
            return Int64(random.next() % bound)
        }
        for _ in 0..<40 {
            var scheduler = MusicScheduler(song: song, leadMs: Int(next(1_000)))
            var now: Int64 = 0
            var lastTime: [UInt64: Int64] = [:]
            for _ in 0..<200 {
                now += next(400_000)
                switch next(8) {
                case 0: _ = try? scheduler.play(positionUs: next(10_000_000), loops: next(2) == 0, nowUs: now)
                case 1: try? scheduler.pause(nowUs: now)
                case 2: try? scheduler.seek(toUs: next(11_000_000), nowUs: now)
                case 3: try? scheduler.setRate(Double(next(30)) / 10, nowUs: now)
                case 4 where next(4) == 0: scheduler.stop()
                case 5: _ = try? scheduler.play(nowUs: now)
                default: break
                }
                for batch in scheduler.advance(nowUs: now) {
                    #expect(batch.playbackID == scheduler.clock.playbackID)
                    for frame in batch.frames {
                        #expect(frame.playAtUs - now >= Self.minLeadUs)
                        #expect(frame.playAtUs > lastTime[batch.playbackID] ?? -1)
                        lastTime[batch.playbackID] = frame.playAtUs
                    }
                }
            }
        }
    }

    @Test func absurdTimesEnd() throws {
        for loops in [false, true] {
            var scheduler = MusicScheduler(song: try Self.song(frames: 430))
            try scheduler.play(loops: loops, nowUs: 0)
            #expect(scheduler.advance(nowUs: .max).count <= 32)
            #expect(scheduler.advance(nowUs: .max).count <= 32)
        }
    }
}
